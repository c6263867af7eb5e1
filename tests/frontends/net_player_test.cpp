// Model files as players: what match and selfplay refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "envs/registry.h"
#include "models/net_weights.h"
#include "models/torch/torch_evaluator.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

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
  EXPECT_THAT(result.err, ::testing::HasSubstr("warning: "));
}

}  // namespace
}  // namespace qirkat::test
