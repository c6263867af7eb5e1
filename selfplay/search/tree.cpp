#include "selfplay/search/tree.h"

namespace qirkat {

void Tree::KeepSubtree(NodeIndex root) {
  constexpr NodeIndex kStays = kNoNode - 1;
  moved_to_.assign(nodes_.size(), kNoNode);
  moved_to_[root] = kStays;
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const Node& node = nodes_[stack_.back()];
    stack_.pop_back();
    for (int k = 0; k < node.opened; ++k) {
      const NodeIndex child = edges(node)[k].child;
      if (moved_to_[child] == kStays) continue;
      moved_to_[child] = kStays;
      stack_.push_back(child);
    }
  }
  NodeIndex count = 0;
  for (NodeIndex& place : moved_to_) {
    if (place == kStays) place = count++;
  }
  // Nodes and their edges stand in the same order, so that both can move forwards in place.
  by_key_.Clear();
  std::uint32_t next_edge = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (moved_to_[i] == kNoNode) continue;
    Node node = nodes_[i];
    Edge* const from = edges(node);
    for (int k = 0; k < node.opened; ++k) from[k].child = moved_to_[from[k].child];
    std::copy(from, from + node.edge_count, edges_.begin() + next_edge);
    node.first_edge = next_edge;
    next_edge += node.edge_count;
    nodes_[moved_to_[i]] = node;
    if (merges_) {
      keys_[moved_to_[i]] = keys_[i];
      by_key_.Insert(keys_[i], moved_to_[i]);
    }
  }
  root_ = moved_to_[root];
  nodes_.resize(count);
  edges_.resize(next_edge);
  if (merges_) keys_.resize(count);
}

}  // namespace qirkat
