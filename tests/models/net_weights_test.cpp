#include "models/net_weights.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/models/expect_user_error.h"
#include "tests/models/reference_net.h"

namespace qirkat {
namespace {

NetSpec TestSpec(std::int64_t pooled_every, bool scalars) {
  return {.game = "test",
          .game_version = 1,
          .game_options = {},
          .plane_names = {"own", "enemy"},
          .scalar_names = scalars ? std::vector<std::string>{"plies"} : std::vector<std::string>{},
          .columns = 4,
          .rows = 3,
          .policy_planes = 3,
          .policy_extras = 2,
          .net = {.blocks = 3,
                  .channels = 14,
                  .pooled_every = pooled_every,
                  .head_channels = 6,
                  .value_hidden = 8}};
}

TEST(NetTensors, AreTheOnesThatTheReferenceReads) {
  for (const int pooled_every : {0, 1, 2, 3}) {
    for (const bool scalars : {true, false}) {
      const NetSpec spec = TestSpec(pooled_every, scalars);
      const auto expected = ReferenceTensors(spec), tensors = NetTensors(spec);
      ASSERT_EQ(tensors.size(), expected.size());
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        EXPECT_EQ(tensors[i].name, expected[i].name);
        EXPECT_EQ(tensors[i].shape, expected[i].shape) << tensors[i].name;
      }
      CheckWeights(spec, RandomModel(spec, 1).weights);
    }
  }
}

TEST(CheckWeights, SaysWhichTensorDoesNotFit) {
  const Model good = RandomModel(TestSpec(2, true), 2);
  const auto error = [&](auto damage, std::initializer_list<std::string> parts) {
    Model model = good;
    damage(model.weights);
    ExpectUserError([&] { CheckWeights(model.spec, model.weights); }, parts);
  };
  error([](auto& weights) { weights[0].name = "root.weight"; }, {"root.weight", "stem.weight"});
  error([](auto& weights) { std::swap(weights[0].shape[0], weights[0].shape[1]); },
        {"[2, 14, 3, 3]", "[14, 2, 3, 3]"});
  error([](auto& weights) { weights.pop_back(); }, {"tensors, the weights"});
}

TEST(InitialModel, DependsOnTheSeedAlone) {
  const NetSpec spec = TestSpec(2, true);
  const Model model = InitialModel(spec, 7);
  CheckWeights(spec, model.weights);
  EXPECT_EQ(ModelName(InitialModel(spec, 7)), ModelName(model));
  EXPECT_NE(ModelName(InitialModel(spec, 8)), ModelName(model));
}

}  // namespace
}  // namespace qirkat
