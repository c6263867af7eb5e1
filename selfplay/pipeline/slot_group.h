// Slots that share batches: each has a game, and their leaves are evaluated together.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/evaluator.h"
#include "models/evaluators.h"
#include "selfplay/pipeline/ordered_games.h"
#include "selfplay/pipeline/stats.h"
#include "selfplay/search/phase_clock.h"
#include "selfplay/search/search.h"

namespace qirkat {

using EvaluatorFactories = std::vector<std::shared_ptr<const EvaluatorFactory>>;
using Evaluators = std::vector<std::unique_ptr<Evaluator>>;

// A place where one game after another is played, one game at a time:
//   S(context, evaluators)         made on the worker's thread
//   void Start(game number)
//   std::optional<int> Advance(PhaseClock&)     plays until a leaf needs evaluator number i;
//                                  nullopt: game over
//   Search<G>& waiting_search()    whose leaf that is; it must be delivered before the next Advance
//   Result TakeResult()            of the game that is over
//   SearchStats stats()            since the slot was made, sums over its searches
template <class S>
concept GameSlot = std::constructible_from<S, const typename S::Context&, const Evaluators&> &&
    requires(S slot, const S& constant, std::uint32_t game, PhaseClock& clock) {
  slot.Start(game);
  { slot.Advance(clock) } -> std::same_as<std::optional<int>>;
  slot.waiting_search();
  { slot.TakeResult() } -> std::same_as<typename S::Result>;
  { constant.stats() } -> std::same_as<SearchStats>;
};

// Used in turns: Advance, BeginBatch, FinishBatch. Between BeginBatch and FinishBatch the batch may
// be under way on a device; other groups are worked on meanwhile.
template <GameSlot S>
class SlotGroup {
 public:
  SlotGroup(const typename S::Context& context, const EvaluatorFactories& factories, int slots,
            OrderedGames<typename S::Result>& games, PhaseClock& clock)
      : games_(games), clock_(clock), waiting_(factories.size()) {
    for (const auto& factory : factories) {
      evaluators_.push_back(factory->Make(slots));
      buffers_.emplace_back(evaluators_.back()->shape(), slots);
    }
    for (int i = 0; i < slots; ++i) seats_.emplace_back(context, evaluators_);
  }
  SlotGroup(const SlotGroup&) = delete;
  SlotGroup& operator=(const SlotGroup&) = delete;
  // A batch under way must end before its arrays do. Nobody waits for its results any more, nor for
  // its error: the run was stopped, or ends with another error.
  ~SlotGroup() {
    try {
      if (under_way_) evaluators_[*under_way_]->Wait();
    } catch (...) {
    }
  }

  // Lets every slot play until its game needs an evaluation; finished games make room for new ones.
  // False if no slot has a game.
  bool Advance() {
    bool anything = false;
    bool may_start = true;
    for (Seat& seat : seats_) {
      while (!seat.waiting) {
        if (!seat.game && may_start) may_start = StartNext(seat);
        if (!seat.game) break;
        clock_.BeginTurn();
        if (const std::optional<int> evaluator = seat.slot.Advance(clock_)) {
          seat.waiting = !AnswerRow(seat, *evaluator);
        } else {
          Finish(seat);
        }
        clock_.EndTurn();
      }
      anything |= seat.waiting;
    }
    return anything;
  }

  // Gives the game to a slot; none has one.
  void Start(std::uint32_t game) {
    seats_.front().game = game;
    seats_.front().slot.Start(game);
  }

  // One batch over all slots that wait for the evaluator that most of them wait for (some do). The
  // others go on waiting: in a match a player that needs more evaluations a move than the other
  // does not thin out the other's batches.
  void BeginBatch() {
    const auto most = std::ranges::max_element(waiting_, {}, &std::vector<Seat*>::size);
    const auto e = static_cast<std::size_t>(most - waiting_.begin());
    const int size = static_cast<int>(most->size());
    under_way_ = e;
    evaluators_[e]->Begin(buffers_[e].Batch(size, evaluators_[e]->needs_lines()),
                          buffers_[e].Result(size));
    ++batches_;
  }

