#include "selfplay/analysis/best_lines.h"

#include <algorithm>
#include <tuple>

#include "selfplay/search/backup.h"

namespace qirkat {
namespace {

std::optional<int> Proven(const Bounds& bounds, Player player) {
  if (!bounds.exact()) return std::nullopt;
  return bounds.For(player).lower;
}

// `win` and `loss` are player 0's.
std::array<float, 3> WdlFor(Player player, float win, float loss) {
  const float draw = std::max(0.0f, 1 - win - loss);
  return player == 0 ? std::array{win, draw, loss} : std::array{loss, draw, win};
}

// The visited edge of an action; null if there is none.
const Edge* FindEdge(const Tree& tree, const Node& node, Action action) {
  const Edge* const edges = tree.edges(node);
  for (int k = 0; k < node.opened; ++k) {
    if (edges[k].action == action && edges[k].visits > 0) return &edges[k];
  }
  return nullptr;
}

// The visited edge that looks best to the player to move: one that reaches what is proven of the
// node, then the most visited; null if there is none.
const Edge* BestEdge(const Tree& tree, const Node& node) {
  const Bounds bounds = node.bounds.For(node.to_move);
  const auto rank = [&](const Edge& edge) {
    const bool good = bounds.exact() ? edge.bounds.lower >= bounds.lower : edge.bounds.upper > -1;
    return std::tuple(good, edge.visits, edge.value, edge.prior);
  };
  const Edge* best = nullptr;
  const Edge* const edges = tree.edges(node);
  for (int k = 0; k < node.opened; ++k) {
    if (edges[k].visits == 0) continue;
    if (best == nullptr || rank(edges[k]) > rank(*best)) best = &edges[k];
  }
  return best;
}

}  // namespace

AnalysisResult BestActions(const RootResult& root, Action best, int lines) {
  AnalysisResult result;
  const float sign = root.to_move == 0 ? 1 : -1;
  result.visits = root.visits;
  result.wdl = WdlFor(root.to_move, root.wdl[0], root.wdl[2]);
  result.score = sign * root.score;
  result.moves_left = root.moves_left;
  result.proven = Proven(root.bounds, root.to_move);

  std::vector<const RootResult::Edge*> edges;
  double weights = 0;
  for (const RootResult::Edge& edge : root.edges) {
    edges.push_back(&edge);
    weights += edge.weight;
  }
  std::ranges::stable_sort(edges, [best](const RootResult::Edge* a, const RootResult::Edge* b) {
    const auto rank = [best](const RootResult::Edge& edge) {
      return std::tuple(edge.action == best, edge.weight, edge.visits, edge.value, edge.prior);
    };
    return rank(*a) > rank(*b);
  });
  edges.resize(std::min(edges.size(), static_cast<std::size_t>(lines)));
  for (const RootResult::Edge* edge : edges) {
    result.lines.push_back({.actions = {edge->action},
                            .visits = edge->visits,
                            .prior = edge->prior,
                            .share = static_cast<float>(edge->weight / weights),
                            .value = edge->value,
                            .score = sign * edge->score,
                            .moves_left = edge->moves_left,
                            .wdl = {},
                            .proven = Proven(edge->bounds, root.to_move)});
  }
  return result;
}

void FollowTree(const Tree& tree, int length, AnalysisLine& line) {
  const Node* node = &tree.root();
  const Edge* edge = FindEdge(tree, *node, line.actions.front());
  if (edge == nullptr) return;
  const LeafValue mean = Backup::Mean(tree[edge->child]);
  line.wdl = WdlFor(node->to_move, mean.win, mean.loss);
  // It ends: where nodes are shared, a position still is not its own descendant.
  while (static_cast<int>(line.actions.size()) < length) {
    node = &tree[edge->child];
    edge = BestEdge(tree, *node);
    if (edge == nullptr) return;
    line.actions.push_back(edge->action);
  }
}

}  // namespace qirkat
