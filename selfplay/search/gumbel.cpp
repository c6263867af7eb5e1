#include "selfplay/search/gumbel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "selfplay/search/puct.h"
#include "selfplay/search/softmax.h"

namespace qirkat {

std::uint32_t HalvingVisits(int actions, std::uint32_t visits, std::uint32_t i) {
  if (actions <= 1) return i;
  const auto rounds =
      static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(actions - 1)));
  std::uint32_t each_before = 0;
  for (auto left = static_cast<std::uint32_t>(actions);; left = std::max(2u, left / 2)) {
    const std::uint32_t each = std::max(1u, visits / (rounds * left));
    if (left == 2 || i < each * left) return each_before + i / left;
    i -= each * left;
    each_before += each;
  }
}

ImprovedPolicy::Scale ImprovedPolicy::ScaleOf(const Node& node, const Edge* edges) const {
  std::uint32_t most = 0;
  for (int k = 0; k < node.opened; ++k) most = std::max(most, edges[k].visits);
  Scale scale;
  scale.factor_ = (offset_ + static_cast<float>(most)) * scale_;
  return scale;
}

float ImprovedPolicy::MixedValue(const Node& node, const Edge* edges, float own_value) {
  double prior = 0, value = 0, visits = 0;
  for (int k = 0; k < node.opened; ++k) {
    if (edges[k].visits == 0) continue;
    prior += edges[k].prior;
    value += static_cast<double>(edges[k].prior) * edges[k].value;
    visits += edges[k].visits;
  }
  if (!(prior > 0)) return own_value;
  return static_cast<float>((own_value + visits * value / prior) / (1 + visits));
}

namespace {

// σ of the completed values of a node's edges.
class CompletedLogits {
 public:
  CompletedLogits(const ImprovedPolicy& improved, const Node& node, const Edge* edges,
                  float own_value)
      : scale_(improved.ScaleOf(node, edges)),
        unvisited_(scale_(ImprovedPolicy::MixedValue(node, edges, own_value))) {}
  float operator()(const Edge& edge) const {
    return edge.visits > 0 ? scale_(edge.value) : unvisited_;
  }
  float unvisited() const { return unvisited_; }

 private:
  ImprovedPolicy::Scale scale_;
  float unvisited_;
};

}  // namespace

int ImprovedPolicy::Select(const Node& node, const Edge* edges, float own_value) const {
  const CompletedLogits logit(*this, node, edges, own_value);
  float highest = logit.unvisited();
  for (int k = 0; k < node.opened; ++k) highest = std::max(highest, logit(edges[k]));
  const auto weight = [&](const Edge& edge) {
    return edge.prior * ExpNonPositive(logit(edge) - highest);
  };
  float sum = std::max(0.0f, 1 - node.opened_prior) * ExpNonPositive(logit.unvisited() - highest);
  for (int k = 0; k < node.opened; ++k) sum += weight(edges[k]);
  const float inverse_sum = 1 / std::max(sum, std::numeric_limits<float>::min());
  const float inverse_visits = 1 / static_cast<float>(node.visits + node.held);

  const Bounds bounds = node.bounds.For(node.to_move);
  int best = 0;
  float best_lack = -std::numeric_limits<float>::infinity();
  const int end = std::min<int>(node.opened + 1, node.edge_count);
  for (int k = 0; k < end; ++k) {
    const float lack = weight(edges[k]) * inverse_sum - WithHeld(edges[k]).visits * inverse_visits;
    if (lack > best_lack && !IsSettled(edges[k].bounds, bounds)) {
      best_lack = lack;
      best = k;
    }
  }
  return best;
}

