#include "training/replay_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "envs/registry.h"
#include "random_games.h"

namespace qirkat {
namespace {

using test::RandomGames;

std::uint64_t TrainingRows(const GameRecord& game) {
  return std::ranges::count_if(game.positions, [](const auto& p) { return p.weight > 0; });
}

void ExpectSameRow(const WindowRow& a, const WindowRow& b) {
  EXPECT_TRUE(std::ranges::equal(a.planes, b.planes));
  EXPECT_TRUE(std::ranges::equal(a.legal, b.legal));
  EXPECT_TRUE(std::ranges::equal(a.scalars, b.scalars));
  EXPECT_TRUE(std::ranges::equal(a.policy, b.policy));
  EXPECT_EQ(a.targets, b.targets);
}

void ExpectSameWindow(const ReplayWindow& a, const ReplayWindow& b) {
  ASSERT_EQ(a.manifest(), b.manifest());
  EXPECT_EQ(a.bytes(), b.bytes());
  for (std::uint64_t r = 0; r < a.rows(); ++r) ExpectSameRow(a.row(r), b.row(r));
}

TEST(WindowRows, HoldsEverythingThenGrowsAsAPowerOfTheRowsSeen) {
  WindowOptions options;
  options.min_rows = 1000;
  options.exponent = 0.5;
  EXPECT_EQ(WindowRows(0, options), 0u);
  EXPECT_EQ(WindowRows(999, options), 999u);
  EXPECT_EQ(WindowRows(1000, options), 1000u);
  EXPECT_EQ(WindowRows(4000, options), 2000u);
  EXPECT_EQ(WindowRows(100000, options), 10000u);
}

class ReplayWindowTest : public ::testing::Test {
 protected:
  std::shared_ptr<const AnyGame> game_ = MakeGame("reversi");
  std::vector<GameRecord> games_ = RandomGames(*game_, 40, 1);
};

TEST_F(ReplayWindowTest, RowsAreTheGamesRowsSeenByTheMover) {
  ReplayWindow window(game_->info(), {});
  std::uint64_t r = 0;
  for (const GameRecord& game : games_) {
    window.AddGame(0, game);
    for (const PositionRecord& position : game.positions) {
      if (position.weight <= 0) continue;
      const WindowRow row = window.row(r++);
      EXPECT_TRUE(std::ranges::equal(row.planes, position.planes));
      EXPECT_TRUE(std::ranges::equal(row.legal, position.legal));
      EXPECT_TRUE(std::ranges::equal(row.scalars, position.scalars));
      EXPECT_TRUE(std::ranges::equal(row.policy, position.policy));
      const int sign = position.player == 0 ? 1 : -1;
      EXPECT_EQ(row.targets.result, sign * game.outcome.result);
      EXPECT_EQ(row.targets.score, static_cast<float>(sign * game.outcome.score));
      EXPECT_EQ(row.targets.moves_left, static_cast<float>(game.actions.size() - position.ply));
      EXPECT_EQ(row.targets.root_wdl[0], position.root_wdl[position.player == 0 ? 0 : 2]);
      EXPECT_EQ(row.targets.root_wdl[2], position.root_wdl[position.player == 0 ? 2 : 0]);
    }
  }
  EXPECT_EQ(window.rows(), r);
  EXPECT_EQ(window.rows_seen(), r);
}

TEST_F(ReplayWindowTest, OldestGamesLeaveWhole) {
  WindowOptions options;
  options.min_rows = 300;
  options.exponent = 0.5;
  ReplayWindow window(game_->info(), options);
  std::uint64_t seen = 0;
  for (std::size_t g = 0; g < games_.size(); ++g) {
    window.AddGame(g / 10, games_[g]);
    seen += TrainingRows(games_[g]);
    EXPECT_EQ(window.rows_seen(), seen);
    const std::uint64_t wanted = WindowRows(seen, options);
    EXPECT_GE(window.rows(), wanted);
    const WindowManifest manifest = window.manifest();
    EXPECT_EQ(manifest.first_generation, manifest.first_game / 10);
    const std::uint64_t oldest = TrainingRows(games_[manifest.first_game]);
    EXPECT_LT(window.rows() - oldest, wanted) << "the oldest game should have left";
  }
  EXPECT_LT(window.rows(), seen);
}

TEST_F(ReplayWindowTest, StaysBelowItsByteBudget) {
  WindowOptions options;
  options.max_bytes = 50000;
  ReplayWindow window(game_->info(), options);
  for (const GameRecord& game : games_) {
    window.AddGame(0, game);
    EXPECT_LE(window.bytes(), 50000u);
  }
  EXPECT_GT(window.bytes(), 25000u);
}

TEST_F(ReplayWindowTest, FilledAgainFromItsManifestIsEqual) {
  for (const std::int64_t max_bytes : {std::int64_t{1} << 30, std::int64_t{60000}}) {
    WindowOptions options;
    options.min_rows = 400;
    options.max_bytes = max_bytes;
    ReplayWindow window(game_->info(), options);
    for (std::uint32_t g = 0; g < games_.size(); ++g) {
      window.AddGame(3, games_[g]);
      ReplayWindow again(game_->info(), options);
      const WindowManifest manifest = window.manifest();
      again.Restart(manifest);
      for (std::uint32_t h = manifest.first_game; h <= g; ++h) again.AddGame(3, games_[h]);
      ExpectSameWindow(window, again);
    }
  }
}

TEST_F(ReplayWindowTest, AGameWithoutTrainingRowsLeavesNoTrace) {
  ReplayWindow window(game_->info(), {});
  window.AddGame(0, games_[0]);
  const WindowManifest before = window.manifest();
  GameRecord empty = games_[1];
  for (PositionRecord& position : empty.positions) position.weight = 0;
  window.AddGame(0, empty);
  EXPECT_EQ(window.manifest(), before);
}

TEST_F(ReplayWindowTest, SamplesDependOnSeedAndStepAlone) {
  ReplayWindow window(game_->info(), {});
  for (const GameRecord& game : games_) window.AddGame(0, game);
  const auto sample = SampleRows(window, 7, 3, 4000);
  EXPECT_EQ(sample, SampleRows(window, 7, 3, 4000));
  EXPECT_NE(sample, SampleRows(window, 7, 4, 4000));
  EXPECT_NE(sample, SampleRows(window, 8, 3, 4000));
  EXPECT_LT(*std::ranges::max_element(sample), window.rows());
  const std::set<std::uint64_t> distinct(sample.begin(), sample.end());
  // 4000 uniform draws leave a row out with probability (1 - 1/rows)^4000.
  const double rows = static_cast<double>(window.rows());
  EXPECT_NEAR(static_cast<double>(distinct.size()), rows * (1 - std::pow(1 - 1 / rows, 4000)), 80);
}

}  // namespace
}  // namespace qirkat
