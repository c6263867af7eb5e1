// Strength while a run goes on: the newest net plays a few games against a fixed opponent. What
// comes out is reported and changes nothing in the run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "envs/core/any_line.h"
#include "models/evaluator.h"
#include "selfplay/match/match.h"
#include "training/config.h"

namespace qirkat {

class Rating {
 public:
  // Throws UserError for an opponent that cannot play this game, or an odd number of games.
  Rating(std::shared_ptr<const AnyGame> game, const RunConfig& config);

  // Whether the net of this generation plays: every `rating.every` generations, and the last.
  bool IsDue(std::uint64_t generation) const;
  // The same openings and random numbers for every generation. Returns fewer games than asked for
  // if `stop` turns true.
  MatchResult Play(std::shared_ptr<const EvaluatorFactory> net,
                   const std::atomic<bool>* stop) const;

 private:
  std::shared_ptr<const AnyGame> game_;
  RatingOptions options_;
  std::uint64_t generations_;
  MatchPlayer net_, opponent_;
  MatchOptions match_;
};

}  // namespace qirkat
