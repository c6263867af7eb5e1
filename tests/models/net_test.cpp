#include "models/torch/net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "models/evaluators.h"
#include "models/net_weights.h"
#include "models/torch/torch_evaluator.h"
#include "tests/models/reference_net.h"

namespace qirkat {
namespace {

// For every test of the program: LibTorch as the program itself uses it.
class TorchEnvironment : public testing::Environment {
  void SetUp() override { PrepareTorchProcess(); }
};
[[maybe_unused]] const auto* const kEnvironment =
    testing::AddGlobalTestEnvironment(new TorchEnvironment);

// A board that is not square, so that rows and columns cannot be mixed up.
NetSpec TestSpec(std::int64_t blocks) {
  return {.game = "test",
          .game_version = 1,
          .game_options = {},
          .plane_names = {"own", "enemy"},
          .scalar_names = {"plies", "repetitions"},
          .columns = 4,
          .rows = 3,
          .policy_planes = 3,
          .policy_extras = 2,
          .net = {.blocks = blocks,
                  .channels = 12,
                  .pooled_every = 2,
                  .head_channels = 6,
                  .value_hidden = 8}};
}

NamedTensor& Get(Model& model, const std::string& name) {
  for (NamedTensor& tensor : model.weights) {
    if (tensor.name == name) return tensor;
  }
  throw InternalError("no tensor " + name);
}

TEST(QirkatNet, AgreesWithTheReference) {
  const torch::NoGradGuard no_grad;
  const Model model = RandomModel(TestSpec(2), 4);
  QirkatNet net = NetFromModel(model);
  RandomStream random(3);
  for (int row = 0; row < 5; ++row) {
    std::vector<std::uint8_t> planes(3);
    for (auto& byte : planes) byte = static_cast<std::uint8_t>(random.Next());
    const std::vector<float> scalars = {0.25f, static_cast<float>(row)};
    const ReferenceOutput expected = ReferenceForward(model, planes, scalars);
    torch::Tensor input = torch::zeros({1, 2, 3, 4});
    for (int b = 0; b < 24; ++b) {
      input[0][b / 12][b % 12 / 4][b % 4] = (planes[b / 8] >> (b % 8)) & 1;
    }
    const NetOutput output = net(input, torch::tensor(scalars).unsqueeze(0));
    ASSERT_EQ(output.policy_logits.sizes(), (std::vector<std::int64_t>{1, 38}));
    for (int a = 0; a < 38; ++a) {
      EXPECT_NEAR(output.policy_logits[0][a].item<float>(), expected.policy_logits[a], 1e-4);
    }
    const torch::Tensor wdl = torch::softmax(output.wdl_logits, 1);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(wdl[0][k].item<float>(), expected.wdl[k], 1e-5);
    EXPECT_NEAR(output.score.item<float>() * 12, expected.score, 1e-3);
    EXPECT_NEAR(output.moves_left.item<float>() * 32, expected.moves_left, 1e-3);
  }
}

// Weights by hand: plane 1 passes straight through to policy plane 2, and the extras are constants.
TEST(QirkatNet, PolicyIndexIsPlaneTimesSquaresPlusSquare) {
  Model model = RandomModel(TestSpec(0), 1);
  for (NamedTensor& tensor : model.weights) {
    std::ranges::fill(tensor.values,
                      tensor.name.ends_with("_norm.weight") || tensor.name.ends_with("running_var")
                          ? 1.0f
                          : 0.0f);
  }
  Get(model, "stem.weight").values[1 * 9 + 4] = 1;    // channel 0 <- plane 1, middle of 3 × 3
  Get(model, "heads.weight").values[5 * 12] = 1;      // policy head's channel 5 <- channel 0
  Get(model, "policy.weight").values[2 * 6 + 5] = 1;  // policy plane 2 <- channel 5
  Get(model, "extras.bias").values = {0.25f, 0.5f};
  Get(model, "score.bias").values = {2};
  for (const std::string precision : {"fp32", "auto"}) {
    const auto factory = MakeTorchEvaluator(model, {"cpu", precision});
    const auto evaluator = factory->Make(12);
    ASSERT_EQ(evaluator->shape(), (EvalShape{.plane_bytes = 3, .scalars = 2, .policy_size = 38}));
    EvalBuffers buffers(evaluator->shape(), 12);
    for (int square = 0; square < 12; ++square) {
      const int bit = 12 + square;
      buffers.Row(square).planes[bit / 8] = static_cast<std::uint8_t>(1 << (bit % 8));
    }
    evaluator->Evaluate(buffers.Batch(12, false), buffers.Result(12));
    for (int square = 0; square < 12; ++square) {
      for (int action = 0; action < 36; ++action) {
        EXPECT_NEAR(buffers.Logits(square)[action], action == 2 * 12 + square ? 1 : 0, 0.01)
            << precision << ", square " << square << ", action " << action;
      }
      EXPECT_EQ(buffers.Logits(square)[36], 0.25f);
      EXPECT_EQ(buffers.Logits(square)[37], 0.5f);
      EXPECT_EQ(buffers.score[square], 24.0f);
    }
  }
}

TEST(QirkatNet, ModelRoundTrip) {
  for (const int blocks : {0, 1, 4}) {
    const Model model = RandomModel(TestSpec(blocks), 2);
    QirkatNet net = NetFromModel(model);
    EXPECT_EQ(ModelName(ModelFromNet(*net)), ModelName(model));
  }
}

TEST(TorchEvaluator, ThreadsShareTheNetworkAndKeepTheirThreadCount) {
  const auto factory = MakeTorchEvaluator(RandomModel(TestSpec(2), 3), {"cpu", "fp32"});
  const auto evaluate = [&](int threads, std::vector<float>& logits) {
    at::get_num_threads();  // else the first question would set what the other thread set last
    at::set_num_threads(threads);
    const auto evaluator = factory->Make(40);
    EvalBuffers buffers(evaluator->shape(), 40);
    for (int i = 0; i < 120; ++i) buffers.planes[i] = static_cast<std::uint8_t>(37 * i);
    for (const int size : {3, 40, 20, 40}) {
      evaluator->Evaluate(buffers.Batch(size, false), buffers.Result(size));
    }
    EXPECT_EQ(at::get_num_threads(), threads);
    logits = buffers.policy_logits;
  };
  std::vector<float> expected, first, second;
  evaluate(1, expected);
  {
    const std::jthread one([&] { evaluate(2, first); });
    const std::jthread other([&] { evaluate(3, second); });
  }
  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

TEST(InitialModel, FirstPolicyIsNearUniform) {
  Model model = InitialModel(TestSpec(4), 7);
  const auto evaluator = MakeTorchEvaluator(model, {"cpu", "fp32"})->Make(1);
  EvalBuffers buffers(evaluator->shape(), 1);
  buffers.planes = {0x31, 0x52, 0x84};
  buffers.scalars = {0.5f, 0};
  evaluator->Evaluate(buffers.Batch(1, false), buffers.Result(1));
  const auto [low, high] = std::ranges::minmax(buffers.policy_logits);
  EXPECT_LT(high - low, 1.0f);
  EXPECT_GT(high - low, 0.0f);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(buffers.wdl[k], 1.0 / 3, 0.1);
}

// Unpacking on the device, staging arrays and padding change nothing.
TEST(TorchEvaluator, TheWayOfGpusGivesTheSameResults) {
  const Model model = RandomModel(TestSpec(2), 3);
  const auto plain = MakeTorchEvaluator(model, {"cpu", "fp32"});
  const auto device =
      MakeTorchEvaluator(model, {.device = "cpu,cpu", .precision = "fp32", .as_device = true});
  EXPECT_EQ(device->description(), "torch cpu fp32, torch cpu fp32");
  EXPECT_TRUE(device->asynchronous());
  EXPECT_FALSE(plain->asynchronous());
  for (int turn = 0; turn < 3; ++turn) {
    const auto expected = plain->Make(21), evaluator = device->Make(21);
    EXPECT_EQ(evaluator->max_batch(), 21);
    EvalBuffers a(expected->shape(), 21), b(expected->shape(), 21);
    for (std::size_t i = 0; i < a.planes.size(); ++i) {
      a.planes[i] = b.planes[i] = static_cast<std::uint8_t>(37 * i + turn);
    }
    for (std::size_t i = 0; i < a.scalars.size(); ++i) {
      a.scalars[i] = b.scalars[i] = static_cast<float>(i % 7) / 7;
    }
    expected->Evaluate(a.Batch(21, false), a.Result(21));
    evaluator->Begin(b.Batch(21, false), b.Result(21));
    evaluator->Wait();
    for (std::size_t i = 0; i < a.policy_logits.size(); ++i) {
      ASSERT_NEAR(a.policy_logits[i], b.policy_logits[i], 1e-4) << turn << ' ' << i;
    }
    for (int row = 0; row < 21; ++row) {
      EXPECT_NEAR(a.wdl[row * 3], b.wdl[row * 3], 1e-5);
      EXPECT_NEAR(a.score[row], b.score[row], 1e-3);
      EXPECT_NEAR(a.moves_left[row], b.moves_left[row], 1e-3);
    }
  }
}

// Wants a GPU (scripts/gpu_check).
TEST(TorchEvaluator, CudaAgreesWithTheCpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU here";
  const Model model = RandomModel(TestSpec(2), 3);
  const auto exact = MakeTorchEvaluator(model, {"cpu", "fp32"})->Make(64);
  EvalBuffers a(exact->shape(), 64), b(exact->shape(), 64), c(exact->shape(), 64);
  for (std::size_t i = 0; i < a.planes.size(); ++i) {
    a.planes[i] = b.planes[i] = c.planes[i] = static_cast<std::uint8_t>(37 * i);
  }
  exact->Evaluate(a.Batch(64, false), a.Result(64));
  for (const std::string& precision : TorchPrecisions("cuda:0")) {
    const auto evaluator = MakeTorchEvaluator(model, {"cuda:0", precision})->Make(64);
    evaluator->Evaluate(b.Batch(64, false), b.Result(64));
    const auto layers =
        MakeTorchEvaluator(model, {.device = "cuda:0", .precision = precision, .graphs = false});
    layers->Make(64)->Evaluate(c.Batch(64, false), c.Result(64));
    EXPECT_EQ(b.policy_logits, c.policy_logits) << precision << ", with and without graphs";
    double divergence = 0, value_error = 0;
    for (int row = 0; row < 64; ++row) {
      const auto log_policy = [row](const EvalBuffers& buffers) {
        const std::span<const float> logits = buffers.Logits(row);
        return torch::log_softmax(torch::tensor(std::vector<float>(logits.begin(), logits.end())),
                                  0);
      };
      const torch::Tensor p = log_policy(a), q = log_policy(b);
      divergence += (p.exp() * (p - q)).sum().item<double>() / 64;
      const double expected = a.wdl[row * 3] - a.wdl[row * 3 + 2];
      value_error += std::abs(expected - (b.wdl[row * 3] - b.wdl[row * 3 + 2])) / 64;
    }
    std::printf("cuda %s: policy KL %.2e nats, value error %.2e\n", precision.c_str(), divergence,
                value_error);
    EXPECT_LE(divergence, precision == "fp32" ? 1e-6 : 0.01) << precision;
    EXPECT_LE(value_error, precision == "fp32" ? 1e-4 : 0.02) << precision;
  }
}

}  // namespace
}  // namespace qirkat
