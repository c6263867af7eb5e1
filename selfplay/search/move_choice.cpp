#include "selfplay/search/move_choice.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "envs/core/error.h"

namespace qirkat {

double MoveTemperature(const SearchOptions& options, std::uint32_t ply) {
  return ply < options.temperature_plies ? options.temperature : options.final_temperature;
}

Action ChooseByVisits(std::span<const RootResult::Edge> edges, double temperature,
                      RandomStream& random) {
  QIRKAT_CHECK(!edges.empty());
  QIRKAT_CHECK(temperature >= 0, temperature);
  const auto best = std::max_element(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    return std::tie(a.visits, a.value, a.prior) < std::tie(b.visits, b.value, b.prior);
  });
  if (temperature == 0) return best->action;
  const bool by_prior = best->visits == 0;
  const auto weight = [&](const RootResult::Edge& edge) {
    const double share = by_prior ? static_cast<double>(edge.prior) / best->prior
                                  : static_cast<double>(edge.visits) / best->visits;
    return std::pow(share, 1 / temperature);
  };
  double sum = 0;
  for (const auto& edge : edges) sum += weight(edge);
  double left = random.Uniform() * sum;
  for (const auto& edge : edges) {
    left -= weight(edge);
    if (left < 0) return edge.action;
  }
  return best->action;  // rounding left a remainder
}

}  // namespace qirkat
