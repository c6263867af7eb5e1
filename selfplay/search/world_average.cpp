#include "selfplay/search/world_average.h"

#include <algorithm>
#include <tuple>

#include "envs/core/error.h"

namespace qirkat {

void WorldAverage::Add(const RootResult& world, double weight) {
  QIRKAT_CHECK(weight > 0, weight);
  if (edges_.empty()) {
    sums_ = world;
    edges_.resize(world.edges.size());
  } else {
    QIRKAT_CHECK(edges_.size() == world.edges.size(), edges_.size(), world.edges.size());
    sums_.visits += world.visits;
    for (std::size_t k = 0; k < edges_.size(); ++k) sums_.edges[k].visits += world.edges[k].visits;
  }
  weight_ += weight;
  for (int i = 0; i < 3; ++i) wdl_[i] += weight * world.wdl[i];
  score_ += weight * world.score;
  moves_left_ += weight * world.moves_left;
  double visits = 0, policy = 0;
  for (const RootResult::Edge& edge : world.edges) {
    visits += edge.visits;
    policy += edge.weight;
  }
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const RootResult::Edge& edge = world.edges[k];
    EdgeSums& sums = edges_[k];
    sums.policy += weight * edge.weight / policy;
    if (world.choice == edge.action) sums.chosen += weight;
    if (edge.visits == 0) continue;
    const double share = weight * edge.visits / visits;
    sums.shares += share;
    sums.value += share * edge.value;
    sums.score += share * edge.score;
    sums.moves_left += share * edge.moves_left;
  }
}

RootResult WorldAverage::Result() const {
  QIRKAT_CHECK(weight_ > 0);
  RootResult result = sums_;
  for (int i = 0; i < 3; ++i) result.wdl[i] = static_cast<float>(wdl_[i] / weight_);
  result.score = static_cast<float>(score_ / weight_);
  result.moves_left = static_cast<float>(moves_left_ / weight_);
  result.bounds = {};
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const EdgeSums& sums = edges_[k];
    RootResult::Edge& edge = result.edges[k];
    edge.weight = sums.policy / weight_;
    edge.bounds = {};
    edge.stdev.reset();
    if (!(sums.shares > 0)) continue;
    edge.value = static_cast<float>(sums.value / sums.shares);
    edge.score = static_cast<float>(sums.score / sums.shares);
    edge.moves_left = static_cast<float>(sums.moves_left / sums.shares);
  }
  if (result.choice) {
    const auto most =
        std::max_element(edges_.begin(), edges_.end(), [](const EdgeSums& a, const EdgeSums& b) {
          return std::tie(a.chosen, a.policy) < std::tie(b.chosen, b.policy);
        });
    result.choice = result.edges[most - edges_.begin()].action;
  }
  return result;
}

}  // namespace qirkat
