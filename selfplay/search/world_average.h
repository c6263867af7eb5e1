// What the searches of several possible worlds say together.
#pragma once

#include <vector>

#include "selfplay/search/search.h"

namespace qirkat {

// The average of root results of one position, whose edges are the same. A world counts by its
// weight, whether its search needed all its visits or not; visits are summed. What is proven in
// each of these worlds is not proven.
class WorldAverage {
 public:
  void Clear() { *this = WorldAverage(); }
  // weight > 0.
  void Add(const RootResult& world, double weight);
  // Of the worlds added, one at least. Where each world's root policy makes a choice, the one made
  // most often by weight, ties by policy.
  RootResult Result() const;

 private:
  struct EdgeSums {
    double shares = 0;  // of the worlds' visits
    double value = 0, score = 0, moves_left = 0;
    double policy = 0;  // of the worlds' policy targets
    double chosen = 0;  // weight of the worlds that chose it
  };

  RootResult sums_;  // visits; the actions and priors of the first world
  double weight_ = 0;
  double wdl_[3] = {0, 0, 0}, score_ = 0, moves_left_ = 0;
  std::vector<EdgeSums> edges_;
};

}  // namespace qirkat
