#include "selfplay/match/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "envs/core/error.h"

namespace qirkat {
namespace {

constexpr double kZ95 = 1.959963984540054;
constexpr double kFewPoints = 10;

}  // namespace

ScoreInterval WilsonInterval(double points, double games) {
  QIRKAT_CHECK(games > 0 && points >= 0 && points <= games, points, games);
  const double score = points / games;
  const double z2 = kZ95 * kZ95;
  const double centre = (score + z2 / (2 * games)) / (1 + z2 / games);
  const double half =
      kZ95 / (1 + z2 / games) * std::sqrt(score * (1 - score) / games + z2 / (4 * games * games));
  // Exact at the ends, where rounding would leave a finite Elo.
  return {score, points == 0 ? 0 : std::max(0.0, centre - half),
          points == games ? 1 : std::min(1.0, centre + half)};
}

ScoreInterval PairedScoreInterval(std::span<const double> scores) {
  const auto games = static_cast<double>(scores.size());
  const double points = std::accumulate(scores.begin(), scores.end(), 0.0);
  if (std::min(points, games - points) < kFewPoints) return WilsonInterval(points, games);

  const std::size_t pairs = scores.size() / 2;
  const double score = points / games;
  double mean = 0, squares = 0;  // of the pairs' mean scores (Welford)
  for (std::size_t k = 0; k < pairs; ++k) {
    const double pair = (scores[2 * k] + scores[2 * k + 1]) / 2;
    const double delta = pair - mean;
    mean += delta / static_cast<double>(k + 1);
    squares += delta * (pair - mean);
  }
  const double variance = squares / static_cast<double>(pairs - 1);
  const double half = kZ95 * std::sqrt(variance / static_cast<double>(pairs));
  return {score, std::max(0.0, score - half), std::min(1.0, score + half)};
}

double EloFromScore(double score) {
  if (score <= 0) return -std::numeric_limits<double>::infinity();
  if (score >= 1) return std::numeric_limits<double>::infinity();
  return 400 * std::log10(score / (1 - score));
}

}  // namespace qirkat
