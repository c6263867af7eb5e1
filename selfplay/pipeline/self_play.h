// Many self-play games at once: W workers × S slots, batches across games, one writer in game
// order.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/options.h"
#include "models/evaluator.h"
#include "selfplay/data/record.h"
#include "selfplay/pipeline/stats.h"
#include "selfplay/search/options.h"

namespace qirkat {

// [selfplay]
struct SelfPlayOptions {
  std::int64_t games = 100;  // per generation
  std::int64_t workers = 0;  // threads; 0: all cores. Does not change results
  std::int64_t slots = 32;  // games at once per worker = its largest batch. Does not change results
  std::int64_t window = 256;              // game g starts only after game g − window is written
  std::int64_t cache_mib = 64;            // of each evaluator. Does not change results
  std::int64_t random_opening_plies = 0;  // 0 … this many random plies before the first search
  double full_search_share = 1.0;         // of the searched positions, the others get fast_visits
  std::int64_t fast_visits = 20;
  static const std::vector<Option<SelfPlayOptions>>& Table();
};

struct SelfPlayJob {
  std::shared_ptr<const AnyGame> game;
  std::shared_ptr<const EvaluatorFactory> evaluator;
  SearchOptions search;
  SelfPlayOptions options;
  std::uint64_t seed = 0;
  std::uint64_t generation = 0;
  std::uint32_t first_game = 0;  // resume: games below are already written
  int groups = 0;                // RunGamesOptions::groups. Does not change results
};

// Called by the writer (the thread that called RunSelfPlay), in game order; may throw (the disk is
// full): the run stops and the exception reaches the caller.
using GameSink = std::function<void(GameRecord&&)>;
// Called about twice a second by the writer, and once at the end.
using SelfPlayObserver = std::function<void(const SelfPlayStats&)>;

// Plays games [first_game, options.games) and hands each to `sink`. The games are the same bytes
// for any number of workers and slots. `stop` (may be null): when it turns true, no new game
// starts, games in flight are dropped, and the call returns when what is finished in game order is
// written. Throws what a worker, the sink or the observer throws, after every thread has ended.
//
// A position is recorded for every ply behind the random opening. Where only one action is legal no
// search is made: the row has kFlagForced, the whole policy on that action, full weight (search
// asks the network for values there too) and the root W/D/L of the position that the action leads
// to. A position that gets a fast search (without noise) has no kFlagFullSearch: it trains the
// value and not the policy.
SelfPlayStats RunSelfPlay(const SelfPlayJob& job, const GameSink& sink,
                          const SelfPlayObserver& observer = {},
                          const std::atomic<bool>* stop = nullptr);

}  // namespace qirkat
