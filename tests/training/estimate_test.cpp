// What a run needs, against what it took.
#include "training/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envs/registry.h"
#include "models/evaluators.h"
#include "selfplay/pipeline/self_play.h"

namespace qirkat {
namespace {

TEST(EstimateRun, GrowsWithTheRun) {
  RunConfig config;
  config.game = "reversi";
  const auto game = MakeGame("reversi");
  const RunEstimate small = EstimateRun(config, *game, 1000);
  EXPECT_NEAR(small.plies_per_game, 60, 4);
  EXPECT_NEAR(
      small.positions,
      static_cast<double>(config.run.generations * config.selfplay.games) * small.plies_per_game,
      1);
  config.selfplay.games *= 10;
  const RunEstimate large = EstimateRun(config, *game, 1000);
  EXPECT_GT(large.data_bytes, 9 * small.data_bytes);
  EXPECT_GT(large.window_bytes, small.window_bytes);
  config.window.max_bytes = 1 << 20;
  EXPECT_LE(EstimateRun(config, *game, 1000).window_bytes, 1 << 20);
}

TEST(EstimateSelfPlayMemory, CoversTheTreesAndNotMuchMore) {
  for (const char* name : {"reversi", "alquerque", "superlogo", "stratego"}) {
    const auto game = MakeGame(name);
    RunConfig config;
    config.game = name;
    config.search.visits = 100;
    config.selfplay.games = 16;
    config.selfplay.workers = 1;
    config.selfplay.slots = 8;
    const SelfPlayStats stats = RunSelfPlay({.game = game,
                                             .evaluator = MakeHashEvaluator(ShapeOf(game->info())),
                                             .search = config.search,
                                             .options = config.selfplay},
                                            [](GameRecord&&) {});
    const auto taken = static_cast<double>(stats.tree_bytes);
    const SelfPlayMemory estimate = EstimateSelfPlayMemory(config, *game, false);
    EXPECT_GE(estimate.trees, 0.9 * taken) << name;
    EXPECT_LE(estimate.trees, 2 * taken) << name;
    EXPECT_EQ(estimate.caches, 0);
    config.selfplay.workers = 3;
    EXPECT_DOUBLE_EQ(EstimateSelfPlayMemory(config, *game, false).trees, 3 * estimate.trees);
  }
}

TEST(EstimateSelfPlayMemory, AReversiRunOf512SlotsStaysBelowAGibibyte) {
  RunConfig config;
  config.game = "reversi";
  config.search.visits = 800;
  config.selfplay.workers = 2;
  config.selfplay.slots = 256;
  const SelfPlayMemory memory = EstimateSelfPlayMemory(config, *MakeGame("reversi"), true);
  EXPECT_EQ(memory.caches, 2 * 64 * 1024 * 1024);
  EXPECT_GT(memory.total(), memory.trees + memory.caches);
  EXPECT_LE(memory.total(), 1 << 30);
  EXPECT_THAT(MemoryText(memory), testing::HasSubstr("caches 128 MiB"));
}

}  // namespace
}  // namespace qirkat
