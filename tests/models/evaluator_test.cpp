// One contract for every evaluator, over every game.
#include "models/evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "envs/core/text.h"
#include "envs/registry.h"
#include "models/cache_evaluator.h"
#include "models/evaluators.h"
#include "models/onednn/onednn_evaluator.h"
#include "models/round_robin_evaluator.h"
#include "tests/models/expect_user_error.h"
#include "tests/models/fake_device.h"
#include "tests/models/reference_net.h"
#ifdef QIRKAT_WITH_TORCH
#include "models/torch/torch_evaluator.h"
#endif

namespace qirkat {
namespace {

constexpr int kRows = 64;

// Positions of random games, each row with its observation and seed.
struct Rows {
  explicit Rows(const AnyGame& game) : shape(ShapeOf(game.info())), buffers(shape, kRows) {
    RandomStream random(1, 0, 0, StreamPurpose::kTest);
    auto line = game.NewLine(random);
    while (static_cast<int>(lines.size()) < kRows) {
      for (int k = 0; k < 3 && !line->over(); ++k) {
        line->Play(line->legal(random.Below(line->legal_count())));
      }
      if (line->over()) {
        line = game.NewLine(random);
        continue;
      }
      const int row = static_cast<int>(lines.size());
      line->Observe(buffers.Row(row));
      buffers.seeds[row] = random.Next();
      lines.push_back(line->Clone());
      buffers.lines[row] = lines.back().get();
    }
  }

