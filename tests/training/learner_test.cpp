// Losses, optimizer and learner.
#include "training/learner/learner.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "envs/core/error.h"
#include "envs/registry.h"
#include "models/net_weights.h"
#include "models/torch/net.h"
#include "models/torch/torch_evaluator.h"
#include "random_games.h"
#include "training/learner/batch_loader.h"
#include "training/learner/losses.h"
#include "training/learner/optimizer.h"

namespace qirkat {
namespace {

// As main does, before LibTorch computes anything.
const bool prepared = (PrepareTorchProcess(), true);

TEST(LearningRate, WarmsUpThenFallsAlongACosine) {
  LearnerOptions options;
  options.learning_rate = 0.1;
  options.final_learning_rate = 0.02;
  options.warmup_steps = 10;
  EXPECT_DOUBLE_EQ(LearningRate(options, 0, 0), 0.01);
  EXPECT_DOUBLE_EQ(LearningRate(options, 4, 0), 0.05);
  EXPECT_DOUBLE_EQ(LearningRate(options, 9, 0), 0.1);
  EXPECT_DOUBLE_EQ(LearningRate(options, 500, 0.5), 0.06);
  EXPECT_DOUBLE_EQ(LearningRate(options, 500, 1), 0.02);
}

TEST(StepsAfter, KeepsTheRatioOfTrainingRowsToNewRows) {
  LearnerOptions options;
  options.rows_per_new_row = 4;
  options.batch_size = 256;
  EXPECT_EQ(StepsAfter(options, 0), 0u);
  EXPECT_EQ(StepsAfter(options, 63), 0u);
  EXPECT_EQ(StepsAfter(options, 64), 1u);
  EXPECT_EQ(StepsAfter(options, 6400), 100u);
}

// Two rows over three actions, worked out by hand.
TEST(Losses, AreTheValuesWorkedOutByHand) {
  NetSpec spec;
  spec.columns = 4;
  spec.rows = 5;
  const double score_scale = spec.score_scale(), moves_scale = NetSpec::kMovesLeftScale;
  const auto rows = [](std::vector<float> values, std::vector<std::int64_t> shape) {
    return torch::tensor(values).view(shape);
  };
  const NetOutput output{.policy_logits = rows({1, 2, 50, 0, 0, 0}, {2, 3}),
                         .wdl_logits = rows({0, 0, 0, 3, 1, 0}, {2, 3}),
                         .score = rows({0.2f, -1}, {2}),
                         .moves_left = rows({1, 0.5f}, {2})};
  const LossTargets targets{
      .legal = torch::tensor({1, 1, 0, 1, 1, 1}).view({2, 3}).to(torch::kBool),
      .policy = rows({0.75f, 0.25f, 0, 0, 0, 1}, {2, 3}),
      .wdl = rows({1, 0, 0, 0.5f, 0.5f, 0}, {2, 3}),
      .result = torch::tensor({std::int64_t{0}, std::int64_t{1}}),
      .score = rows({static_cast<float>(0.1 * score_scale), 0}, {2}),
      .moves_left = rows({static_cast<float>(moves_scale), static_cast<float>(moves_scale)}, {2}),
      .weight = rows({1, 3}, {2}),
      .policy_weight = rows({1, 1}, {2})};
  LearnerOptions options;
  options.policy_loss = 1;
  options.value_loss = 2;
  options.score_loss = 3;
  options.moves_left_loss = 4;
  const Losses losses = ComputeLosses(output, targets, spec, options);

  const double log_sum = std::log(std::exp(1) + std::exp(2));
  const double policy_0 = -(0.75 * (1 - log_sum) + 0.25 * (2 - log_sum));
  const double policy = (policy_0 + std::log(3)) / 2;
  const double wdl_sum = std::log(std::exp(3) + std::exp(1) + 1);
  const double value = (std::log(3) + 3 * (wdl_sum - 2)) / 4;
  // Errors 0.1 (squared part) and 1 (linear part, delta 0.5).
  const double score = (0.5 * 0.01 + 3 * 0.5 * (1 - 0.25)) / 4;
  const double moves_left = (0 + 3 * 0.5 * 0.25) / 4;
  EXPECT_NEAR(losses.policy.item<double>(), policy, 1e-6);
  EXPECT_NEAR(losses.value.item<double>(), value, 1e-6);
  EXPECT_NEAR(losses.score.item<double>(), score, 1e-6);
  EXPECT_NEAR(losses.moves_left.item<double>(), moves_left, 1e-6);
  EXPECT_NEAR(losses.total.item<double>(), policy + 2 * value + 3 * score + 4 * moves_left, 1e-5);
  EXPECT_NEAR(losses.policy_entropy.item<double>(),
              -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)) / 2, 1e-6);
  // Row 0: best legal action 1, target 0. Row 1: all equal, the first one.
  EXPECT_NEAR(losses.policy_accuracy.item<double>(), 0, 1e-6);
  EXPECT_NEAR(losses.value_accuracy.item<double>(), 0.25, 1e-6);
  EXPECT_NEAR(losses.score_error.item<double>(), (0.1 + 3) / 4 * score_scale, 1e-4);
  EXPECT_NEAR(losses.moves_left_error.item<double>(), 3 * 0.5 / 4 * moves_scale, 1e-4);
}

