// Model files as players: match, selfplay and bench with networks, and what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "envs/registry.h"
#include "models/net_weights.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class NetPlayer : public ::testing::Test {
 protected:
  NetPlayer()
      : model_(InitialModel(
            MakeNetSpec(MakeGame("reversi")->info(), NetOptions{.blocks = 1, .channels = 8}), 1)) {}

  std::string Write(const std::string& name) const {
    const std::string path = (folder_.path() / name).string();
    WriteModel(path, model_);
    return path;
  }
  static Arguments Match(const std::string& file) {
    return {"match",   "reversi", "--a",   "net:" + file + ",visits=4", "--b", "random",
            "--games", "2",       "--json"};
  }
  // Expects that neither match nor selfplay takes the file, and that nothing changes on the disk.
  void ExpectRefused(const std::string& file, const std::vector<std::string>& parts) const {
    const auto before = Snapshot(folder_.path());
    ExpectUserError(Match(file), parts);
    ExpectUserError({"selfplay", QIRKAT_SOURCE_DIR "/configs/reference.toml", "--model", file,
                     "--games", "2", "--out", (folder_.path() / "out").string()},
                    parts);
    // Not EXPECT_EQ, which would print every byte.
    EXPECT_TRUE(Snapshot(folder_.path()) == before);
  }

  TemporaryFolder folder_;
  Model model_;
};

TEST_F(NetPlayer, Plays) {
  const ProgramResult result = RunProgram(Match(Write("model.qkt")));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["a"]["model"], ModelName(model_));
}

TEST_F(NetPlayer, AnotherGameOrVersion) {
  model_.spec.game_version += 1;
  ExpectRefused(Write("newer.qkt"), {"newer.qkt", "version"});
  model_.spec.game = "draughts";
  ExpectRefused(Write("other.qkt"), {"other.qkt", "draughts"});
}

TEST_F(NetPlayer, DamagedTruncatedForeignAndMissing) {
  std::string bytes = ReadFile(Write("model.qkt"));
  folder_.Write("short.qkt", bytes.substr(0, bytes.size() / 2));
  bytes[bytes.size() / 2] ^= 1;
  folder_.Write("flipped.qkt", bytes);
  folder_.Write("empty.qkt", "");
  folder_.Write("text.qkt", "hello\n");
  for (const char* name : {"short.qkt", "flipped.qkt", "empty.qkt", "text.qkt", "none.qkt"}) {
    ExpectRefused((folder_.path() / name).string(), {name});
  }
}

TEST_F(NetPlayer, OtherRuleOptionsWarn) {
  const std::string path = Write("model.qkt");
  Arguments arguments = Match(path);
  arguments.insert(arguments.end(), {"--set", "max_plies=20"});
  const ProgramResult result = RunProgram(arguments);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("warning: "));
}

