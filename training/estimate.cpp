#include "training/estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "envs/core/random.h"
#include "envs/core/text.h"
#include "training/replay_window.h"

namespace qirkat {
namespace {

constexpr int kSampleGames = 8;
// Of a search tree (selfplay/search/tree.h), and what compression leaves of a row.
constexpr double kNodeBytes = 56, kEdgeBytes = 20, kCompression = 0.5;

struct Sample {
  double plies = 0, legal = 0;  // per game, per position
};

Sample PlayRandomGames(const AnyGame& game, std::uint64_t seed) {
  double plies = 0, legal = 0;
  for (int g = 0; g < kSampleGames; ++g) {
    RandomStream random(seed, 0, g, StreamPurpose::kEnvActions);
    const std::unique_ptr<AnyLine> line = game.NewLine(random);
    for (; !line->over(); ++plies) {
      legal += line->legal_count();
      line->Play(line->legal(static_cast<int>(random.Below(line->legal_count()))));
    }
  }
  return {.plies = plies / kSampleGames, .legal = legal / std::max(plies, 1.0)};
}

std::string Megabytes(double bytes) {
  return StrCat(std::max<std::int64_t>(1, std::llround(bytes / (1 << 20))), " MiB");
}

}  // namespace

RunEstimate EstimateRun(const RunConfig& config, const AnyGame& game, int workers,
                        std::uint64_t net_parameters) {
  const GameInfo& info = game.info();
  const Sample sample = PlayRandomGames(game, static_cast<std::uint64_t>(config.run.seed));
  const auto generations = static_cast<double>(config.run.generations);
  RunEstimate estimate;
  estimate.plies_per_game = sample.plies;
  estimate.positions = generations * static_cast<double>(config.selfplay.games) * sample.plies;
  const double row_bytes = info.plane_bytes + info.legal_bytes + 4.0 * info.scalars() +
                           sample.legal * sizeof(PolicyShare) + sizeof(RowTargets) + 4;
  estimate.window_bytes =
      std::min(static_cast<double>(config.window.max_bytes),
               row_bytes * static_cast<double>(WindowRows(
                               static_cast<std::uint64_t>(estimate.positions), config.window)));
  estimate.tree_bytes =
      static_cast<double>(workers * config.selfplay.slots * config.search.visits) *
      (kNodeBytes + kEdgeBytes * sample.legal);
  estimate.data_bytes = estimate.positions * row_bytes * kCompression;
  const double kept = config.run.keep_checkpoints == 0
                          ? generations + 1
                          : static_cast<double>(config.run.keep_checkpoints) + generations / 10;
  // Average, weights and two moments, four bytes a number.
  estimate.checkpoint_bytes = kept * 16.0 * static_cast<double>(net_parameters);
  return estimate;
}

std::string EstimateText(const RunEstimate& estimate) {
  return StrCat("about ", std::llround(estimate.positions), " positions; memory: replay window ",
                Megabytes(estimate.window_bytes), ", search trees ", Megabytes(estimate.tree_bytes),
                "; disk: data ", Megabytes(estimate.data_bytes), ", checkpoints ",
                Megabytes(estimate.checkpoint_bytes));
}

}  // namespace qirkat
