// Forced playouts and policy target pruning (KataGo; Wu 2019): in a search with noise every action
// of the root that is tried at all gets enough visits to show what it is worth, and what these
// visits add is taken out of the policy target again.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "selfplay/search/puct.h"
#include "selfplay/search/tree.h"

namespace qirkat {

class ForcedPlayouts {
 public:
  explicit ForcedPlayouts(const SearchOptions& options) : factor_(options.forced_playouts) {}

  bool on() const { return factor_ > 0; }

  // The first edge that has visits, but fewer than it must: √(factor × prior × visits of all).
  std::optional<int> Select(const Node& root, const Edge* edges) const {
    const Bounds bounds = root.bounds.For(root.to_move);
    const double visits = root.visits - 1 + root.held;
    for (int k = 0; k < root.opened; ++k) {
      const double count = WithHeld(edges[k]).visits;
      if (count > 0 && count < Forced(edges[k], visits) && !IsSettled(edges[k].bounds, bounds)) {
        return k;
      }
    }
    return std::nullopt;
  }

  // What remains of the visits of `edge` for the policy target: as many of its forced visits are
  // taken away as leave its PUCT score at most that of the edge with the most visits, `best`; a
  // single visit that remains goes too.
  double Prune(const Node& root, const Edge& edge, const Edge& best, const Puct& puct) const {
    if (&edge == &best || edge.visits == 0) return edge.visits;
    const double exploration = puct.Exploration(root);
    const double gap = best.value + exploration * best.prior / (1.0 + best.visits) - edge.value;
    if (gap <= 0) return edge.visits;
    const double enough = std::ceil(exploration * edge.prior / gap - 1);
    const double forced = std::floor(Forced(edge, root.visits - 1));
    const double left = std::min<double>(std::max(edge.visits - forced, enough), edge.visits);
    return left > 1 ? left : 0;
  }

 private:
  double Forced(const Edge& edge, double visits) const {
    return std::sqrt(factor_ * edge.prior * visits);
  }

  double factor_;
};

}  // namespace qirkat
