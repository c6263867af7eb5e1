// Which edge a descent follows.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "selfplay/search/options.h"
#include "selfplay/search/tree.h"

namespace qirkat {

// PUCT as in AlphaZero (Silver et al. 2018): value + c(N) × prior × √N / (1 + n), with c growing
// with the visits N of the node, and KataGo's value of an edge that was never followed (Wu 2019):
// the node's own value minus reduction × √(prior of the edges that were).
class Puct {
 public:
  explicit Puct(const SearchOptions& options)
      : cpuct_(static_cast<float>(options.cpuct)),
        inverse_base_(static_cast<float>(1 / options.cpuct_base)),
        fpu_reduction_(static_cast<float>(options.fpu_reduction)),
        root_fpu_reduction_(static_cast<float>(options.root_fpu_reduction)) {
    for (std::uint32_t visits = 0; visits < kTabled; ++visits) {
      exploration_[visits] = ComputeExploration(visits);
    }
  }

  // The place, in 0 .. node.opened, of the edge to follow; ties go to the lower place.
  // `node_value`: the node's mean value for its player to move. The node is evaluated and has
  // edges.
  int Select(const Node& node, const Edge* edges, float node_value, bool is_root) const {
    const float exploration =
        node.visits < kTabled ? exploration_[node.visits] : ComputeExploration(node.visits);
    int best = 0;
    float best_score = -std::numeric_limits<float>::infinity();
    for (int k = 0; k < node.opened; ++k) {
      const float score =
          edges[k].value + exploration * edges[k].prior / static_cast<float>(1 + edges[k].visits);
      if (score > best_score) {
        best_score = score;
        best = k;
      }
    }
    if (node.opened < node.edge_count) {
      const float reduction = is_root ? root_fpu_reduction_ : fpu_reduction_;
      const float unvisited = node_value - reduction * std::sqrt(node.opened_prior);
      if (unvisited + exploration * edges[node.opened].prior > best_score) best = node.opened;
    }
    return best;
  }

 private:
  static constexpr std::uint32_t kTabled = 256;

  // What prior / (1 + visits of the edge) is multiplied with.
  float ComputeExploration(std::uint32_t node_visits) const {
    const auto visits = static_cast<float>(node_visits);
    const float growth = std::log1p((1 + visits) * inverse_base_);
    return (cpuct_ + growth) * std::sqrt(visits);
  }

  float cpuct_;
  float inverse_base_;
  float fpu_reduction_;
  float root_fpu_reduction_;
  // By the node's visits. Most nodes have few, and a logarithm for each took a tenth of a search.
  std::array<float, kTabled> exploration_;
};

}  // namespace qirkat
