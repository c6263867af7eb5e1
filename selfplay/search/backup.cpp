#include "selfplay/search/backup.h"

#include <algorithm>
#include <numbers>

namespace qirkat {
namespace {

// The edge that proves a node's result: the fastest win, the slowest loss, or any draw.
const Edge& ProvingEdge(const Tree& tree, const Node& node) {
  const Edge* const edges = tree.edges(node);
  const std::int8_t result = node.bounds.For(node.to_move).lower;
  const Edge* best = nullptr;
  double best_moves = 0;
  for (int k = 0; k < node.opened; ++k) {
    if (edges[k].bounds != Bounds::Exactly(result)) continue;
    const Node& child = tree[edges[k].child];
    const double moves = -result * child.sums.moves_left / child.visits;
    if (best != nullptr && moves <= best_moves) continue;
    best = &edges[k];
    best_moves = moves;
  }
  QIRKAT_CHECK(best != nullptr, int{result});
  return *best;
}

// The sums that a proven node has if all its visits follow the edge that proves it.
ValueSums ExactSums(const Tree& tree, const Node& node) {
  const Node& child = tree[ProvingEdge(tree, node).child];
  const double visits = node.visits;
  ValueSums sums;
  sums.Add(child.sums, visits / child.visits);
  sums.moves_left += visits;
  return sums;
}

// A node's sums from its own value and its children's means, with the mean of win - loss within the
// bounds: what lies outside counts as drawn, because the player to move would turn to the action
// that is proven.
ValueSums SumUp(const Tree& tree, const Node& node) {
  ValueSums sums(node.own);
  const Edge* const edges = tree.edges(node);
  for (int k = 0; k < node.opened; ++k) {
    if (edges[k].visits == 0) continue;
    const Node& child = tree[edges[k].child];
    const double visits = edges[k].visits;
    sums.Add(child.sums, visits / child.visits);
    sums.moves_left += visits;
  }
  const double difference = sums.win - sums.loss;
  const bool outside =
      (node.bounds.lower == 0 && difference < 0) || (node.bounds.upper == 0 && difference > 0);
  if (outside) {
    (difference < 0 ? sums.loss : sums.win) -= std::abs(difference);
    sums.square -= difference * difference / node.visits;  // the variance stays
  }
  return sums;
}

// Sets the node's bounds to what its edges say.
void Tighten(const Tree& tree, Node& node) {
  const Edge* const edges = tree.edges(node);
  const std::int8_t unknown = 1;
  Bounds bounds = {-1, node.opened < node.edge_count ? unknown : std::int8_t{-1}};
  for (int k = 0; k < node.opened; ++k) {
    bounds.lower = std::max(bounds.lower, edges[k].bounds.lower);
    bounds.upper = std::max(bounds.upper, edges[k].bounds.upper);
  }
  node.bounds = bounds.For(node.to_move);
}

}  // namespace

Backup::Backup(const SearchOptions& options, int squares)
    : solve_(options.solve),
      score_weight_(static_cast<float>(options.score_weight)),
      inverse_score_scale_(1 / (2 * std::sqrt(static_cast<double>(squares)))) {}

void Backup::FirstVisit(Tree& tree, std::span<const Step> path, NodeIndex leaf,
                        const LeafValue& value, const Bounds& bounds) const {
  Node& node = tree[leaf];
  node.own = value;
  node.sums = ValueSums(value);
  node.visits = 1;
  node.bounds = bounds;
  AddVisit(tree, path, node.sums);
}

void Backup::VisitProven(Tree& tree, std::span<const Step> path, NodeIndex proven) const {
  Node& node = tree[proven];
  ValueSums change;
  change.Add(node.sums, 1.0 / node.visits);
  node.sums.Add(change);
  ++node.visits;
  AddVisit(tree, path, change);
}

void Backup::AddVisit(Tree& tree, std::span<const Step> path, ValueSums change) const {
  for (std::size_t i = path.size(); i-- > 0;) {
    Edge& edge = tree.edge(path[i].edge);
    Node& node = tree[path[i].node];
    ++edge.visits;
    ++node.visits;
    if (tree.merges()) {
      // Every child may have changed by another way.
      Edge* const edges = tree.edges(node);
      bool tighter = false;
      for (int k = 0; k < node.opened; ++k) tighter |= Refresh(tree, node, edges[k]);
      if (tighter) Tighten(tree, node);
    } else if (Refresh(tree, node, edge)) {
      Tighten(tree, node);
    }
    if (tree.merges() || node.bounds != Bounds()) {
      const ValueSums before = node.sums;
      node.sums = node.proven() ? ExactSums(tree, node) : SumUp(tree, node);
      change = node.sums;
      change.Add(before, -1);
    } else {
      change.moves_left += 1;
      node.sums.Add(change);
    }
  }
}

bool Backup::Refresh(const Tree& tree, const Node& node, Edge& edge) const {
  const Node& child = tree[edge.child];
  if (child.visits == 0) return false;
  edge.value = Value(child, node.to_move);
  const Bounds bounds = child.bounds.For(node.to_move);
  if (!solve_ || edge.bounds == bounds) return false;
  edge.bounds = bounds;
  return true;
}

LeafValue Backup::Mean(const Node& node) {
  const double scale = 1.0 / node.visits;
  return {static_cast<float>(node.sums.win * scale), static_cast<float>(node.sums.loss * scale),
          static_cast<float>(node.sums.score * scale),
          static_cast<float>(node.sums.moves_left * scale)};
}

float Backup::Value(const Node& node, Player player) const {
  return Bend((node.sums.win - node.sums.loss) / node.visits, node.sums.score / node.visits,
              player);
}

float Backup::OwnValue(const Node& node, Player player) const {
  return Bend(node.own.win - node.own.loss, node.own.score, player);
}

float Backup::Bend(double difference, double score, Player player) const {
  auto value = static_cast<float>(difference);
  if (score_weight_ > 0) {
    const auto bent =
        static_cast<float>(2 / std::numbers::pi * std::atan(score * inverse_score_scale_));
    value += score_weight_ * (bent - value);
  }
  return player == 0 ? value : -value;
}

}  // namespace qirkat
