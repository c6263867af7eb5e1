// Which action is played after a search.
#pragma once

#include <cstdint>

#include "envs/core/random.h"
#include "selfplay/search/options.h"
#include "selfplay/search/search.h"

namespace qirkat {

// The temperature of the move at this ply of a game (AlphaGo Zero's schedule in two steps).
double MoveTemperature(const SearchOptions& options, std::uint32_t ply);

class MoveChoice {
 public:
  explicit MoveChoice(const SearchOptions& options)
      : lcb_stdevs_(options.lcb_stdevs),
        lcb_min_visits_(options.lcb_min_visits),
        by_score_(options.score_weight > 0) {}

  // An action drawn with probability ∝ weight^(1 / temperature), or the root policy's own choice if
  // it makes one (Gumbel). At temperature 0 no random number is drawn:
  // - if the root is proven to be won or lost, the fastest win or the slowest loss that is known;
  // if
  //   the score counts (score_weight), the best value first;
  // - else the root policy's own choice;
  // - else the highest lower confidence bound of the value among the actions with at least
  //   lcb_min_visits times the most weight (Leela Zero, KataGo), or the most weight if lcb_stdevs
  //   is 0 or the result is an average over worlds; ties by weight, value, prior, then the earlier
  //   edge.
  Action operator()(const RootResult& result, double temperature, RandomStream& random) const;

 private:
  const RootResult::Edge& Best(const RootResult& result) const;

  double lcb_stdevs_;
  double lcb_min_visits_;
  bool by_score_;
};

}  // namespace qirkat
