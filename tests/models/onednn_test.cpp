// The onednn backend against the reference, its choice of a precision, and new weights by the
// thousand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "envs/core/text.h"
#include "envs/registry.h"
#include "models/evaluators.h"
#include "models/net_weights.h"
#include "models/onednn/onednn_evaluator.h"
#include "tests/models/expect_user_error.h"
#include "tests/models/reference_net.h"

// Of oneDNN, whose headers only models/onednn includes.
extern "C" int dnnl_set_verbose(int level);

namespace qirkat {
namespace {

constexpr int kRows = 40;

NetOptions SmallNet(std::int64_t channels = 32) {
  return {.blocks = 3,
          .channels = channels,
          .pooled_every = 2,
          .head_channels = 12,
          .value_hidden = 20};
}

CalibrationSource PlayedBy(const AnyGame& game) {
  return [&game](Evaluator& evaluator) { return PlayCalibrationRows(game, evaluator); };
}

// Every game has its own mixture of planes, scalars, policy planes and extras.
TEST(OnednnEvaluator, AgreesWithTheReferenceInEveryGame) {
  for (const std::string& name : GameNames()) {
    const auto game = MakeGame(name);
    const Model model = RandomModel(MakeNetSpec(game->info(), SmallNet()), 3);
    const auto evaluator = MakeOnednnEvaluator(model, "fp32", {})->Make(kRows);
    const CalibrationRows rows = PlayCalibrationRows(*game, *evaluator);
    const CalibrationOutput output = EvaluateRows(*evaluator, rows);
    const EvalShape& shape = evaluator->shape();
    for (int row = 0; row < rows.size; row += 50) {
      const ReferenceOutput expected = ReferenceForward(
          model, std::span(rows.planes).subspan(row * shape.plane_bytes, shape.plane_bytes),
          std::span(rows.scalars).subspan(row * shape.scalars, shape.scalars));
      for (int a = 0; a < shape.policy_size; ++a) {
        ASSERT_NEAR(output.policy_logits[row * shape.policy_size + a], expected.policy_logits[a],
                    1e-3)
            << name << ", action " << a;
      }
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(output.wdl[row * 3 + k], expected.wdl[k], 1e-4);
      EXPECT_NEAR(output.score[row], expected.score, 1e-2);
      EXPECT_NEAR(output.moves_left[row], expected.moves_left, 1e-2);
    }
  }
}

// The smallest and the oddest networks: no blocks, channels that fill no register, heads of one.
TEST(OnednnEvaluator, OddShapesAgreeWithTheReference) {
  const auto game = MakeGame("superlogo");
  for (const NetOptions& net :
       {NetOptions{.blocks = 0, .channels = 4, .head_channels = 1, .value_hidden = 1},
        NetOptions{
            .blocks = 2, .channels = 5, .pooled_every = 1, .head_channels = 3, .value_hidden = 2},
        NetOptions{.blocks = 1,
        .channels = 17,
        .pooled_every = 0,
        .head_channels = 65,
        .value_hidden = 7}}) {
    const Model model = RandomModel(MakeNetSpec(game->info(), net), 5);
    const auto fp32 = MakeOnednnEvaluator(model, "fp32", {})->Make(kRows);
    const CalibrationRows rows = PlayCalibrationRows(*game, *fp32);
    const CalibrationOutput expected = EvaluateRows(*fp32, rows);
    const EvalShape& shape = fp32->shape();
    const ReferenceOutput reference =
        ReferenceForward(model, std::span(rows.planes).first(shape.plane_bytes),
                         std::span(rows.scalars).first(shape.scalars));
    for (int a = 0; a < shape.policy_size; ++a) {
      ASSERT_NEAR(expected.policy_logits[a], reference.policy_logits[a], 1e-3) << net.channels;
    }
    for (const std::string& precision : FindOnednnCpu().precisions) {
      const auto evaluator = MakeOnednnEvaluator(model, precision, PlayedBy(*game))->Make(kRows);
      const EvaluatorDifference difference =
          Compare(shape, rows, expected, EvaluateRows(*evaluator, rows));
      EXPECT_LE(difference.value_error, 0.1) << net.channels << ' ' << precision;
    }
  }
}

TEST(OnednnEvaluator, EveryPrecisionIsCloseToFp32) {
  for (const std::string& name : GameNames()) {
    const auto game = MakeGame(name);
    const Model model = InitialModel(MakeNetSpec(game->info(), SmallNet()), 4);
    const auto fp32 = MakeOnednnEvaluator(model, "fp32", {})->Make(kRows);
    const CalibrationRows rows = PlayCalibrationRows(*game, *fp32);
    const CalibrationOutput expected = EvaluateRows(*fp32, rows);
    for (const std::string& precision : FindOnednnCpu().precisions) {
      const auto evaluator = MakeOnednnEvaluator(model, precision, PlayedBy(*game))->Make(kRows);
      const CalibrationOutput output = EvaluateRows(*evaluator, rows);
      const EvaluatorDifference difference = Compare(fp32->shape(), rows, expected, output);
      EXPECT_LE(difference.policy_kl, LimitsOf(precision).policy_kl) << name << ' ' << precision;
      EXPECT_LE(difference.value_error, LimitsOf(precision).value_error)
          << name << ' ' << precision;
      EXPECT_EQ(difference.value_error > 0, precision != "fp32") << name << ' ' << precision;
    }
  }
}

TEST(OnednnEvaluator, TakesTheFirstPrecisionThatIsCloseEnough) {
  const auto game = MakeGame("reversi");
  const std::string all = Join(FindOnednnCpu().precisions, ",");
  EXPECT_EQ(ResolveOnednnPrecision("auto"), all);
  Model model = InitialModel(MakeNetSpec(game->info(), SmallNet()), 4);
  EXPECT_THAT(MakeOnednnEvaluator(model, "auto", PlayedBy(*game))->description(),
              testing::StartsWith("onednn int8, "));

  // A network that makes much of little: its policy is ten thousand times sharper.
  for (NamedTensor& tensor : model.weights) {
    if (tensor.name != "policy.weight") continue;
    for (float& weight : tensor.values) weight *= 10000;
  }
  const auto factory = MakeOnednnEvaluator(model, "auto", PlayedBy(*game));
  EXPECT_THAT(factory->description(), testing::Not(testing::StartsWith("onednn int8, ")));
  EXPECT_THAT(factory->description(), testing::HasSubstr("; not int8 (policy KL "));
  EXPECT_THAT(MakeOnednnEvaluator(model, "int8", PlayedBy(*game))->description(),
              testing::StartsWith("onednn int8, "));
}

TEST(OnednnEvaluator, RefusesWhatTheCpuDoesNotCompute) {
  for (const char* precision : {"int4", "", "int8,", "fp32 ", "fp32,auto"}) {
    ExpectUserError([&] { ResolveOnednnPrecision(precision); },
                    {"precision", precision, "accepted: auto, or one or more of int8"});
  }
  const auto game = MakeGame("reversi");
  Model model = RandomModel(MakeNetSpec(game->info(), SmallNet()), 3);
  model.weights.pop_back();
  ExpectUserError([&] { MakeOnednnEvaluator(model, "fp32", {}); }, {"tensors"});
}

// Resident memory of this process in bytes.
std::int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

TEST(OnednnEvaluator, AThousandNetworksCompileNothingAndLeakNothing) {
  const auto game = MakeGame("reversi");
  const NetSpec spec = MakeNetSpec(game->info(), SmallNet());
  CalibrationRows rows;
  EvalBuffers buffers(ShapeOf(game->info()), kRows);
  const auto swap = [&](std::uint64_t seed) {
    const Model model = RandomModel(spec, seed);
    const auto source = [&](Evaluator& fp32) {
      if (rows.size == 0) rows = PlayCalibrationRows(*game, fp32);
      return rows;
    };
    const auto evaluator = MakeOnednnEvaluator(model, "int8", source)->Make(kRows);
    std::copy(rows.planes.begin(), rows.planes.begin() + buffers.planes.size(),
              buffers.planes.begin());
    evaluator->Evaluate(buffers.Batch(kRows, false), buffers.Result(kRows));
    return buffers.score[0];
  };
  for (int i = 0; i < 100; ++i) swap(i);
  const std::int64_t before = ResidentBytes();
  float last = 0;
  for (int i = 100; i < 1000; ++i) {
    const float score = swap(i);
    EXPECT_NE(score, last) << i;
    last = score;
  }
  EXPECT_LT(ResidentBytes() - before, 8 << 20);

  // oneDNN says on standard output how it came by each primitive.
  dnnl_set_verbose(2);
  testing::internal::CaptureStdout();
  for (int i = 1000; i < 1020; ++i) swap(i);
  dnnl_set_verbose(0);
  const std::string log = testing::internal::GetCapturedStdout();
  EXPECT_THAT(log, testing::HasSubstr("create:cache_hit"));
  EXPECT_EQ(log.find("create:cache_miss"), std::string::npos);
}

}  // namespace
}  // namespace qirkat
