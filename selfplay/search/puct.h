// Which edge a descent follows: by value and prior.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "selfplay/search/options.h"
#include "selfplay/search/tree.h"

namespace qirkat {

// An edge's value and visits with those of descents under way, each of which counts as a loss
// (virtual loss, Chaslot et al. 2008): other descents look elsewhere meanwhile.
struct EdgeCount {
  float value;
  float visits;
};
inline EdgeCount WithHeld(const Edge& edge) {
  const auto visits = static_cast<float>(edge.visits);
  if (edge.held == 0) [[likely]]
    return {edge.value, visits};
  const auto held = static_cast<float>(edge.held);
  return {(edge.value * visits - held) / (visits + held), visits + held};
}

// PUCT as in AlphaZero (Silver et al. 2018): value + c(N) × prior × √N / (1 + n), with c growing
// with the visits N of the node, and of KataGo (Wu 2019 and its later "methods"):
// - the value of an edge that was never followed: the node's own minus reduction × √(prior of the
//   edges that were);
// - c scaled by how much the values of the node's visits differ.
// Edges from which nothing can be learned any more (IsSettled) are not followed.
class Puct {
 public:
  explicit Puct(const SearchOptions& options)
      : cpuct_(static_cast<float>(options.cpuct)),
        inverse_base_(static_cast<float>(1 / options.cpuct_base)),
        fpu_reduction_(static_cast<float>(options.fpu_reduction)),
        root_fpu_reduction_(static_cast<float>(options.root_fpu_reduction)),
        stdev_scale_(options.cpuct_stdev_scale),
        stdev_prior_(options.cpuct_stdev_prior),
        stdev_prior_weight_(options.cpuct_stdev_prior_weight) {
    for (std::uint32_t visits = 0; visits < kTabled; ++visits) {
      exploration_[visits] = ComputeExploration(visits);
    }
  }

  // The place, in 0 .. node.opened, of the edge to follow; ties go to the lower place.
  // `node_value`: the node's mean value for its player to move. The node is evaluated, has edges
  // and is not proven.
  int Select(const Node& node, const Edge* edges, float node_value, bool is_root) const {
    const float exploration = Exploration(node);
    const Bounds bounds = node.bounds.For(node.to_move);
    const float reduction = is_root ? root_fpu_reduction_ : fpu_reduction_;
    const float unvisited = node_value - reduction * std::sqrt(node.opened_prior);
    int best = 0;
    float best_score = -std::numeric_limits<float>::infinity();
    for (int k = 0; k < node.opened; ++k) {
      EdgeCount count = WithHeld(edges[k]);
      // Its child waits for an evaluation that another descent asked for.
      if (count.visits == 0) [[unlikely]]
        count.value = unvisited;
      const float score = count.value + exploration * edges[k].prior / (1 + count.visits);
      if (score > best_score && !IsSettled(edges[k].bounds, bounds)) {
        best_score = score;
        best = k;
      }
    }
    if (node.opened < node.edge_count) {
      if (unvisited + exploration * edges[node.opened].prior > best_score) best = node.opened;
    }
    return best;
  }

  // What prior / (1 + visits of an edge) is multiplied with.
  float Exploration(const Node& node) const {
    const std::uint32_t visits = node.visits + node.held;
    const float exploration = visits < kTabled ? exploration_[visits] : ComputeExploration(visits);
    return stdev_scale_ == 0 ? exploration : exploration * StdevFactor(node);
  }

 private:
  static constexpr std::uint32_t kTabled = 256;

  float ComputeExploration(std::uint32_t node_visits) const {
    const auto visits = static_cast<float>(node_visits);
    const float growth = std::log1p((1 + visits) * inverse_base_);
    return (cpuct_ + growth) * std::sqrt(visits);
  }

  // 1 + scale × (stdev / prior stdev − 1), the standard deviation of the visits' values with some
  // visits' worth of the one that is expected beforehand.
  float StdevFactor(const Node& node) const {
    double stdev = stdev_prior_;
    if (node.visits > 1) {
      const double visits = node.visits;
      const double mean = (node.sums.win - node.sums.loss) / visits;
      const double squares =
          node.sums.square + (mean * mean + stdev_prior_ * stdev_prior_) * stdev_prior_weight_;
      const double variance = squares / (visits + stdev_prior_weight_ - 1) - mean * mean;
      stdev = std::sqrt(std::max(variance, 0.0));
    }
    return static_cast<float>(1 + stdev_scale_ * (stdev / stdev_prior_ - 1));
  }

  float cpuct_;
  float inverse_base_;
  float fpu_reduction_;
  float root_fpu_reduction_;
  double stdev_scale_, stdev_prior_, stdev_prior_weight_;
  // By the node's visits. Most nodes have few, and a logarithm for each took a tenth of a search.
  std::array<float, kTabled> exploration_;
};

}  // namespace qirkat
