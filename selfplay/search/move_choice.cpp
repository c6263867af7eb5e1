#include "selfplay/search/move_choice.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "envs/core/error.h"

namespace qirkat {

double MoveTemperature(const SearchOptions& options, std::uint32_t ply) {
  return ply < options.temperature_plies ? options.temperature : options.final_temperature;
}

namespace {

// Of a root that is proven to be won or lost for its player to move, all of whose edges with weight
// have that result.
const RootResult::Edge& BestOfProven(const RootResult& result, bool by_score) {
  const bool won = result.bounds.For(result.to_move).lower > 0;
  const auto rank = [&](const RootResult::Edge& edge) {
    return std::tuple(by_score ? edge.value : 0.0f, won ? -edge.moves_left : edge.moves_left);
  };
  const RootResult::Edge* best = nullptr;
  for (const RootResult::Edge& edge : result.edges) {
    if (edge.weight == 0) continue;
    if (best == nullptr || rank(edge) > rank(*best)) best = &edge;
  }
  return *best;
}

}  // namespace

const RootResult::Edge& MoveChoice::Best(const RootResult& result) const {
  const auto most =
      std::max_element(result.edges.begin(), result.edges.end(), [](const auto& a, const auto& b) {
        return std::tie(a.weight, a.value, a.prior) < std::tie(b.weight, b.value, b.prior);
      });
  if (lcb_stdevs_ == 0 || !most->stdev) return *most;
  const auto bound = [&](const RootResult::Edge& edge) {
    if (edge.bounds.exact()) return static_cast<double>(edge.value);
    // One visit more than there were, of the widest spread that values can have.
    const double visits = edge.visits;
    const double variance = (*edge.stdev * *edge.stdev * visits + 1) / (visits + 1);
    return edge.value - lcb_stdevs_ * std::sqrt(variance / visits);
  };
  const RootResult::Edge* best = &*most;
  for (const RootResult::Edge& edge : result.edges) {
    if (!edge.stdev || edge.weight < lcb_min_visits_ * most->weight) continue;
    if (bound(edge) > bound(*best)) best = &edge;
  }
  return *best;
}

Action MoveChoice::operator()(const RootResult& result, double temperature,
                              RandomStream& random) const {
  QIRKAT_CHECK(!result.edges.empty());
  QIRKAT_CHECK(temperature >= 0, temperature);
  if (temperature == 0 && result.bounds.exact() && result.bounds.lower != 0) {
    return BestOfProven(result, by_score_).action;
  }
  if (result.choice) return *result.choice;
  if (temperature == 0) return Best(result).action;
  double most = 0;
  for (const auto& edge : result.edges) most = std::max(most, edge.weight);
  const auto share = [&](const RootResult::Edge& edge) {
    return std::pow(edge.weight / most, 1 / temperature);
  };
  double sum = 0;
  for (const auto& edge : result.edges) sum += share(edge);
  double left = random.Uniform() * sum;
  for (const auto& edge : result.edges) {
    left -= share(edge);
    if (left < 0) return edge.action;
  }
  return Best(result).action;  // rounding left a remainder
}

}  // namespace qirkat