TEST(Losses, OfABatchWithoutPolicyRowsAreFinite) {
  NetSpec spec;
  spec.columns = spec.rows = 2;
  const NetOutput output{torch::zeros({1, 3}), torch::zeros({1, 3}), torch::zeros({1}),
                         torch::zeros({1})};
  const LossTargets targets{.legal = torch::ones({1, 3}, torch::kBool),
                            .policy = torch::zeros({1, 3}),
                            .wdl = torch::tensor({{1.0f, 0.0f, 0.0f}}),
                            .result = torch::zeros({1}, torch::kInt64),
                            .score = torch::zeros({1}),
                            .moves_left = torch::zeros({1}),
                            .weight = torch::ones({1}),
                            .policy_weight = torch::zeros({1})};
  const Losses losses = ComputeLosses(output, targets, spec, {});
  EXPECT_EQ(losses.policy.item<double>(), 0);
  EXPECT_NEAR(losses.total.item<double>(), std::log(3), 1e-6);
}

class LearnerTest : public ::testing::Test {
 protected:
  LearnerTest() {
    NetOptions net;
    net.blocks = 2;
    net.channels = 16;
    net.pooled_every = 2;
    net.head_channels = 8;
    net.value_hidden = 16;
    spec_ = MakeNetSpec(info_, net);
    options_.batch_size = 64;
    options_.threads = 1;
    for (const GameRecord& game : test::RandomGames(*game_, 3, 4)) window_.AddGame(0, game);
  }

  Learner MakeLearner() const { return Learner(info_, options_, 9, InitialModel(spec_, 5)); }
  // Trains `steps` steps and returns the last one's numbers.
  StepMetrics Train(Learner& learner, int steps, double rate = 3e-3) const {
    StepMetrics metrics;
    RunWithTorchThreads(options_.threads, [&] {
      for (int s = 0; s < steps; ++s) metrics = learner.Step(window_, rate, s + 1 < steps);
    });
    return metrics;
  }
  static void ExpectSame(const LearnerState& a, const LearnerState& b) {
    EXPECT_EQ(ModelName(a.weights), ModelName(b.weights));
    EXPECT_EQ(ModelName(a.average), ModelName(b.average));
    EXPECT_EQ(SerializeTensorFile(a.optimizer), SerializeTensorFile(b.optimizer));
  }

  std::shared_ptr<const AnyGame> game_ = MakeGame("reversi");
  const GameInfo& info_ = game_->info();
  NetSpec spec_;
  LearnerOptions options_;
  ReplayWindow window_{info_, {}};
};

// The flat updates against LibTorch's own optimizers, layer by layer.
void CompareWithLibTorch(const std::string& name, const NetSpec& spec) {
  LearnerOptions options;
  options.optimizer = name;
  options.weight_decay = 0.1;
  options.gradient_clip = 0;
  QirkatNet ours = NetFromModel(InitialModel(spec, 1));
  QirkatNet theirs = NetFromModel(InitialModel(spec, 1));
  FlatOptimizer flat(*ours, options);
  std::vector<torch::Tensor> matrices, others;
  for (const torch::Tensor& p : theirs->parameters())
    (p.dim() > 1 ? matrices : others).push_back(p);
  std::unique_ptr<torch::optim::Optimizer> reference;
  const auto groups = [&](auto decayed) {
    auto plain = decayed;
    plain.weight_decay(0);
    decayed.weight_decay(options.weight_decay);
    using Options = decltype(decayed);
    return std::vector<torch::optim::OptimizerParamGroup>{
        {matrices, std::make_unique<Options>(decayed)}, {others, std::make_unique<Options>(plain)}};
  };
  if (name == "adamw") {
    const torch::optim::AdamWOptions defaults(0.01);
    reference = std::make_unique<torch::optim::AdamW>(groups(defaults), defaults);
  } else {
    auto defaults = torch::optim::SGDOptions(0.01);
    defaults.momentum(options.momentum);
    reference = std::make_unique<torch::optim::SGD>(groups(defaults), defaults);
  }
  for (int step = 0; step < 5; ++step) {
    const torch::Tensor planes = torch::arange(4 * spec.planes() * spec.squares())
                                     .remainder(7 + step)
                                     .lt(3)
                                     .to(torch::kFloat)
                                     .view({4, spec.planes(), spec.rows, spec.columns});
    const torch::Tensor scalars = torch::zeros({4, spec.scalars()});
    const auto loss = [&](QirkatNet& net) {
      const NetOutput output = net->forward(planes, scalars);
      return (output.policy_logits - 1).square().mean() + output.wdl_logits.square().mean() +
             (output.score - 2).square().mean() + output.moves_left.mean();
    };
    flat.ZeroGradients();
    reference->zero_grad();
    loss(ours).backward();
    loss(theirs).backward();
    flat.Step(0.01);
    reference->step();
  }
  const auto a = ours->named_parameters(), b = theirs->named_parameters();
  for (const auto& item : a) {
    EXPECT_TRUE(torch::allclose(item.value(), b[item.key()], 1e-4, 1e-5))
        << name << ' ' << item.key();
  }
}

