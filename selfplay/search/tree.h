// The tree of one search: nodes and edges in two arrays, addressed by 32-bit indices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/types.h"

namespace qirkat {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xFFFFFFFF;

// An action out of a node. What selection reads lies here, side by side; the values themselves live
// in the child node, so that nodes can be shared by several edges.
struct Edge {
  float prior = 0;                // of the policy; sums to 1 over a node's edges
  float value = 0;                // child's mean for the player to move at the parent, in [-1, 1]
  std::uint32_t visits = 0;       // through this edge
  NodeIndex child = kNoNode;      // kNoNode until the edge is opened
  Action action = 0;              // absolute
  std::uint16_t legal_index = 0;  // place in the position's list of legal actions; breaks ties
};
static_assert(sizeof(Edge) == 20);

// A position. Sums are for player 0, over all visits, the node's own evaluation included. They are
// doubles: a float stops counting at 2^24 visits.
struct Node {
  double win = 0;                // of the probability that player 0 wins
  double loss = 0;               // of the probability that player 1 wins
  double score = 0;              // of the expected final score, the game's unit
  double moves_left = 0;         // of the expected plies to the end
  std::uint32_t visits = 0;      // 0: waits for its first evaluation
  std::uint32_t first_edge = 0;  // in Tree's array of edges
  float opened_prior = 0;        // sum of the opened edges' priors
  std::uint16_t edge_count = 0;  // legal actions; 0: the game is over
  std::uint16_t opened = 0;      // edges [0, opened) have a child, the others have none
  Player to_move = 0;

  bool terminal() const { return edge_count == 0; }
};
static_assert(sizeof(Node) == 56);

// Two invariants make selection short:
// - edges [0, opened) of a node have a child, and edge `opened` has the highest prior of the others
//   (ties: lower legal_index). All edges without a child have the same value, so no other of them
//   can be selected, and selection looks at opened + 1 edges only.
// - a child, and its edges, stand behind its parent's: KeepSubtree moves everything forwards in
// place. Memory: each visit adds at most one node and its edges, so a tree of n visits has at most
// n + 1 nodes. Capacity is kept for the next tree, and never more than twice the largest tree is
// reserved.
class Tree {
 public:
  // Forgets all nodes; keeps the memory.
  void Clear() {
    nodes_.clear();
    edges_.clear();
  }

  // Adds a node with room for its edges, which the search fills when the evaluator answers.
  // References to nodes and edges end here.
  NodeIndex AddNode(Player to_move, int edge_count) {
    const std::size_t first_edge = edges_.size();
    QIRKAT_CHECK(first_edge + edge_count < kNoNode && nodes_.size() < kNoNode, first_edge,
                 nodes_.size());
    edges_.resize(first_edge + edge_count);
    Node& node = nodes_.emplace_back();
    node.first_edge = static_cast<std::uint32_t>(first_edge);
    node.edge_count = static_cast<std::uint16_t>(edge_count);
    node.to_move = to_move;
    return static_cast<NodeIndex>(nodes_.size() - 1);
  }

  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }
  Node& operator[](NodeIndex index) { return nodes_[index]; }
  const Node& operator[](NodeIndex index) const { return nodes_[index]; }
  const Node& root() const { return nodes_[0]; }
  Edge& edge(std::uint32_t index) { return edges_[index]; }
  Edge* edges(const Node& node) { return edges_.data() + node.first_edge; }
  const Edge* edges(const Node& node) const { return edges_.data() + node.first_edge; }

  // Gives edge `node.opened`, the best without a child, its child.
  void Open(Node& node, NodeIndex child) {
    Edge& edge = edges(node)[node.opened];
    edge.child = child;
    node.opened_prior += edge.prior;
    ++node.opened;
    BringBestForward(node);
  }

  // Puts the edge with the highest prior of those without a child at place node.opened.
  void BringBestForward(const Node& node) {
    Edge* const begin = edges(node) + node.opened;
    Edge* const end = edges(node) + node.edge_count;
    if (begin == end) return;
    Edge* best = begin;
    for (Edge* edge = begin + 1; edge < end; ++edge) {
      const bool better = edge->prior > best->prior ||
                          (edge->prior == best->prior && edge->legal_index < best->legal_index);
      best = better ? edge : best;
    }
    if (best != begin) std::swap(*best, *begin);
  }

  // Makes `root` the first node and drops all nodes that it does not lead to.
  void KeepSubtree(NodeIndex root);

  // Reserved for nodes, edges and moving them.
  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge) +
           moved_to_.capacity() * sizeof(NodeIndex);
  }

 private:
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<NodeIndex> moved_to_;  // scratch of KeepSubtree
};

}  // namespace qirkat