  // Returns when the batch that was begun, if any, is there.
  void WaitForBatch() {
    if (under_way_) evaluators_[*under_way_]->Wait();
  }

  // Hands the results, once they are there, to the searches.
  void DeliverBatch() {
    if (!under_way_) return;
    std::vector<Seat*>& seats = waiting_[*under_way_];
    for (std::size_t row = 0; row < seats.size(); ++row) {
      DeliverRow(*seats[row], buffers_[*under_way_], row);
      seats[row]->waiting = false;
    }
    seats.clear();
    under_way_.reset();
  }

  // Adds what was counted since the group was made.
  void AddTo(SelfPlayStats& stats) const {
    std::uint64_t hits = 0;
    for (const auto& evaluator : evaluators_) {
      if (const RowCache* cache = evaluator->cache()) hits += cache->hits();
    }
    stats.evaluations += rows_ - hits;
    stats.cache_hits += hits;
    stats.batches += batches_;
    for (const Seat& seat : seats_) {
      const SearchStats searches = seat.slot.stats();
      stats.terminal_visits += searches.terminal_visits;
      stats.tree_bytes += searches.bytes;
    }
  }

 private:
  struct Seat {
    Seat(const typename S::Context& context, const Evaluators& evaluators)
        : slot(context, evaluators) {}
    S slot;
    std::optional<std::uint32_t> game;
    bool waiting = false;  // for an evaluation
  };

  bool StartNext(Seat& seat) {
    seat.game = games_.TryStart();
    if (seat.game) seat.slot.Start(*seat.game);
    return seat.game.has_value();
  }

  void Finish(Seat& seat) {
    clock_.Enter(Phase::kWrite);
    games_.Finish(*seat.game, seat.slot.TakeResult());
    seat.game.reset();
    clock_.Enter(Phase::kSelect);
  }

  // The seat's leaf becomes a row of the evaluator's next batch, unless its cache knows the answer:
  // then it is delivered, and true is returned. (Rows that need no computing would thin out the
  // batches.)
  bool AnswerRow(Seat& seat, int e) {
    EvalBuffers& buffers = buffers_[e];
    Evaluator& evaluator = *evaluators_[e];
    std::vector<Seat*>& waiting = waiting_[e];
    const std::size_t row = waiting.size();
    auto& search = seat.slot.waiting_search();
    EnterDetail(clock_.detail(), Phase::kEncode);
    search.WriteLeaf(buffers.Row(static_cast<int>(row)));
    ++rows_;
    if (RowCache* cache = evaluator.cache()) {
      const int size = static_cast<int>(row) + 1;
      EnterDetail(clock_.detail(), Phase::kEvaluate);
      if (cache->Answer(buffers.Batch(size, false), size - 1, buffers.Result(size))) {
        EnterDetail(clock_.detail(), Phase::kBackup);
        DeliverRow(seat, buffers, row);
        return true;
      }
    }
    if (evaluator.needs_lines()) {
      buffers.lines[row] = search.leaf_line();
      buffers.seeds[row] = search.leaf_seed();
    }
    waiting.push_back(&seat);
    return false;
  }

  void DeliverRow(Seat& seat, const EvalBuffers& buffers, std::size_t row) {
    seat.slot.waiting_search().Deliver(buffers.Logits(static_cast<int>(row)),
                                       std::span<const float, 3>(&buffers.wdl[3 * row], 3),
                                       buffers.score[row], buffers.moves_left[row]);
  }

  OrderedGames<typename S::Result>& games_;
  PhaseClock& clock_;
  std::vector<EvalBuffers> buffers_;  // by evaluator
  Evaluators evaluators_;
  std::vector<std::vector<Seat*>>
      waiting_;                           // by evaluator: whose leaves are the rows of `buffers_`
  std::optional<std::size_t> under_way_;  // the evaluator whose batch was begun
  std::deque<Seat> seats_;
  std::uint64_t rows_ = 0;  // leaves that needed an evaluation
  std::uint64_t batches_ = 0;
};

}  // namespace qirkat