TEST_F(LearnerTest, AdamWIsLibTorchs) { CompareWithLibTorch("adamw", spec_); }
TEST_F(LearnerTest, SgdIsLibTorchs) { CompareWithLibTorch("sgd", spec_); }

TEST_F(LearnerTest, AverageFollowsWeightsAndRunningStatistics) {
  options_.ema_decay = 0.9;
  Learner learner = MakeLearner();
  LearnerState before = learner.Save();
  for (int step = 0; step < 3; ++step) {
    Train(learner, 1);
    const LearnerState after = learner.Save();
    for (std::size_t t = 0; t < after.average.weights.size(); ++t) {
      for (std::size_t i = 0; i < after.average.weights[t].values.size(); ++i) {
        const double expected =
            0.9 * before.average.weights[t].values[i] + 0.1 * after.weights.weights[t].values[i];
        ASSERT_NEAR(after.average.weights[t].values[i], expected, 1e-5)
            << after.average.weights[t].name;
      }
    }
    before = after;
  }
}

TEST_F(LearnerTest, LearnsASmallDataSetByHeart) {
  options_.augment = false;
  for (const char* precision : {"fp32", "bf16"}) {
    options_.precision = precision;
    Learner learner = MakeLearner();
    const StepMetrics first = Train(learner, 1, 5e-3);
    const StepMetrics last = Train(learner, 150, 5e-3);
    EXPECT_LT(last.policy_loss_nats - last.policy_entropy_nats,
              0.6 * (first.policy_loss_nats - first.policy_entropy_nats))
        << precision;
    EXPECT_LT(last.value_loss_nats, 0.3 * first.value_loss_nats) << precision;
    EXPECT_GT(last.value_accuracy, 0.9) << precision;
    EXPECT_LT(last.score_error, 0.6 * first.score_error) << precision;
    EXPECT_LT(last.moves_left_error_plies, 0.6 * first.moves_left_error_plies) << precision;
  }
}

TEST_F(LearnerTest, LearnsBySgd) {
  options_.optimizer = "sgd";
  Learner learner = MakeLearner();
  const StepMetrics first = Train(learner, 1, 0.05);
  const StepMetrics last = Train(learner, 150, 0.05);
  EXPECT_LT(last.value_loss_nats, 0.5 * first.value_loss_nats);
  EXPECT_LT(last.loss, 0.8 * first.loss);
}

TEST_F(LearnerTest, StepsAreBitExactAndResumable) {
  for (const char* optimizer : {"adamw", "sgd"}) {
    options_.optimizer = optimizer;
    Learner straight = MakeLearner();
    Train(straight, 6);
    Learner first = MakeLearner();
    Train(first, 2);
    const LearnerState saved = first.Save();
    Learner second = MakeLearner();
    second.Load(saved, "test");
    ExpectSame(second.Save(), saved);
    Train(second, 4);
    ExpectSame(second.Save(), straight.Save());
    EXPECT_EQ(second.step(), 6u);
  }
}

TEST_F(LearnerTest, ABatchMadeAheadIsTheBatchOfItsStep) {
  BatchLoader loader(info_, options_, 9, false);
  // Made ahead and taken, made ahead and thrown away, not made ahead.
  const std::pair<std::uint64_t, bool> calls[] = {{0, true}, {1, true}, {7, false}, {8, true}};
  for (const auto& [step, more] : calls) {
    const HostBatch& batch = loader.Load(window_, step, more);
    BatchLoader other(info_, options_, 9, false);
    const HostBatch& expected = other.Load(window_, step, false);
    EXPECT_TRUE(torch::equal(batch.planes, expected.planes)) << step;
    EXPECT_TRUE(torch::equal(batch.targets.policy, expected.targets.policy)) << step;
    EXPECT_TRUE(batch.planes.is_contiguous(torch::MemoryFormat::ChannelsLast));
  }
  EXPECT_GE(loader.wait_seconds(), 0);
}

TEST_F(LearnerTest, RefusesTheStateOfAnotherOptimizer) {
  Learner learner = MakeLearner();
  options_.optimizer = "sgd";
  Learner other = MakeLearner();
  EXPECT_THROW(learner.Load(other.Save(), "here"), UserError);
}

}  // namespace
}  // namespace qirkat
