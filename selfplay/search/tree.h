// The tree of one search, or graph if equal positions share a node: nodes and edges in two arrays,
// addressed by 32-bit indices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/types.h"
#include "selfplay/search/bounds.h"
#include "selfplay/search/transpositions.h"

namespace qirkat {

// An action out of a node. What selection reads lies here, side by side; the values themselves live
// in the child node, so that nodes can be shared by several edges.
struct Edge {
  float prior = 0;                // of the policy; sums to 1 over a node's edges
  float value = 0;                // child's mean for the player to move at the parent, in [-1, 1]
  std::uint32_t visits = 0;       // through this edge
  NodeIndex child = kNoNode;      // kNoNode until the edge is opened
  Action action = 0;              // absolute
  std::uint16_t legal_index = 0;  // place in the position's list of legal actions; breaks ties
  std::uint16_t held = 0;         // descents under way through it (Search::HoldLeaf)
  Bounds bounds = {};             // the child's, as last seen, for the player to move at the parent
};
static_assert(sizeof(Edge) == 24);

// What leaves are worth, for player 0 whoever is to move.
struct LeafValue {
  float win = 0, loss = 0;  // probabilities that player 0 wins, that player 1 wins
  float score = 0;          // final, the game's unit
  float moves_left = 0;     // plies to the end
};

// Sums of such values over visits. They are doubles: a float stops counting at 2^24 visits.
struct ValueSums {
  double win = 0, loss = 0, score = 0, moves_left = 0;
  double square = 0;  // of win - loss of each visit

  ValueSums() = default;
  explicit ValueSums(const LeafValue& value)
      : win(value.win),
        loss(value.loss),
        score(value.score),
        moves_left(value.moves_left),
        square((win - loss) * (win - loss)) {}
  // Adds `weight` times the other sums.
  void Add(const ValueSums& other, double weight = 1) {
    win += weight * other.win;
    loss += weight * other.loss;
    score += weight * other.score;
    moves_left += weight * other.moves_left;
    square += weight * other.square;
  }
};

// A position.
struct Node {
  ValueSums sums;                // over all visits, its own evaluation included
  LeafValue own;                 // the evaluation of the position itself
  std::uint32_t visits = 0;      // 0: waits for its first evaluation; else 1 + those of the edges,
                                 // or any number where the result is proven
  std::uint32_t first_edge = 0;  // in Tree's array of edges
  float opened_prior = 0;        // sum of the opened edges' priors
  std::uint16_t edge_count = 0;  // legal actions; 0: the result is known, none is looked at
  std::uint16_t opened = 0;      // edges [0, opened) have a child, the others have none
  std::uint16_t held = 0;        // descents under way that reached it
  Player to_move = 0;
  Bounds bounds = {};  // of the result, for player 0

  bool proven() const { return bounds.exact(); }
};
static_assert(sizeof(Node) == 80);

// Edges [0, opened) of a node have a child, and edge `opened` has the highest prior of the others
// (ties: lower legal_index). All edges without a child have the same value, so no other of them can
// be selected by value and prior, and selection looks at opened + 1 edges only.
//
// Memory: a visit adds at most one node and its edges. Capacity is kept for the next tree, and
// never more than twice the largest tree is reserved, nor more than the byte limit.
class Tree {
 public:
  // `merges`: nodes are found again by key. `byte_limit` on nodes and edges in use.
  Tree(bool merges, std::size_t byte_limit) : merges_(merges), byte_limit_(byte_limit) {}

  // Forgets all nodes; keeps the memory.
  void Clear() {
    nodes_.clear();
    edges_.clear();
    keys_.clear();
    by_key_.Clear();
    root_ = 0;
  }

  // Whether a node with so many edges fits into the byte limit.
  bool HasRoom(int edge_count) const {
    if (nodes_.size() + 1 >= kNoNode || edges_.size() + edge_count >= kNoNode) return false;
    return used_bytes() + kNodeBytes + static_cast<std::size_t>(edge_count) * sizeof(Edge) <=
           byte_limit_;
  }

