#include "models/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "envs/registry.h"
#include "models/checker_evaluator.h"
#include "models/evaluators.h"
#include "tests/models/expect_user_error.h"

namespace qirkat {
namespace {

TEST(PolicyKl, OfKnownDistributionsOverTheLegalActions) {
  // Actions 0, 2 and 3 are legal; what stands at 1 must not matter.
  const std::array<std::uint8_t, 1> legal = {0b1101};
  const auto logits = [](double a, double b, double c, float illegal) {
    return std::array<float, 4>{static_cast<float>(std::log(a)), illegal,
                                static_cast<float>(std::log(b)), static_cast<float>(std::log(c))};
  };
  const auto p = logits(0.5, 0.25, 0.25, 90), q = logits(0.25, 0.5, 0.25, -7);
  EXPECT_NEAR(PolicyKl(p, q, legal), 0.5 * std::log(2) - 0.25 * std::log(2), 1e-6);
  EXPECT_NEAR(PolicyKl(p, p, legal), 0, 1e-7);
  // A constant added to all logits changes nothing.
  auto shifted = q;
  for (float& logit : shifted) logit += 30;
  EXPECT_NEAR(PolicyKl(p, shifted, legal), PolicyKl(p, q, legal), 1e-5);
  auto broken = q;
  broken[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(PolicyKl(p, broken, legal)));
  EXPECT_TRUE(std::isnan(PolicyKl(broken, p, legal)));
}

TEST(CalibrationRows, AreTheSameEveryTimeInEveryGame) {
  for (const std::string& name : GameNames()) {
    const auto game = MakeGame(name);
    const EvalShape shape = ShapeOf(game->info());
    const auto evaluator = MakeHashEvaluator(shape)->Make(kCalibrationRows);
    const CalibrationRows rows = PlayCalibrationRows(*game, *evaluator);
    EXPECT_EQ(rows.size, kCalibrationRows);
    EXPECT_EQ(rows.planes.size(), static_cast<std::size_t>(rows.size * shape.plane_bytes));
    EXPECT_EQ(rows.scalars.size(), static_cast<std::size_t>(rows.size * shape.scalars));
    EXPECT_EQ(rows.legal.size(), static_cast<std::size_t>(rows.size * game->info().legal_bytes));
    const CalibrationRows again = PlayCalibrationRows(*game, *evaluator);
    EXPECT_EQ(rows.planes, again.planes);
    EXPECT_EQ(rows.legal, again.legal);
    const CalibrationOutput output = EvaluateRows(*evaluator, rows);
    const EvaluatorDifference same = Compare(shape, rows, output, output);
    EXPECT_LT(same.policy_kl, 1e-6);
    EXPECT_EQ(same.value_error, 0);
    const auto uniform = MakeUniformEvaluator(shape)->Make(7);
    const EvaluatorDifference other = Compare(shape, rows, output, EvaluateRows(*uniform, rows));
    EXPECT_GT(other.policy_kl, 0.1);
    EXPECT_GT(other.value_error, 0.1);
  }
}

TEST(CheckerEvaluator, StopsWhenTheTwoDiffer) {
  const auto game = MakeGame("reversi");
  const EvalShape shape = ShapeOf(game->info());
  const auto hash = MakeHashEvaluator(shape), uniform = MakeUniformEvaluator(shape);
  const auto same = MakeCheckedEvaluator(hash, hash);
  const auto rows = PlayCalibrationRows(*game, *same->Make(kCalibrationRows));
  const auto evaluator = same->Make(50);
  EXPECT_EQ(EvaluateRows(*evaluator, rows).policy_logits,
            EvaluateRows(*hash->Make(50), rows).policy_logits);
  EXPECT_THAT(same->description(), testing::AllOf(testing::HasSubstr("checked against hash"),
                                                  testing::HasSubstr("on 512 rows")));
  EXPECT_EQ(same->model_name(), "hash");

  const auto differs = MakeCheckedEvaluator(hash, uniform, {.rows = 100});
  const auto checked = differs->Make(50);
  ExpectUserError([&] { EvaluateRows(*checked, rows); },
                  {"checker: the backends differ: policy KL ", "accepted: policy KL up to"});
}

}  // namespace
}  // namespace qirkat
