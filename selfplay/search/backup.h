// What a visit changes in the nodes above it.
#pragma once

#include <cmath>
#include <span>

#include "envs/core/types.h"
#include "selfplay/search/options.h"
#include "selfplay/search/tree.h"

namespace qirkat {

inline LeafValue ExactValue(const Outcome& outcome) {
  return {outcome.result > 0 ? 1.0f : 0.0f, outcome.result < 0 ? 1.0f : 0.0f,
          static_cast<float>(outcome.score), 0.0f};
}

// A descent stood at this node and followed this edge (index in the tree).
struct Step {
  NodeIndex node;
  std::uint32_t edge;
};

// A node's value is the mean of its visits' values, within the bounds of what is proven. Sides are
// told apart by the player to move, never by depth: a player may move twice in a row.
//
// In a tree a visit adds its leaf's value to every node of its path. Where nodes are shared, each
// node of the path becomes the mean of its own value and its children's as they are now, weighted
// by the visits of the edges (Monte-Carlo graph search as in KataGo): a child may have learned by
// another way.
//
// Proven results travel up (MCTS-Solver, Winands et al. 2008, with the bounds of Cazenave and
// Saffidine 2011): for its player to move a position is at least as good as its best action for
// sure, and at most as good as its best action can be. A node of which something is proven is
// summed up anew, too, so that its mean keeps within its bounds and the nodes above count what is
// proven as if it had always been known.
class Backup {
 public:
  // `squares` of the board set the scale of a score.
  Backup(const SearchOptions& options, int squares);

  // The first visit of a node, the last of `path` or the root if that is empty. `bounds`: of the
  // result, exact where the rules know it.
  void FirstVisit(Tree& tree, std::span<const Step> path, NodeIndex leaf, const LeafValue& value,
                  const Bounds& bounds) const;
  // Another visit of a proven node, which needs no evaluation.
  void VisitProven(Tree& tree, std::span<const Step> path, NodeIndex proven) const;
  // A visit that ends behind the last edge of `path` because the node there has been visited more
  // often than this edge. Only where nodes are shared.
  void VisitShared(Tree& tree, std::span<const Step> path) const {
    AddVisit(tree, path, ValueSums());
  }

  // Of a visited node.
  static LeafValue Mean(const Node& node);
  // The mean value of a visited node that `player` maximizes, in [-1, 1]: win - loss, with a share
  // of the score as KataGo bends it, 2/π atan(score / (2 √squares)) (Wu 2019).
  float Value(const Node& node, Player player) const;
  // The same of the node's own evaluation.
  float OwnValue(const Node& node, Player player) const;

 private:
  // Adds a visit to every node of the path; `change` is what happened to the sums of the last one.
  void AddVisit(Tree& tree, std::span<const Step> path, ValueSums change) const;
  // Sets an opened edge's value and bounds to what its child says now. Returns whether the bounds
  // changed.
  bool Refresh(const Tree& tree, const Node& node, Edge& edge) const;
  float Bend(double difference, double score, Player player) const;

  bool solve_;
  float score_weight_;
  double inverse_score_scale_;
};

}  // namespace qirkat
