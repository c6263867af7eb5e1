#include "training/window_calibration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "envs/registry.h"
#include "models/evaluators.h"
#include "selfplay/pipeline/self_play.h"

namespace qirkat {
namespace {

TEST(WindowCalibration, TakesRowsOfTheWholeWindowInOrder) {
  SelfPlayJob job;
  job.game = MakeGame("superlogo");
  const GameInfo& info = job.game->info();
  job.evaluator = MakeUniformEvaluator(ShapeOf(info));
  job.search.visits = 4;
  job.options.games = 30;
  ReplayWindow window(info, {});
  std::uint64_t small = 0;  // rows after the first game
  RunSelfPlay(job, [&](GameRecord&& game) {
    window.AddGame(0, game);
    if (small != 0) return;
    small = window.rows();
    const CalibrationRows few = WindowCalibrationRows(window, info);
    ASSERT_EQ(few.size, static_cast<int>(std::min<std::uint64_t>(small, kCalibrationRows)));
  });
  ASSERT_GT(window.rows(), static_cast<std::uint64_t>(kCalibrationRows));
  const CalibrationRows rows = WindowCalibrationRows(window, info);
  ASSERT_EQ(rows.size, kCalibrationRows);
  for (const int i : {0, 1, kCalibrationRows / 2, kCalibrationRows - 1}) {
    const WindowRow row = window.row(window.rows() * i / kCalibrationRows);
    EXPECT_TRUE(std::equal(row.planes.begin(), row.planes.end(),
                           rows.planes.begin() + i * info.plane_bytes));
    EXPECT_TRUE(std::equal(row.scalars.begin(), row.scalars.end(),
                           rows.scalars.begin() + i * info.scalars()));
    EXPECT_TRUE(
        std::equal(row.legal.begin(), row.legal.end(), rows.legal.begin() + i * info.legal_bytes));
  }
}

}  // namespace
}  // namespace qirkat
