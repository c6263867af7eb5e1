// Players against each other: equal openings, colours alternating, honest errors.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "envs/core/any_line.h"
#include "models/evaluator.h"
#include "selfplay/search/options.h"

namespace qirkat {

// A player of a match. `random`: uniformly random legal actions, no evaluator. Else a search with
// these options over this evaluator.
struct MatchPlayer {
  std::string spec;                                   // as the user wrote it
  std::shared_ptr<const EvaluatorFactory> evaluator;  // null: random
  SearchOptions search;
};

struct MatchOptions {
  std::uint32_t games = 100;       // even: every opening is played twice, colours swapped
  std::uint32_t random_plies = 6;  // random opening length: thousands of openings, so few repeat
  std::uint64_t seed = 1;
  int workers = 0;              // 0: all cores; does not change results
  int slots = 32;               // per worker; does not change results
  std::int64_t cache_mib = 64;  // per worker and network; 0: none; does not change results
};

struct MatchGame {
  std::uint32_t game = 0;
  bool a_is_player_0 = true;
  std::vector<Action> actions;
  Outcome outcome;
};

struct MatchResult {
  std::uint32_t wins = 0, draws = 0, losses = 0;  // of A
  double score = 0;                               // of A, 0 … 1
  double score_error = 0;                         // 95 % half width, from game pairs (pentanomial)
  double score_low = 0, score_high = 0;           // 95 % interval (Wilson at the extremes)
  double elo = 0, elo_low = 0, elo_high = 0;      // of A over B; ±infinity at 0 or 1
  std::vector<MatchGame> games;                   // in game order
};

using MatchObserver = std::function<void(std::uint32_t done, const MatchResult& so_far)>;

MatchResult RunMatch(const AnyGame& game, const MatchPlayer& a, const MatchPlayer& b,
                     const MatchOptions& options, const MatchObserver& observer = {},
                     const std::atomic<bool>* stop = nullptr);

}  // namespace qirkat
