#include "selfplay/pipeline/self_play.h"

#include <memory>
#include <utility>

#include "envs/registry.h"
#include "models/cache_evaluator.h"
#include "selfplay/pipeline/run_games.h"
#include "selfplay/pipeline/self_play_game.h"

namespace qirkat {

const std::vector<Option<SelfPlayOptions>>& SelfPlayOptions::Table() {
  using O = SelfPlayOptions;
  static const std::vector<Option<O>> kTable = {
      {"games",
       &O::games,
       {.min = 1, .max = 1e9, .unit = "games", .help = "games to play in each generation"}},
      {"workers",
       &O::workers,
       {.min = 0,
        .max = 1024,
        .unit = "threads",
        .help = "threads that play; 0: one for each core",
        .changes_results = false}},
      {"slots",
       &O::slots,
       {.min = 1,
        .max = 65536,
        .unit = "games",
        .help = "games at once on each worker, its largest batch",
        .changes_results = false}},
      {"window",
       &O::window,
       {.min = 1,
        .max = 1e6,
        .unit = "games",
        .help = "game g starts only after game g - window is written: bounds the memory",
        .changes_results = false}},
      {"cache_mib",
       &O::cache_mib,
       {.min = 0,
        .max = 1 << 20,
        .unit = "MiB",
        .help = "memory of each worker for evaluations of its network, to compute equal positions "
                "once; 0: none",
        .changes_results = false}},
      {"random_opening_plies",
       &O::random_opening_plies,
       {.min = 0,
        .max = 1000,
        .unit = "plies",
        .help = "each game starts with 0 to this many random plies, which are not trained on"}},
      {"full_search_share",
       &O::full_search_share,
       {.min = 0,
        .max = 1,
        .help = "share of the positions, drawn at random, that get a full search, which trains the "
                "policy; the others get fast_visits and no noise; KataGo has 0.25",
        .source = "Wu 2019 (KataGo, playout cap randomization)"}},
      {"fast_visits",
       &O::fast_visits,
       {.min = 1,
        .max = 100'000'000,
        .unit = "visits",
        .help = "visits of a fast search",
        .source = "Wu 2019 (KataGo)"}},
  };
  return kTable;
}

namespace {

template <Game G>
SelfPlayStats RunTyped(const SelfPlayJob& job, const GameSink& sink,
                       const SelfPlayObserver& observer, const std::atomic<bool>* stop) {
  const auto* game = dynamic_cast<const TypedGame<G>*>(job.game.get());
  QIRKAT_CHECK(game != nullptr, job.game->info().name);
  const RunGamesOptions options{.first = job.first_game,
                                .end = static_cast<std::uint32_t>(job.options.games),
                                .window = static_cast<std::uint32_t>(job.options.window),
                                .workers = static_cast<int>(job.options.workers),
                                .slots = static_cast<int>(job.options.slots),
                                .groups = job.groups};
  std::uint64_t positions = 0;
  const auto write = [&](GameRecord&& record) {
    positions += record.positions.size();
    sink(std::move(record));
  };
  const auto with_positions = [&](SelfPlayStats stats) {
    stats.positions = positions;
    return stats;
  };
  const auto observe = [&](const SelfPlayStats& stats) {
    if (observer) observer(with_positions(stats));
  };
  const typename SelfPlayGame<G>::Context context{job, *game};
  const EvaluatorFactories factories = {
      MakeCachedEvaluator(job.evaluator, static_cast<std::size_t>(job.options.cache_mib) << 20)};
  return with_positions(
      RunGames<SelfPlayGame<G>>(context, factories, options, write, observe, stop));
}

}  // namespace

SelfPlayStats RunSelfPlay(const SelfPlayJob& job, const GameSink& sink,
                          const SelfPlayObserver& observer, const std::atomic<bool>* stop) {
  return RegisteredGames::Visit(job.game->info().name,
                                [&]<Game G>() { return RunTyped<G>(job, sink, observer, stop); });
}

}  // namespace qirkat
