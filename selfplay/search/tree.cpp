#include "selfplay/search/tree.h"

namespace qirkat {

void Tree::KeepSubtree(NodeIndex root) {
  // A node's parents stand before it, so that one pass forwards knows who stays.
  constexpr NodeIndex kStays = kNoNode - 1;
  moved_to_.assign(nodes_.size(), kNoNode);
  moved_to_[root] = kStays;
  NodeIndex count = 0;
  for (std::size_t i = root; i < nodes_.size(); ++i) {
    if (moved_to_[i] == kNoNode) continue;
    moved_to_[i] = count++;
    const Edge* const from = edges(nodes_[i]);
    for (int k = 0; k < nodes_[i].opened; ++k) moved_to_[from[k].child] = kStays;
  }
  std::uint32_t next_edge = 0;
  for (std::size_t i = root; i < nodes_.size(); ++i) {
    if (moved_to_[i] == kNoNode) continue;
    Node node = nodes_[i];
    Edge* const from = edges(node);
    for (int k = 0; k < node.opened; ++k) from[k].child = moved_to_[from[k].child];
    std::copy(from, from + node.edge_count, edges_.begin() + next_edge);
    node.first_edge = next_edge;
    next_edge += node.edge_count;
    nodes_[moved_to_[i]] = node;
  }
  nodes_.resize(count);
  edges_.resize(next_edge);
}

}  // namespace qirkat