void GumbelRoot::Begin(const Node& root, const Edge* edges, std::span<const float> priors,
                       std::uint32_t visits, RandomStream* noise) {
  visits_ = visits;
  visits_before_ = root.visits;
  const auto draws = static_cast<std::size_t>(std::min<std::uint64_t>(
      {static_cast<std::uint64_t>(actions_), root.edge_count, std::max(1u, visits)}));
  logits_.resize(priors.size());
  noise_.assign(priors.size(), 0.0f);
  before_.resize(priors.size());
  for (std::size_t k = 0; k < priors.size(); ++k) {
    logits_[k] = std::log(std::max(priors[k], std::numeric_limits<float>::min()));
    if (noise != nullptr) noise_[k] = static_cast<float>(noise->Gumbel());
    before_[edges[k].legal_index] = edges[k].visits;
  }
  order_.resize(priors.size());
  std::iota(order_.begin(), order_.end(), std::uint16_t{0});
  std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(draws),
                    order_.end(), [&](std::uint16_t a, std::uint16_t b) {
                      const float score_a = logits_[a] + noise_[a];
                      const float score_b = logits_[b] + noise_[b];
                      return score_a != score_b ? score_a > score_b : a < b;
                    });
  drawn_.assign(priors.size(), false);
  for (std::size_t i = 0; i < draws; ++i) drawn_[order_[i]] = true;
  draws_ = static_cast<int>(draws);
}

template <class Counts, class Distance>
int GumbelRoot::BestAmong(const Node& root, const Edge* edges, float own_value, Counts&& counts,
                          Distance&& distance) const {
  const CompletedLogits completed(improved_, root, edges, own_value);
  const bool any_drawn = std::any_of(edges, edges + root.edge_count, [&](const Edge& edge) {
    return drawn_[edge.legal_index] && counts(edge);
  });
  int best = -1;
  std::int64_t best_distance = 0;
  float best_score = 0;
  for (int k = 0; k < root.edge_count; ++k) {
    const Edge& edge = edges[k];
    const int legal = edge.legal_index;
    if (!counts(edge) || (any_drawn && !drawn_[legal] && !edge.bounds.exact())) continue;
    const std::int64_t away = distance(edge);
    const float score = logits_[legal] + noise_[legal] + completed(edge);
    if (best >= 0 && (away > best_distance || (away == best_distance && score <= best_score))) {
      continue;
    }
    best = k;
    best_distance = away;
    best_score = score;
  }
  return best;
}

int GumbelRoot::Select(const Node& root, const Edge* edges, float own_value) const {
  const std::uint32_t done = root.visits + root.held - visits_before_;
  const std::int64_t wanted = HalvingVisits(draws_, visits_, done);
  const Bounds bounds = root.bounds.For(root.to_move);
  // Where an action fell out because there is nothing to learn from it any more, the nearest count
  // stands in.
  return BestAmong(
      root, edges, own_value, [&](const Edge& edge) { return !IsSettled(edge.bounds, bounds); },
      [&](const Edge& edge) {
        const std::int64_t visits = edge.visits + edge.held - before_[edge.legal_index];
        return visits > wanted ? 2 * (visits - wanted) : 2 * (wanted - visits) - (visits < wanted);
      });
}

int GumbelRoot::Choose(const Node& root, const Edge* edges, float own_value) const {
  const Bounds bounds = root.bounds.For(root.to_move);
  const auto counts = [&](const Edge& edge) { return !IsInferior(edge.bounds, bounds); };
  const auto visits = [&](const Edge& edge) { return edge.visits - before_[edge.legal_index]; };
  std::uint32_t most = 0;
  for (int k = 0; k < root.edge_count; ++k) {
    if (counts(edges[k])) most = std::max(most, visits(edges[k]));
  }
  // A proven action needs no visits to be as well known as those with the most.
  return BestAmong(root, edges, own_value, counts, [&](const Edge& edge) -> std::int64_t {
    return edge.bounds.exact() || visits(edge) == most ? 0 : 1;
  });
}

void GumbelRoot::Policy(const Node& root, const Edge* edges, float own_value,
                        std::span<double> policy) const {
  const CompletedLogits completed(improved_, root, edges, own_value);
  double highest = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < root.edge_count; ++k) {
    const Edge& edge = edges[k];
    double& logit = policy[edge.legal_index];
    logit = logits_[edge.legal_index] + completed(edge);
    highest = std::max(highest, logit);
  }
  double sum = 0;
  for (double& share : policy) sum += share = std::exp(share - highest);
  for (double& share : policy) share /= sum;
}

}  // namespace qirkat