  // Adds a node with its edges' actions, `legal[k]` for each k; priors follow when the evaluator
  // answers (SetPriors). `key` is read if the tree merges. References to nodes and edges end here.
  template <class Legal>
  NodeIndex AddNode(Player to_move, const Legal& legal, int edge_count, const Key128& key) {
    const std::size_t first_edge = edges_.size();
    QIRKAT_CHECK(first_edge + edge_count < kNoNode && nodes_.size() < kNoNode, first_edge,
                 nodes_.size());
    Reserve(nodes_, nodes_.size() + 1);
    Reserve(edges_, first_edge + edge_count);
    edges_.resize(first_edge + edge_count);
    for (int k = 0; k < edge_count; ++k) {
      edges_[first_edge + k].action = legal[k];
      edges_[first_edge + k].legal_index = static_cast<std::uint16_t>(k);
    }
    const auto index = static_cast<NodeIndex>(nodes_.size());
    Node& node = nodes_.emplace_back();
    node.first_edge = static_cast<std::uint32_t>(first_edge);
    node.edge_count = static_cast<std::uint16_t>(edge_count);
    node.to_move = to_move;
    if (merges_) {
      keys_.push_back(key);
      by_key_.Insert(key, index);
    }
    return index;
  }

  // The node of this key, kNoNode if there is none. The tree merges.
  NodeIndex Find(const Key128& key) const { return by_key_.Find(key, keys_); }

  bool merges() const { return merges_; }
  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }
  Node& operator[](NodeIndex index) { return nodes_[index]; }
  const Node& operator[](NodeIndex index) const { return nodes_[index]; }
  NodeIndex root_index() const { return root_; }
  Node& root() { return nodes_[root_]; }
  const Node& root() const { return nodes_[root_]; }
  Edge& edge(std::uint32_t index) { return edges_[index]; }
  const Edge& edge(std::uint32_t index) const { return edges_[index]; }
  Edge* edges(const Node& node) { return edges_.data() + node.first_edge; }
  const Edge* edges(const Node& node) const { return edges_.data() + node.first_edge; }

  // Gives edge `k` >= node.opened its child and puts it behind the opened ones. Returns its new
  // place.
  int Open(Node& node, int k, NodeIndex child) {
    Edge* const list = edges(node);
    std::swap(list[k], list[node.opened]);
    Edge& edge = list[node.opened];
    edge.child = child;
    node.opened_prior += edge.prior;
    ++node.opened;
    BringBestForward(node);
    return node.opened - 1;
  }

  // Gives the edges, opened or not, new priors: prior[legal_index].
  void SetPriors(Node& node, std::span<const float> priors) {
    Edge* const list = edges(node);
    node.opened_prior = 0;
    for (int k = 0; k < node.edge_count; ++k) {
      list[k].prior = priors[list[k].legal_index];
      if (k < node.opened) node.opened_prior += list[k].prior;
    }
    BringBestForward(node);
  }

  // Makes `root` the root and drops all nodes that it does not lead to.
  void KeepSubtree(NodeIndex root);

  // Of the nodes and edges there are.
  std::size_t used_bytes() const {
    return nodes_.size() * kNodeBytes + edges_.size() * sizeof(Edge) +
           (merges_ ? keys_.size() * sizeof(Key128) + by_key_.bytes() : 0);
  }
  // Reserved for nodes, edges, finding and moving them.
  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge) +
           keys_.capacity() * sizeof(Key128) + by_key_.bytes() +
           (moved_to_.capacity() + stack_.capacity()) * sizeof(NodeIndex);
  }

 private:
  // With its place in what KeepSubtree needs.
  static constexpr std::size_t kNodeBytes = sizeof(Node) + 2 * sizeof(NodeIndex);

  // Doubles the capacity, but takes no more than half of the room that is left.
  template <class T>
  void Reserve(std::vector<T>& items, std::size_t count) {
    if (count <= items.capacity()) return;
    const std::size_t used = used_bytes();
    const std::size_t spare = byte_limit_ > used ? (byte_limit_ - used) / 2 / sizeof(T) : 0;
    items.reserve(std::max(count, std::min(2 * items.capacity(), count + spare)));
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

  bool merges_;
  std::size_t byte_limit_;
  NodeIndex root_ = 0;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Key128> keys_;  // [nodes] if the tree merges
  Transpositions by_key_;
  std::vector<NodeIndex> moved_to_, stack_;  // scratch of KeepSubtree
};

}  // namespace qirkat
