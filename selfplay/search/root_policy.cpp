#include "selfplay/search/root_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qirkat {

void RootPolicy::Begin(Tree& tree, std::uint32_t visits, RandomStream* noise) {
  Node& root = tree.root();
  const Edge* const edges = tree.edges(root);
  if (!begun()) {
    net_priors_.resize(root.edge_count);
    for (int k = 0; k < root.edge_count; ++k) net_priors_[edges[k].legal_index] = edges[k].prior;
  }
  clean_priors_ = priors_ = net_priors_;
  if (is_gumbel_) {
    gumbel_.Begin(root, edges, net_priors_, visits, noise);
  } else {
    prior_.Temper(net_priors_, clean_priors_);
    priors_ = clean_priors_;
    if (noise != nullptr) prior_.AddNoise(priors_, *noise);
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
// have none, unless all lose.
void RootPolicy::SetWeights(const Tree& tree, const Puct& puct, const Backup& backup,
                            RootResult& result) const {
  const Node& root = tree.root();
  const Edge* const edges = tree.edges(root);
  const Bounds bounds = root.bounds.For(root.to_move);
  std::vector<double> weights(root.edge_count);
  if (is_gumbel_) {
    const float own_value = backup.OwnValue(root, root.to_move);
    gumbel_.Policy(root, edges, own_value, weights);
    result.choice = edges[gumbel_.Choose(root, edges, own_value)].action;
  } else {
    SetVisitWeights(root, edges, puct, weights);
  }
  double sum = 0;
  for (int k = 0; k < root.edge_count; ++k) {
    double& weight = weights[edges[k].legal_index];
    if (IsInferior(edges[k].bounds, bounds)) weight = 0;
    sum += weight;
  }
  for (int k = 0; k < root.edge_count; ++k) {
    RootResult::Edge& edge = result.edges[edges[k].legal_index];
    edge.weight = weights[edges[k].legal_index];
    // Nothing that counts was visited: priors stand in, and one may be as small as 0.
    if (sum > 0 || IsInferior(edges[k].bounds, bounds)) continue;
    edge.weight = std::max(edge.prior, std::numeric_limits<float>::min());
  }
}

// No visit goes to an action once it is proven (a draw, say): those of actions that look worse
// count for it.
void RootPolicy::SetVisitWeights(const Node& root, const Edge* edges, const Puct& puct,
                                 std::span<double> weights) const {
  const Bounds bounds = root.bounds.For(root.to_move);
  const Edge* most = nullptr;
  const Edge* proven = nullptr;
  for (const Edge* edge = edges; edge < edges + root.edge_count; ++edge) {
    if (IsInferior(edge->bounds, bounds)) continue;
    if (most == nullptr || edge->visits > most->visits) most = edge;
    if (!edge->bounds.exact()) continue;
    if (proven == nullptr || edge->prior > proven->prior) proven = edge;
  }
  for (const Edge* edge = edges; edge < edges + root.edge_count; ++edge) {
    const bool looks_worse = proven != nullptr && edge->value < proven->value;
    weights[(looks_worse ? proven : edge)->legal_index] +=
        forces_ ? forced_.Prune(root, *edge, *most, puct) : edge->visits;
  }
}

}  // namespace qirkat
