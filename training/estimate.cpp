#include "training/estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "envs/core/random.h"
#include "envs/core/text.h"
#include "envs/registry.h"
#include "selfplay/data/record.h"
#include "selfplay/pipeline/run_games.h"
#include "selfplay/search/endgame.h"
#include "selfplay/search/tree.h"
#include "training/replay_window.h"

namespace qirkat {
namespace {

constexpr int kSampleGames = 8;
constexpr double kCompression = 0.5;  // what it leaves of a row on disk
// Trees reserve up to twice what their largest tree needs, and some positions have more actions
// than the mean.
constexpr double kTreeSpare = 2.5;
// What finding a node by its position takes.
constexpr double kIndexBytes = 32;
// Arrays of [rows, squares, channels] floats that a network computes in.
constexpr double kActivations = 4;

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

// Of a position in packed form, with its policy target.
double RowBytes(const GameInfo& info, const Sample& sample) {
  return info.plane_bytes + info.legal_bytes + 4.0 * info.scalars() +
         sample.legal * sizeof(PolicyShare);
}

SelfPlayMemory EstimateMemory(const RunConfig& config, const GameInfo& info, const Sample& sample,
                              bool network) {
  const double workers = WorkerThreads(config.selfplay.workers);
  const double slots = workers * static_cast<double>(config.selfplay.slots);
  // Where information is hidden a tree searches one possible world, with its share of the visits.
  const std::int64_t worlds =
      info.hidden_information
          ? std::clamp<std::int64_t>(config.search.visits / 2, 1, config.search.worlds)
          : 1;
  // Gumbel's root makes all its visits anew beside the subtree that is kept, about as many.
  const bool adds =
      config.search.root == "gumbel" && config.search.reuse_tree && !info.hidden_information;
  const std::int64_t visits = std::max(config.search.visits, config.selfplay.fast_visits);
  const double nodes = static_cast<double>(visits / worlds + 1) * (adds ? 2 : 1);
  double node = sizeof(Node) + 2 * sizeof(NodeIndex) + sample.legal * sizeof(Edge);
  if (config.search.graph) node += sizeof(Key128) + kIndexBytes;
  SelfPlayMemory memory;
  memory.trees = std::min(slots * nodes * kTreeSpare * node,
                          slots * static_cast<double>(config.search.tree_mib << 20));
  if (RegisteredGames::Visit(info.name, []<Game G>() { return GameWithEndgameSolver<G>; })) {
    memory.trees += slots * static_cast<double>(EndgameTableBytes(config.search.solve_empties));
  }
  // Observation and results of a row (EvalBuffers).
  double row = info.plane_bytes + 4.0 * (info.scalars() + info.policy_size + 5) + 16;
  if (network) {
    memory.caches = workers * static_cast<double>(config.selfplay.cache_mib << 20);
    row += kActivations * 4.0 * info.squares * static_cast<double>(config.net.channels);
  }
  memory.batches = slots * row;
  const double games = std::min({static_cast<double>(config.selfplay.games), slots,
                                 static_cast<double>(config.selfplay.window)}) +
                       std::min(static_cast<double>(config.selfplay.games),
                                static_cast<double>(config.selfplay.window));
  memory.games = games * sample.plies * (RowBytes(info, sample) + sizeof(PositionRecord));
  return memory;
}

std::string Megabytes(double bytes) {
  return StrCat(std::llround(std::ceil(bytes / (1 << 20))), " MiB");
}

}  // namespace

SelfPlayMemory EstimateSelfPlayMemory(const RunConfig& config, const AnyGame& game, bool network) {
  const Sample sample = PlayRandomGames(game, static_cast<std::uint64_t>(config.run.seed));
  return EstimateMemory(config, game.info(), sample, network);
}

RunEstimate EstimateRun(const RunConfig& config, const AnyGame& game,
                        std::uint64_t net_parameters) {
  const GameInfo& info = game.info();
  const Sample sample = PlayRandomGames(game, static_cast<std::uint64_t>(config.run.seed));
  const auto generations = static_cast<double>(config.run.generations);
  RunEstimate estimate;
  estimate.plies_per_game = sample.plies;
  estimate.positions = generations * static_cast<double>(config.selfplay.games) * sample.plies;
  const double row_bytes = RowBytes(info, sample) + sizeof(RowTargets) + 4;
  estimate.window_bytes =
      std::min(static_cast<double>(config.window.max_bytes),
               row_bytes * static_cast<double>(WindowRows(
                               static_cast<std::uint64_t>(estimate.positions), config.window)));
  estimate.selfplay = EstimateMemory(config, info, sample, config.run.evaluator == "net");
  estimate.data_bytes = estimate.positions * row_bytes * kCompression;
  const double kept = config.run.keep_checkpoints == 0
                          ? generations + 1
                          : static_cast<double>(config.run.keep_checkpoints) + generations / 10;
  // Average, weights and two moments, four bytes a number.
  estimate.checkpoint_bytes = kept * 16.0 * static_cast<double>(net_parameters);
  return estimate;
}

std::string MemoryText(const SelfPlayMemory& memory) {
  return StrCat("memory: search trees ", Megabytes(memory.trees), ", caches ",
                Megabytes(memory.caches), ", batches ", Megabytes(memory.batches), ", games ",
                Megabytes(memory.games), ", together ", Megabytes(memory.total()));
}

std::string EstimateText(const RunEstimate& estimate) {
  return StrCat("about ", std::llround(estimate.positions), " positions; self-play ",
                MemoryText(estimate.selfplay), "; replay window ", Megabytes(estimate.window_bytes),
                "; disk: data ", Megabytes(estimate.data_bytes), ", checkpoints ",
                Megabytes(estimate.checkpoint_bytes));
}

}  // namespace qirkat