TEST_F(NetPlayer, SelfPlayIsTheSameForAnyWorkersAndSlots) {
  const std::string model = Write("model.qkt");
  const auto play = [&](const std::string& out, const Arguments& more) {
    Arguments arguments = {"selfplay",        QIRKAT_SOURCE_DIR "/configs/reference.toml",
                           "--model",         model,
                           "--games",         "6",
                           "--search.visits", "12",
                           "--out",           (folder_.path() / out).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  for (const std::string precision : {"fp32", "int8", "auto"}) {
    const Arguments one = {"--selfplay.workers", "1",      "--selfplay.slots", "7",
                           "--run.precision",    precision};
    const Arguments other = {"--selfplay.workers", "2",      "--selfplay.slots", "32",
                             "--run.precision",    precision};
    const std::string text = play("one-" + precision, one);
    EXPECT_THAT(text, HasSubstr(precision == "auto" ? "evaluator onednn "
                                                    : "evaluator onednn " + precision));
    play("other-" + precision, other);
    EXPECT_EQ(Snapshot(folder_.path() / ("one-" + precision)),
              Snapshot(folder_.path() / ("other-" + precision)));
    const ProgramResult verified =
        RunProgram({"data", "verify", (folder_.path() / ("one-" + precision)).string()});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  }
}

TEST_F(NetPlayer, PrecisionsPlayEachOther) {
  const std::string file = Write("model.qkt");
  const ProgramResult result =
      RunProgram({"match", "reversi", "--a", "net:" + file + ",visits=4,precision=int8", "--b",
                  "net:" + file + ",visits=4,precision=fp32", "--games", "2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_THAT(json["a"]["evaluator"].get<std::string>(), HasSubstr("onednn int8"));
  EXPECT_THAT(json["b"]["evaluator"].get<std::string>(), HasSubstr("onednn fp32"));
  EXPECT_EQ(json["a"]["model"], json["b"]["model"]);
}

TEST_F(NetPlayer, BenchMeasuresNetworks) {
  const ProgramResult eval =
      RunProgram({"bench", "eval", "alquerque", "--max-batch", "8", "--seconds", "0.01", "--json"});
  EXPECT_EQ(eval.exit_code, 0) << eval.err;
  EXPECT_THAT(eval.out, HasSubstr("onednn int8"));
  const ProgramResult play =
      RunProgram({"bench", "selfplay", "reversi", "--model", Write("model.qkt"), "--visits", "8",
                  "--slots", "4", "--seconds", "0.2", "--threads", "1", "--json"});
  EXPECT_EQ(play.exit_code, 0) << play.err;
}

// Weights that are numbers, but make none.
TEST_F(NetPlayer, WeightsThatGiveNoNumbers) {
  const auto with = [&](const std::string& name, float value) {
    Model damaged = model_;
    for (NamedTensor& tensor : damaged.weights) {
      if (tensor.name == name) tensor.values.assign(tensor.values.size(), value);
    }
    const std::string path = (folder_.path() / "damaged.qkt").string();
    WriteModel(path, damaged);
    return path;
  };
  ExpectUserError(Match(with("stem_norm.running_var", -5)), {"damaged.qkt", "negative variance"});
  for (const char* name : {"policy.weight", "wdl.weight", "score.bias", "moves_left.weight"}) {
    ExpectUserError(Match(with(name, 3e38f)), {"no finite numbers"});
  }
}

TEST_F(NetPlayer, AnotherKindOfCpuIsRefused) {
  ExpectUserError(
      {"selfplay", QIRKAT_SOURCE_DIR "/configs/reference.toml", "--model", Write("model.qkt"),
       "--games", "2", "--run.cpu", "Z80", "--out", (folder_.path() / "out").string()},
      {"--model: ", "cpu 'Z80'", "accepted: auto, AVX"});
}

TEST_F(NetPlayer, BackendsDevicesAndPrecisionsThatAreNotThere) {
  const std::string file = Write("model.qkt");
  const auto refused = [&](const Arguments& more, const std::vector<std::string>& parts) {
    Arguments arguments = Match(file);
    arguments.insert(arguments.end(), more.begin(), more.end());
    ExpectUserError(arguments, parts);
  };
  refused({"--precision", "int4"}, {"int4", "accepted: auto, or one or more of int8"});
  refused({"--backend", "onednn", "--device", "cuda"}, {"cuda", "onednn", "accepted: auto, cpu"});
  refused({"--backend", "tensorflow"}, {"--backend", "auto, onednn, torch"});
  ExpectUserError({"match", "reversi", "--a", "net:" + file + ",precision=fp8", "--b", "random",
                   "--games", "2"},
                  {"fp8", "accepted"});
#ifndef QIRKAT_WITH_TORCH
  refused({"--backend", "torch"}, {"'torch' is not in this program", "accepted: auto, onednn"});
#endif
}

#ifdef QIRKAT_WITH_TORCH
// A real run of self-play in which LibTorch is asked the same as onednn.
TEST_F(NetPlayer, TheCheckerComparesBackendsInSelfPlay) {
  for (const std::string precision : {"fp32", "int8"}) {
    const ProgramResult result = RunProgram(
        {"selfplay", QIRKAT_SOURCE_DIR "/configs/reference.toml", "--model", Write("model.qkt"),
         "--games", "4", "--search.visits", "20", "--run.backend", "checker", "--run.precision",
         precision, "--out", (folder_.path() / ("checked-" + precision)).string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, ContainsRegex("evaluator onednn " + precision +
                                          ".*checked against torch cpu fp32: policy KL .* nats "
                                          ".*on [0-9]{4,} rows"));
  }
}
#endif

}  // namespace
}  // namespace qirkat::test
