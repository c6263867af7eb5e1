// One thread of a batched run: its slots, each with a game, and its evaluators.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "models/evaluator.h"
#include "models/evaluators.h"
#include "selfplay/pipeline/ordered_games.h"
#include "selfplay/pipeline/stats.h"
#include "selfplay/search/search.h"

namespace qirkat {

using EvaluatorFactories = std::vector<std::shared_ptr<const EvaluatorFactory>>;
using Evaluators = std::vector<std::unique_ptr<Evaluator>>;

// A place where one game after another is played, one game at a time:
//   S(context, evaluators)            made on the worker's thread
//   void Start(game number)
//   std::optional<int> Advance()      plays until a leaf needs evaluator number i; nullopt: game
//   over Search<G>& waiting_search()       whose leaf that is; it must be delivered before the next
//   Advance Result TakeResult()               of the game that is over SearchStats stats() since
//   the slot was made, sums over its searches
template <class S>
concept GameSlot = std::constructible_from<S, const typename S::Context&, const Evaluators&> &&
    requires(S slot, const S& constant, std::uint32_t game) {
  slot.Start(game);
  { slot.Advance() } -> std::same_as<std::optional<int>>;
  slot.waiting_search();
  { slot.TakeResult() } -> std::same_as<typename S::Result>;
  { constant.stats() } -> std::same_as<SearchStats>;
};

// Numbers of one worker that other threads may read at any time.
class WorkerStats {
 public:
  SelfPlayStats Get() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }
  void Set(const SelfPlayStats& stats) {
    const std::lock_guard lock(mutex_);
    stats_ = stats;
  }

 private:
  mutable std::mutex mutex_;
  SelfPlayStats stats_;
};

template <GameSlot S>
class Worker {
 public:
  Worker(const typename S::Context& context, const EvaluatorFactories& factories, int slots,
         OrderedGames<typename S::Result>& games, WorkerStats& published)
      : games_(games), published_(published) {
    for (const auto& factory : factories) {
      evaluators_.push_back(factory->Make(slots));
      buffers_.emplace_back(evaluators_.back()->shape(), slots);
    }
    waiting_.resize(factories.size());
    for (int i = 0; i < slots; ++i) seats_.emplace_back(context, evaluators_);
  }

  // Plays until there is no game to start any more.
  void Run() {
    while (!games_.closed()) {
      const auto begin = Clock::now();
      const bool anything = AdvanceSlots();
      stats_.select_seconds += Since(begin);
      if (anything) {
        EvaluateMostWaited();
      } else if (!WaitForGame()) {
        break;
      }
      published_.Set(stats_);
    }
    published_.Set(stats_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Seat {
    Seat(const typename S::Context& context, const Evaluators& evaluators)
        : slot(context, evaluators) {}
    S slot;
    std::optional<std::uint32_t> game;
    bool waiting = false;  // for an evaluation
  };

  static double Since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  // Lets every slot play until its game needs an evaluation; finished games make room for new ones.
  // False if no slot has a game.
  bool AdvanceSlots() {
    bool anything = false;
    for (Seat& seat : seats_) {
      anything |= seat.waiting;
      while (!seat.waiting) {
        if (!seat.game) {
          seat.game = games_.TryStart();
          if (!seat.game) break;
          seat.slot.Start(*seat.game);
        }
        if (const std::optional<int> evaluator = seat.slot.Advance()) {
          waiting_[*evaluator].push_back(&seat);
          anything = seat.waiting = true;
          break;
        }
        games_.Finish(*seat.game, seat.slot.TakeResult());
        seat.game.reset();
        SumSearches();
      }
    }
    return anything;
  }

  void SumSearches() {
    stats_.terminal_visits = stats_.tree_bytes = 0;
    for (const Seat& seat : seats_) {
      const SearchStats stats = seat.slot.stats();
      stats_.terminal_visits += stats.terminal_visits;
      stats_.tree_bytes += stats.bytes;
    }
  }

  // One batch over all slots that wait for the evaluator that most of them wait for. The others go
  // on waiting: in a match a player that needs more evaluations a move than the other does not thin
  // out the other's batches.
  void EvaluateMostWaited() {
    const auto most = std::ranges::max_element(waiting_, {}, &std::vector<Seat*>::size);
    const auto e = most - waiting_.begin();
    std::vector<Seat*>& seats = *most;
    const auto begin = Clock::now();
    EvalBuffers& buffers = buffers_[e];
    Evaluator& evaluator = *evaluators_[e];
    const bool with_lines = evaluator.needs_lines();
    const int size = static_cast<int>(seats.size());
    for (int i = 0; i < size; ++i) {
      auto& search = seats[i]->slot.waiting_search();
      search.WriteLeaf(buffers.Row(i));
      if (with_lines) {
        buffers.lines[i] = search.leaf_line();
        buffers.seeds[i] = search.leaf_seed();
      }
    }
    const auto evaluate = Clock::now();
    evaluator.Evaluate(buffers.Batch(size, with_lines), buffers.Result(size));
    const auto deliver = Clock::now();
    for (int i = 0; i < size; ++i) {
      seats[i]->slot.waiting_search().Deliver(buffers.Logits(i),
                                              std::span<const float, 3>(&buffers.wdl[3 * i], 3),
                                              buffers.score[i], buffers.moves_left[i]);
      seats[i]->waiting = false;
    }
    seats.clear();
    const double evaluate_seconds = std::chrono::duration<double>(deliver - evaluate).count();
    stats_.evaluate_seconds += evaluate_seconds;
    stats_.select_seconds += Since(begin) - evaluate_seconds;
    stats_.evaluations += size;
    ++stats_.batches;
  }

  // Sleeps until a game may start; false if none ever will.
  bool WaitForGame() {
    const auto begin = Clock::now();
    const std::optional<std::uint32_t> game = games_.WaitStart();
    if (!game) return false;
    stats_.writer_wait_seconds += Since(begin);
    seats_.front().game = game;
    seats_.front().slot.Start(*game);
    return true;
  }

  OrderedGames<typename S::Result>& games_;
  WorkerStats& published_;
  SelfPlayStats stats_;
  Evaluators evaluators_;
  std::vector<EvalBuffers> buffers_;         // by evaluator
  std::vector<std::vector<Seat*>> waiting_;  // by evaluator
  std::deque<Seat> seats_;
};

}  // namespace qirkat
