// Looks at every node of a search's tree with its position, found by replaying the way to it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "selfplay/search/mcts.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {

// Calls visit(index, line at the node) once for every node that the root leads to, each after a
// parent of it. Returns how many there are.
template <Game G, class Visit>
std::size_t WalkTree(const Search<G>& search, const Visit& visit) {
  const Tree& tree = search.tree();
  Line<G> line = search.line();
  std::set<NodeIndex> seen;
  const auto walk = [&](const auto& self, NodeIndex index) -> void {
    if (!seen.insert(index).second) return;
    visit(index, line);
    const Node& node = tree[index];
    for (int k = 0; k < node.opened; ++k) {
      const Edge& edge = tree.edges(node)[k];
      line.Push(edge.action);
      self(self, edge.child);
      line.Pop();
    }
  };
  walk(walk, tree.root_index());
  return seen.size();
}

// Every promise about an edge that a descent reads.
inline void CheckEdge(const Tree& tree, const Node& node, int k) {
  const Edge& edge = tree.edges(node)[k];
  EXPECT_LE(std::abs(edge.value), 1);
  EXPECT_LE(edge.bounds.lower, edge.bounds.upper);
  EXPECT_EQ(edge.held, 0);
  EXPECT_EQ(edge.child != kNoNode, k < node.opened);
  if (k >= node.opened) {
    EXPECT_EQ(edge.visits, 0u);
    EXPECT_LE(edge.prior, tree.edges(node)[node.opened].prior);
    return;
  }
  // A shared node has visits through other edges too.
  EXPECT_LE(edge.visits, tree[edge.child].visits);
  EXPECT_TRUE(tree.merges() || edge.visits == tree[edge.child].visits);
  const Bounds seen = edge.bounds.For(node.to_move), now = tree[edge.child].bounds;
  EXPECT_LE(seen.lower, now.lower) << "an edge knows more than its child";
  EXPECT_GE(seen.upper, now.upper) << "an edge knows more than its child";
}

// Every promise of a node that is not held, at its position.
template <Game G>
void CheckNode(const Tree& tree, NodeIndex index, const Line<G>& line) {
  const Node& node = tree[index];
  EXPECT_EQ(node.to_move, line.to_move());
  EXPECT_EQ(node.held, 0);
  EXPECT_GE(node.visits, 1u);
  EXPECT_LE(node.sums.win + node.sums.loss, node.visits * (1 + 1e-6));
  EXPECT_GE(std::min(node.sums.win, node.sums.loss), 0);
  if (node.proven()) {
    EXPECT_NEAR((node.sums.win - node.sums.loss) / node.visits, node.bounds.lower, 1e-6);
  }
  if (line.over()) {
    EXPECT_EQ(node.bounds, Bounds::Exactly(line.outcome().result));
    return;
  }
  std::uint64_t below = 0;
  double prior = 0, opened_prior = 0;
  for (int k = 0; k < node.edge_count; ++k) {
    const Edge& edge = tree.edges(node)[k];
    CheckEdge(tree, node, k);
    below += edge.visits;
    prior += edge.prior;
    if (k < node.opened) opened_prior += edge.prior;
    EXPECT_EQ(edge.action, line.legal()[edge.legal_index]);
  }
  EXPECT_TRUE(node.proven() || node.visits == below + 1) << node.visits << ' ' << below;
  if (node.edge_count == 0) return;  // solved when it was reached
  EXPECT_EQ(node.edge_count, line.legal().size());
  EXPECT_NEAR(prior, 1, 1e-5);
  EXPECT_NEAR(opened_prior, node.opened_prior, 1e-5);
}

// The same of every node, and that none of them is lost.
template <Game G>
void CheckTree(const Search<G>& search) {
  const std::size_t reached = WalkTree(
      search, [&](NodeIndex index, const Line<G>& line) { CheckNode(search.tree(), index, line); });
  EXPECT_EQ(reached, search.tree().size());
}

// That what is proven is true. Returns how many nodes that are not over are proven.
template <Game G>
int CheckProofs(const Search<G>& search) {
  int proven = 0;
  WalkTree(search, [&](NodeIndex index, const Line<G>& line) {
    const Node& node = search.tree()[index];
    proven += node.proven() && !line.over();
    if (node.bounds == Bounds{}) return;
    Line<G> copy = line;
    const int truth = Solve(copy);
    EXPECT_LE(node.bounds.lower, truth);
    EXPECT_GE(node.bounds.upper, truth);
  });
  return proven;
}

}  // namespace qirkat