  EvalShape shape;
  EvalBuffers buffers;
  std::vector<std::unique_ptr<AnyLine>> lines;
};

// The bits of everything that an evaluator said about a row.
std::vector<std::uint32_t> RowBits(const EvalBuffers& buffers, int row) {
  std::vector<std::uint32_t> bits;
  for (const float x : buffers.Logits(row)) bits.push_back(std::bit_cast<std::uint32_t>(x));
  for (int k = 0; k < 3; ++k) {
    bits.push_back(std::bit_cast<std::uint32_t>(buffers.wdl[row * 3 + k]));
  }
  bits.push_back(std::bit_cast<std::uint32_t>(buffers.score[row]));
  bits.push_back(std::bit_cast<std::uint32_t>(buffers.moves_left[row]));
  return bits;
}

// Evaluates these rows as one batch; their results in the batch's order.
std::vector<std::vector<std::uint32_t>> Evaluate(Evaluator& evaluator, const Rows& rows,
                                                 const std::vector<int>& order) {
  const int size = static_cast<int>(order.size());
  EvalBuffers batch(rows.shape, size);
  for (int i = 0; i < size; ++i) {
    const int from = order[i];
    std::copy_n(rows.buffers.planes.begin() + from * rows.shape.plane_bytes, rows.shape.plane_bytes,
                batch.Row(i).planes);
    std::copy_n(rows.buffers.scalars.begin() + from * rows.shape.scalars, rows.shape.scalars,
                batch.Row(i).scalars);
    batch.lines[i] = rows.buffers.lines[from];
    batch.seeds[i] = rows.buffers.seeds[from];
  }
  const EvalBatch input = batch.Batch(size, evaluator.needs_lines());
  if (size % 2 == 0) {
    evaluator.Evaluate(input, batch.Result(size));
  } else {  // the other way that must give the same
    evaluator.Begin(input, batch.Result(size));
    evaluator.Wait();
  }
  std::vector<std::vector<std::uint32_t>> results;
  for (int i = 0; i < size; ++i) results.push_back(RowBits(batch, i));
  return results;
}

std::shared_ptr<const EvaluatorFactory> MakeOnednn(const AnyGame& game, const NetOptions& net,
                                                   const std::string& precision) {
  return MakeOnednnEvaluator(
      RandomModel(MakeNetSpec(game.info(), net), 1), precision,
      [&](Evaluator& evaluator) { return PlayCalibrationRows(game, evaluator); });
}

struct Case {
  std::string name;
  std::function<std::shared_ptr<const EvaluatorFactory>(const AnyGame&)> make;
  std::function<void()> check = [] {};  // throws UserError if this CPU has no such precision
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* spec : {"uniform", "hash", "rollout:playouts=2"}) {
    cases.push_back(
        {spec,
         [spec](const AnyGame& game) { return MakeEvaluator(spec, ShapeOf(game.info()), "test"); },
         [] {}});
  }
  cases.push_back({"device", [](const AnyGame& game) {
                     return std::make_shared<test::FakeDevice>(
                         MakeHashEvaluator(ShapeOf(game.info())));
                   }});
  // Channel counts for which the convolution libraries choose different kernels.
  for (const std::int64_t channels : {20, 32, 64}) {
    const NetOptions net{.blocks = 2,
                         .channels = channels,
                         .pooled_every = 2,
                         .head_channels = channels / 2,
                         .value_hidden = 24};
    for (const char* precision : {"fp32", "bf16", "int8"}) {
      const auto make = [=](const AnyGame& game) { return MakeOnednn(game, net, precision); };
      cases.push_back({StrCat("onednn_", precision, '_', channels), make,
                       [=] { ResolveOnednnPrecision(precision); }});
    }
#ifdef QIRKAT_WITH_TORCH
    for (const char* precision : {"fp32", "bf16"}) {
      const auto make = [=](const AnyGame& game) {
        return MakeTorchEvaluator(RandomModel(MakeNetSpec(game.info(), net), 1),
                                  {.device = "cpu", .precision = precision});
      };
      cases.push_back({StrCat("torch_", precision, '_', channels), make, [=] {
                         ResolveTorchOptions({"cpu", precision});
                       }});
    }
    // The way of GPUs, on the CPU: two devices, rows unpacked there.
    cases.push_back({StrCat("torch_device_", channels), [=](const AnyGame& game) {
                       return MakeTorchEvaluator(
                           RandomModel(MakeNetSpec(game.info(), net), 1),
                           {.device = "cpu,cpu", .precision = "fp32", .as_device = true});
                     }});
    for (const char* precision : {"fp32", "fp16", "bf16"}) {
      const TorchOptions gpu{.device = "cuda", .precision = precision};
      cases.push_back({StrCat("torch_cuda_", precision, '_', channels),
                       [=](const AnyGame& game) {
                         return MakeTorchEvaluator(RandomModel(MakeNetSpec(game.info(), net), 1),
                                                   gpu);
                       },
                       [=] { ResolveTorchOptions(gpu); }});
    }
#endif
  }
  return cases;
}

class EvaluatorContract : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    try {
      GetParam().check();
    } catch (const UserError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_P(EvaluatorContract, RowsKeepTheirBitsInAnyBatch) {
  for (const std::string& name : GameNames()) {
    const auto game = MakeGame(name);
    const Rows rows(*game);
    const auto factory = GetParam().make(*game);
    std::vector<int> order(kRows);
    std::iota(order.begin(), order.end(), 0);
    const auto expected = Evaluate(*factory->Make(kRows), rows, order);

    RandomStream random(2, 0, 0, StreamPurpose::kTest);
    const auto evaluator = factory->Make(kRows);
    const auto larger = factory->Make(200);
    const auto cached = MakeCachedEvaluator(factory, 1 << 20)->Make(kRows);
    for (int size = 1; size <= kRows; ++size) {
      for (int i = kRows - 1; i > 0; --i) std::swap(order[i], order[random.Below(i + 1)]);
      const std::vector<int> batch(order.begin(), order.begin() + size);
      for (Evaluator* each : {evaluator.get(), larger.get(), cached.get()}) {
        const auto results = Evaluate(*each, rows, batch);
        for (int i = 0; i < size; ++i) {
          ASSERT_EQ(results[i], expected[batch[i]])
              << name << ", row " << i << " of " << size << ", max_batch " << each->max_batch();
        }
      }
    }
    const auto small = factory->Make(1);
    EXPECT_EQ(Evaluate(*small, rows, {7})[0], expected[7]);
  }
}

TEST_P(EvaluatorContract, ResultsAreProbabilitiesAndFinite) {
  for (const std::string& name : GameNames()) {
    const auto game = MakeGame(name);
    Rows rows(*game);
    const auto factory = GetParam().make(*game);
    const auto evaluator = factory->Make(kRows);
    EXPECT_EQ(evaluator->shape(), rows.shape);
    EXPECT_EQ(evaluator->max_batch(), kRows);
    EvalBuffers& buffers = rows.buffers;
    evaluator->Evaluate(buffers.Batch(kRows, evaluator->needs_lines()), buffers.Result(kRows));
    for (int row = 0; row < kRows; ++row) {
      const float* wdl = &buffers.wdl[row * 3];
      EXPECT_NEAR(wdl[0] + wdl[1] + wdl[2], 1, 1e-6);
      EXPECT_GE(std::min({wdl[0], wdl[1], wdl[2]}), 0);
      EXPECT_TRUE(std::isfinite(buffers.score[row]));
      EXPECT_TRUE(std::isfinite(buffers.moves_left[row]));
      EXPECT_GE(buffers.moves_left[row], 0);
      for (const float logit : buffers.Logits(row)) EXPECT_TRUE(std::isfinite(logit));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EvaluatorContract, testing::ValuesIn(Cases()), [](const auto& info) {
  return info.param.name.substr(0, info.param.name.find(':'));
});

TEST(HashEvaluator, KnownValuesAndRange) {
  const EvalShape shape{.plane_bytes = 24, .scalars = 1, .policy_size = 65};
  EvalBuffers buffers(shape, 2);
  for (int i = 0; i < 24; ++i) buffers.planes[24 + i] = static_cast<std::uint8_t>(i);
  buffers.scalars[1] = 0.5f;
  MakeHashEvaluator(shape)->Make(2)->Evaluate(buffers.Batch(2, false), buffers.Result(2));
  // Part of every signature that is made with this evaluator: the same on every platform.
  EXPECT_EQ(buffers.Logits(1)[0], 0x1.3b92cp-3f);
  EXPECT_EQ(buffers.wdl[3], 0x1.a7b664p-2f);
  EXPECT_EQ(buffers.wdl[0] + buffers.wdl[1] + buffers.wdl[2], 1.0f);
  for (const float logit : buffers.policy_logits) {
    EXPECT_GE(logit, -2);
    EXPECT_LE(logit, 2);
  }
  EXPECT_NE(RowBits(buffers, 0), RowBits(buffers, 1));
}

TEST(RolloutEvaluator, OnlyTheRowsSeedDecides) {
  const auto game = MakeGame("reversi");
  Rows rows(*game);
  const auto evaluator = MakeRolloutEvaluator(rows.shape, 3)->Make(kRows);
  const auto first = Evaluate(*evaluator, rows, {5, 5, 6});
  EXPECT_EQ(first[0], first[1]);
  for (std::uint64_t& seed : rows.buffers.seeds) seed += 1;
  const auto second = Evaluate(*evaluator, rows, {5, 6, 7, 8});
  EXPECT_NE(second[0], first[0]);
}

TEST(RolloutEvaluator, AveragesTheGamesForThePlayerToMove) {
  const auto game = MakeGame("reversi");
  // Player 1 is to move and whatever it plays, the game ends with its single answer.
  const auto start = game->NewLineAt("start");
  EvalBuffers buffers(ShapeOf(game->info()), 1);
  start->Play(start->legal(0));
  buffers.lines[0] = start.get();
  buffers.seeds[0] = 9;
  constexpr int kPlayouts = 50;
  MakeRolloutEvaluator(ShapeOf(game->info()), kPlayouts)
      ->Make(1)
      ->Evaluate(buffers.Batch(1, true), buffers.Result(1));
  RandomStream random(9, 0, 0, StreamPurpose::kRollout);
  double wins = 0, score = 0, plies = 0;
  for (int k = 0; k < kPlayouts; ++k) {
    const Playout playout = start->RandomPlayout(random);
    wins += playout.outcome.result == -1;
    score -= playout.outcome.score;
    plies += playout.plies;
  }
  EXPECT_FLOAT_EQ(buffers.wdl[0], static_cast<float>(wins / kPlayouts));
  EXPECT_FLOAT_EQ(buffers.score[0], static_cast<float>(score / kPlayouts));
  EXPECT_FLOAT_EQ(buffers.moves_left[0], static_cast<float>(plies / kPlayouts));
}

TEST(RoundRobinEvaluator, DevicesTakeTurns) {
  const EvalShape shape{.plane_bytes = 24, .scalars = 1, .policy_size = 65};
  std::vector<std::shared_ptr<test::FakeDevice>> devices;
  for (int i = 0; i < 3; ++i) {
    devices.push_back(std::make_shared<test::FakeDevice>(MakeHashEvaluator(shape)));
  }
  const auto factory = MakeRoundRobinEvaluator({devices.begin(), devices.end()});
  EXPECT_TRUE(factory->asynchronous());
  EXPECT_EQ(factory->model_name(), "hash");
  EXPECT_EQ(factory->description(), "hash, hash, hash");
  std::vector<std::unique_ptr<Evaluator>> made;
  for (int i = 0; i < 8; ++i) {
    std::vector<int> expected;
    for (const auto& device : devices) expected.push_back(device->living());
    ++expected[i % 3];
    made.push_back(factory->Make(4));
    for (int d = 0; d < 3; ++d) EXPECT_EQ(devices[d]->living(), expected[d]) << i << ' ' << d;
  }
}

TEST(EvaluatorSpec, SaysWhatIsWrong) {
  const EvalShape shape{.plane_bytes = 8, .scalars = 0, .policy_size = 4};
  EXPECT_EQ(MakeEvaluator("rollout:playouts=4", shape, "x")->model_name(), "rollout:playouts=4");
  EXPECT_EQ(MakeEvaluator("rollout", shape, "x")->model_name(), "rollout:playouts=1");
  EXPECT_EQ(MakeEvaluator("hash", shape, "x")->model_name(), "hash");
  const auto error = [&](const char* spec, std::initializer_list<std::string> parts) {
    ExpectUserError([&] { MakeEvaluator(spec, shape, "here"); }, parts);
  };
  error("hush", {"here", "hush", "did you mean 'hash'", "uniform"});
  error("", {"here", "uniform, hash, rollout"});
  error("hash:x=1", {"here", "takes no options"});
  error("rollout:playouts=0", {"playouts", "1 … "});
  error("rollout:playout=2", {"did you mean 'playouts'"});
  error("rollout:playouts", {"option=value"});
}

#ifdef QIRKAT_WITH_TORCH
TEST(TorchEvaluator, AgreesWithTheReference) {
  const auto game = MakeGame("reversi");
  const NetOptions net{
      .blocks = 2, .channels = 16, .pooled_every = 2, .head_channels = 8, .value_hidden = 12};
  const Model model = RandomModel(MakeNetSpec(game->info(), net), 3);
  Rows rows(*game);
  const auto evaluator = MakeTorchEvaluator(model, {"cpu", "fp32"})->Make(kRows);
  EvalBuffers& buffers = rows.buffers;
  evaluator->Evaluate(buffers.Batch(kRows, false), buffers.Result(kRows));
  for (int row = 0; row < 4; ++row) {
    const ObservationRow observation = buffers.Row(row);
    const ReferenceOutput expected = ReferenceForward(
        model, {observation.planes, static_cast<std::size_t>(rows.shape.plane_bytes)},
        {observation.scalars, static_cast<std::size_t>(rows.shape.scalars)});
    for (int a = 0; a < rows.shape.policy_size; ++a) {
      EXPECT_NEAR(buffers.Logits(row)[a], expected.policy_logits[a], 1e-4) << "action " << a;
    }
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(buffers.wdl[row * 3 + k], expected.wdl[k], 1e-5);
    EXPECT_NEAR(buffers.score[row], expected.score, 1e-2);
    EXPECT_NEAR(buffers.moves_left[row], expected.moves_left, 1e-2);
  }
}

TEST(TorchEvaluator, UnknownDeviceAndPrecision) {
  ExpectUserError([] { ResolveTorchOptions({"cuda:99", "auto"}); }, {"cuda:99", "auto, cpu"});
  ExpectUserError([] { ResolveTorchOptions({"gpu", "auto"}); }, {"gpu", "auto, cpu"});
  ExpectUserError([] { ResolveTorchOptions({"cpu", "fp16"}); }, {"fp16", "auto, fp32, bf16"});
  const TorchOptions resolved = ResolveTorchOptions({"cpu", "auto"});
  EXPECT_TRUE(resolved.precision == "fp32" || resolved.precision == "bf16");
}
#endif

}  // namespace
}  // namespace qirkat
