#include "selfplay/search/root_policy.h"

#include <algorithm>
#include <cmath>

namespace qirkat {

void RootPolicy::Begin(Tree& tree, std::uint32_t visits, RandomStream* noise) {
  Node& root = tree.root();
  const Edge* const edges = tree.edges(root);
  if (!begun()) {
    net_priors_.resize(root.edge_count);
    for (int k = 0; k < root.edge_count; ++k) net_priors_[edges[k].legal_index] = edges[k].prior;
  }
  clean_priors_.resize(root.edge_count);
  prior_.Temper(net_priors_, clean_priors_);
  priors_ = clean_priors_;
  if (is_gumbel_) {
    gumbel_.Begin(root, edges, clean_priors_, visits, noise);
  } else if (noise != nullptr) {
    prior_.AddNoise(priors_, *noise);
  }
  forces_ = forced_.on() && noise != nullptr && !is_gumbel_;
  tree.SetPriors(root, priors_);
}

int RootPolicy::Select(const Tree& tree, const Puct& puct, const Backup& backup) const {
  const Node& root = tree.root();
  const Edge* const edges = tree.edges(root);
  if (is_gumbel_) return gumbel_.Select(root, edges, backup.OwnValue(root, root.to_move));
  if (forces_) {
    if (const std::optional<int> forced = forced_.Select(root, edges)) return *forced;
  }
  return puct.Select(root, edges, backup.Value(root, root.to_move), true);
}

RootResult RootPolicy::Result(const Tree& tree, const Puct& puct, const Backup& backup) const {
  const Node& root = tree.root();
  RootResult result;
  result.edges.resize(root.edge_count);
  for (int k = 0; k < root.edge_count; ++k) {
    const Edge& edge = tree.edges(root)[k];
    RootResult::Edge& out = result.edges[edge.legal_index];
    out = {.action = edge.action,
           .prior = clean_priors_[edge.legal_index],
           .visits = edge.visits,
           .value = edge.value,
           .bounds = edge.bounds.For(root.to_move)};
    if (edge.visits == 0) continue;
    const Node& child = tree[edge.child];
    out.score = static_cast<float>(child.sums.score / child.visits);
    out.moves_left = static_cast<float>(child.sums.moves_left / child.visits + 1);
    const double mean = (child.sums.win - child.sums.loss) / child.visits;
    const double variance = child.sums.square / child.visits - mean * mean;
    out.stdev = static_cast<float>(std::sqrt(std::max(variance, 0.0)));
  }
  const LeafValue mean = Backup::Mean(root);
  result.to_move = root.to_move;
  result.visits = root.visits;
  result.wdl[0] = mean.win;
  result.wdl[1] = std::max(0.0f, 1 - mean.win - mean.loss);
  result.wdl[2] = mean.loss;
  result.score = mean.score;
  result.moves_left = mean.moves_left;
  result.bounds = root.bounds;
  SetWeights(tree, puct, backup, result);
  return result;
}

// Weights are visits, or Gumbel's improved policy. Actions that are proven to be worse than another
// have none, unless all lose. No visit goes to an action once it is proven (a draw, say); those of
// actions that look worse count for it.
void RootPolicy::SetWeights(const Tree& tree, const Puct& puct, const Backup& backup,
                            RootResult& result) const {
  const Node& root = tree.root();
  const Edge* const edges = tree.edges(root);
  const float own_value = backup.OwnValue(root, root.to_move);
  std::vector<double> weights(root.edge_count);
  if (is_gumbel_) {
    gumbel_.Policy(root, edges, own_value, weights);
    result.choice = edges[gumbel_.Choose(root, edges, own_value)].action;
  } else {
    const Edge* const best =
        std::max_element(edges, edges + root.edge_count,
                         [](const Edge& a, const Edge& b) { return a.visits < b.visits; });
    for (int k = 0; k < root.edge_count; ++k) {
      weights[edges[k].legal_index] =
          forces_ ? forced_.Prune(root, edges[k], *best, puct) : edges[k].visits;
    }
  }
  const Bounds bounds = root.bounds.For(root.to_move);
  const auto counts = [&](const RootResult::Edge& edge) {
    return !IsInferior(edge.bounds.For(root.to_move), bounds);
  };
  RootResult::Edge* proven = nullptr;
  for (RootResult::Edge& edge : result.edges) {
    const bool better = proven == nullptr || edge.prior > proven->prior;
    if (edge.bounds.exact() && counts(edge) && better) proven = &edge;
  }
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    RootResult::Edge& edge = result.edges[k];
    if (!counts(edge)) continue;
    sum += weights[k];
    const bool looks_worse = proven != nullptr && edge.value < proven->value && !is_gumbel_;
    (looks_worse ? *proven : edge).weight += weights[k];
  }
  if (sum > 0) return;
  for (RootResult::Edge& edge : result.edges) {
    if (counts(edge)) edge.weight = edge.prior;
  }
}

}  // namespace qirkat
