#include "selfplay/match/match.h"

#include <utility>

#include "envs/registry.h"
#include "models/cache_evaluator.h"
#include "selfplay/match/match_slot.h"
#include "selfplay/match/statistics.h"
#include "selfplay/pipeline/run_games.h"

namespace qirkat {
namespace {

// Of A: 1, 1/2 or 0.
double ScoreOfA(const MatchGame& game) {
  const int result = game.a_is_player_0 ? game.outcome.result : -game.outcome.result;
  return (result + 1) / 2.0;
}

class Tally {
 public:
  void Add(MatchGame&& game) {
    scores_.push_back(ScoreOfA(game));
    result_.wins += scores_.back() == 1;
    result_.draws += scores_.back() == 0.5;
    result_.losses += scores_.back() == 0;
    result_.games.push_back(std::move(game));
  }
  const MatchResult& Result() {
    if (scores_.empty()) return result_;
    const ScoreInterval interval = PairedScoreInterval(scores_);
    result_.score = interval.score;
    result_.score_low = interval.low;
    result_.score_high = interval.high;
    result_.score_error = (interval.high - interval.low) / 2;
    result_.elo = EloFromScore(interval.score);
    result_.elo_low = EloFromScore(interval.low);
    result_.elo_high = EloFromScore(interval.high);
    return result_;
  }

 private:
  std::vector<double> scores_;
  MatchResult result_;
};

template <Game G>
MatchResult RunTyped(const AnyGame& any_game, const MatchPlayer& a, const MatchPlayer& b,
                     const MatchOptions& options, const MatchObserver& observer,
                     const std::atomic<bool>* stop) {
  const auto* game = dynamic_cast<const TypedGame<G>*>(&any_game);
  QIRKAT_CHECK(game != nullptr, any_game.info().name);
  typename MatchSlot<G>::Context context{*game, {&a, &b}, {}, options};
  EvaluatorFactories factories;
  for (int p = 0; p < 2; ++p) {
    const auto& factory = context.players[p]->evaluator;
    if (!factory) continue;
    // Two players of one model that is evaluated in one way share its evaluator, so that their
    // positions share batches.
    const auto same = [&](const EvaluatorFactory& other) {
      return other.model_name() == factory->model_name() &&
             other.description() == factory->description();
    };
    if (factories.empty() || !same(*factories.front())) {
      factories.push_back(
          MakeCachedEvaluator(factory, static_cast<std::size_t>(options.cache_mib) << 20));
    }
    context.evaluators[p] = static_cast<int>(factories.size()) - 1;
  }
  Tally tally;
  const RunGamesOptions run{.first = 0,
                            .end = options.games,
                            .window = options.games,
                            .workers = options.workers,
                            .slots = options.slots};
  const auto observe = [&](const SelfPlayStats& stats) {
    if (observer) observer(static_cast<std::uint32_t>(stats.games), tally.Result());
  };
  RunGames<MatchSlot<G>>(
      context, factories, run, [&](MatchGame&& result) { tally.Add(std::move(result)); }, observe,
      stop);
  return tally.Result();
}

}  // namespace

MatchResult RunMatch(const AnyGame& game, const MatchPlayer& a, const MatchPlayer& b,
                     const MatchOptions& options, const MatchObserver& observer,
                     const std::atomic<bool>* stop) {
  if (options.games == 0 || options.games % 2 != 0) {
    throw UserError(
        StrCat("a match needs an even number of games, 2 or more (every opening is "
               "played with both colours), not ",
               options.games));
  }
  return RegisteredGames::Visit(
      game.info().name, [&]<Game G>() { return RunTyped<G>(game, a, b, options, observer, stop); });
}

}  // namespace qirkat
