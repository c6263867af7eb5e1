// One slot of self-play: a game in which one search plays both sides and its positions are
// recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "envs/core/random.h"
#include "envs/core/typed_line.h"
#include "selfplay/pipeline/position_record.h"
#include "selfplay/pipeline/self_play.h"
#include "selfplay/pipeline/worker.h"
#include "selfplay/search/worlds.h"

namespace qirkat {

template <Game G>
class SelfPlayGame {
 public:
  using Result = GameRecord;
  struct Context {
    const SelfPlayJob& job;
    const TypedGame<G>& game;
  };

  SelfPlayGame(const Context& context, const Evaluators& evaluators)
      : job_(context.job),
        game_(context.game),
        model_(job_.evaluator->model_name()),
        line_(game_.StartAt("start")),
        search_(job_.search, evaluators.front()->needs_lines()) {}

  void Start(std::uint32_t number) {
    noise_ = Stream(number, StreamPurpose::kRootNoise);
    choice_ = Stream(number, StreamPurpose::kMoveChoice);
    search_size_ = Stream(number, StreamPurpose::kSearchSize);
    RandomStream setup = Stream(number, StreamPurpose::kSetup);
    line_ = TypedLine<G>(game_.Start(setup));
    record_ = GameRecord();
    record_.game = number;
    record_.start = line_.StartText();
    record_.seed = job_.seed;
    record_.model_0 = record_.model_1 = model_;
    PlayRandomOpening(Stream(number, StreamPurpose::kOpening));
    search_.SetRoot(line_.line(), Stream(number, StreamPurpose::kRollout).Next());
    searching_ = false;
  }

  std::optional<int> Advance(PhaseClock& clock) {
    while (true) {
      if (!searching_) {
        PlayForced();
        if (line_.over()) return std::nullopt;
        full_search_ = search_size_.Uniform() < job_.options.full_search_share;
        search_.Begin(full_search_ ? job_.search.visits : job_.options.fast_visits,
                      full_search_ ? &noise_ : nullptr);
        searching_ = true;
      }
      const SearchStatus status = search_.Advance(clock.detail());
      if (status == SearchStatus::kNeedsEvaluation) return 0;
      QIRKAT_CHECK(status == SearchStatus::kDone);
      searching_ = false;
      clock.Enter(Phase::kWrite);
      PlaySearched();
      clock.Enter(Phase::kSelect);
    }
  }

  SearchOf<G>& waiting_search() { return search_; }

  GameRecord TakeResult() {
    record_.outcome = line_.outcome();
    FillForcedValues(record_);
    return std::move(record_);
  }

  SearchStats stats() const { return search_.stats(); }

 private:
  RandomStream Stream(std::uint32_t number, StreamPurpose purpose) const {
    return RandomStream(job_.seed, job_.generation, number, purpose);
  }

  // The opening's plies stand among the actions, not among the positions: no search chose them.
  void PlayRandomOpening(RandomStream random) {
    const auto plies =
        random.Below(static_cast<std::uint32_t>(job_.options.random_opening_plies) + 1);
    while (line_.ply() < plies && !line_.over()) {
      const auto count = static_cast<std::uint32_t>(line_.legal_count());
      const Action action = line_.legal(static_cast<int>(random.Below(count)));
      record_.actions.push_back(action);
      line_.line().Advance(action);
    }
  }

  void PlayForced() {
    while (!line_.over() && line_.legal_count() == 1) {
      PositionRecord position = DescribePosition(line_, game_.info());
      position.flags = kFlagForced;
      position.policy = {{line_.MoverView(line_.legal(0)), kAllShares}};
      Play(line_.legal(0), std::move(position));
    }
  }

  void PlaySearched() {
    const RootResult root = search_.Result();
    PositionRecord position = DescribePosition(line_, game_.info());
    SetSearchTarget(root, line_, full_search_, position);
    const double temperature = MoveTemperature(job_.search, line_.ply());
    Play(search_.ChooseAction(temperature, choice_), std::move(position));
  }

  void Play(Action action, PositionRecord&& position) {
    position.action = action;
    record_.positions.push_back(std::move(position));
    record_.actions.push_back(action);
    search_.Play(action);
    line_.line().Advance(action);
  }

  const SelfPlayJob& job_;
  const TypedGame<G>& game_;
  const std::string model_;
  TypedLine<G> line_;
  SearchOf<G> search_;
  RandomStream noise_, choice_, search_size_;
  GameRecord record_;
  bool searching_ = false;
  bool full_search_ = true;  // the search of the position where the game stands
};

}  // namespace qirkat
