#include "selfplay/match/player_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envs/registry.h"
#include "models/evaluators.h"

namespace qirkat {
namespace {

const GameInfo& Info() {
  static const auto game = MakeGame("reversi");
  return game->info();
}

std::string ErrorOf(std::string_view spec, const LoadNet& load_net = {}) {
  try {
    MakePlayer(spec, Info(), load_net, "--a");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(PlayerSpec, Players) {
  EXPECT_EQ(MakePlayer("random", Info(), {}, "--a").evaluator, nullptr);
  const MatchPlayer plain = MakePlayer("hash", Info(), {}, "--a");
  EXPECT_EQ(plain.evaluator->model_name(), "hash");
  EXPECT_EQ(plain.search.temperature, 0);
  EXPECT_EQ(plain.search.final_temperature, 0);
  EXPECT_EQ(plain.search.visits, SearchOptions().visits);
  const MatchPlayer player =
      MakePlayer("rollout:visits=400,playouts=3,cpuct=1.25,reuse_tree=off", Info(), {}, "--a");
  EXPECT_EQ(player.spec, "rollout:visits=400,playouts=3,cpuct=1.25,reuse_tree=off");
  EXPECT_EQ(player.evaluator->model_name(), "rollout:playouts=3");
  EXPECT_EQ(player.search.visits, 400);
  EXPECT_EQ(player.search.cpuct, 1.25);
  EXPECT_FALSE(player.search.reuse_tree);
}

TEST(PlayerSpec, NetsComeFromTheHook) {
  std::string file;
  BackendOptions backend;
  const LoadNet load_net = [&](const std::string& path, const BackendOptions& wanted) {
    file = path;
    backend = wanted;
    return MakeUniformEvaluator(ShapeOf(Info()));
  };
  const MatchPlayer player = MakePlayer("net:a/b.qkt,visits=7", Info(), load_net, "--a");
  EXPECT_EQ(file, "a/b.qkt");
  EXPECT_EQ(player.evaluator->model_name(), "uniform");
  EXPECT_EQ(player.search.visits, 7);
  EXPECT_EQ(backend.precision, "auto");
  MakePlayer("net:a/b.qkt,precision=int8,backend=onednn,device=cpu", Info(), load_net, "--a");
  EXPECT_EQ(backend.precision, "int8");
  EXPECT_EQ(backend.backend, "onednn");
  EXPECT_EQ(backend.device, "cpu");
  EXPECT_THAT(ErrorOf("hash:precision=int8", load_net), testing::HasSubstr("'precision'"));
  EXPECT_THAT(ErrorOf("net:a/b.qkt"), testing::HasSubstr("is a model file; accepted here: "));
  EXPECT_THAT(ErrorOf("net", load_net), testing::HasSubstr("the model file is missing"));
  EXPECT_THAT(ErrorOf("net:", load_net), testing::HasSubstr("the model file is missing"));
}

TEST(PlayerSpec, MistakesNameTheNearest) {
  EXPECT_EQ(
      ErrorOf("rolout:visits=4"),
      "--a: unknown player 'rolout'; did you mean 'rollout'?; accepted: random, rollout, net, "
      "hash, uniform");
  EXPECT_THAT(ErrorOf("hash:vists=4"), testing::HasSubstr("did you mean 'visits'?"));
  EXPECT_THAT(ErrorOf("hash:playouts=4"), testing::HasSubstr("unknown option 'playouts'"));
  EXPECT_THAT(ErrorOf("hash:noise_fraction=1"), testing::HasSubstr("unknown option"));
  EXPECT_THAT(ErrorOf("hash:visits"), testing::HasSubstr("'visits' must be option=value"));
  EXPECT_THAT(ErrorOf("hash:visits=0"), testing::HasSubstr("visits must be"));
  EXPECT_THAT(ErrorOf("hash:visits=4,visits=5"), testing::HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf("rollout:playouts=x"), testing::HasSubstr("playouts"));
  EXPECT_THAT(ErrorOf("random:visits=4"), testing::HasSubstr("random has no options"));
  EXPECT_THAT(ErrorOf(""), testing::HasSubstr("unknown player ''"));
}

TEST(PlayerSpec, ModelsByName) {
  EXPECT_EQ(MakeModel("hash", Info(), {}, "--model")->model_name(), "hash");
  EXPECT_EQ(MakeModel("rollout:playouts=2", Info(), {}, "--model")->model_name(),
            "rollout:playouts=2");
  EXPECT_THROW(MakeModel("no-such-file.qkt", Info(), {}, "--model"), UserError);
  EXPECT_THROW(MakeModel(QIRKAT_SOURCE_DIR "/CMakeLists.txt", Info(), {}, "--model"), UserError);
}

}  // namespace
}  // namespace qirkat
