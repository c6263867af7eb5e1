// qirkat inspect: models, run folders, checkpoints, shards, and what is none of these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "envs/registry.h"
#include "frontends/metrics/metrics_files.h"
#include "models/net_weights.h"
#include "selfplay/data/shard.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Model SmallModel() {
  return InitialModel(
      MakeNetSpec(MakeGame("reversi")->info(), NetOptions{.blocks = 1, .channels = 8}), 1);
}

json Inspect(const std::filesystem::path& path) {
  const ProgramResult result = RunProgram({"inspect", path.string(), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const ProgramResult text = RunProgram({"inspect", path.string()});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  const json facts = json::parse(result.out);
  EXPECT_THAT(text.out, HasSubstr(facts["kind"].get<std::string>()));
  return facts;
}

TEST(InspectCommand, Model) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.qkt";
  const Model model = SmallModel();
  WriteModel(path, model);
  const json facts = Inspect(path);
  EXPECT_EQ(facts["kind"], "model");
  EXPECT_EQ(facts["model"], ModelName(model));
  EXPECT_EQ(facts["game"], "reversi");
  EXPECT_EQ(facts["playable"], "yes");
  std::size_t parameters = 0;
  for (const NamedTensor& tensor : model.weights) parameters += tensor.values.size();
  EXPECT_EQ(facts["parameters"], parameters);
  EXPECT_EQ(facts["net"]["channels"], "8");
  EXPECT_EQ(facts["tensors"][1], json::parse(R"({"name": "stem_norm.weight", "shape": [8]})"));
  EXPECT_EQ(facts["bytes"], std::filesystem::file_size(path));
  ExpectUserError({"inspect", path.string(), "--svg", (folder.path() / "curve.svg").string()},
                  {"--svg: ", "model.qkt is no run folder"});
}

TEST(InspectCommand, ModelOfAnotherVersionOrGame) {
  const TemporaryFolder folder;
  Model model = SmallModel();
  model.spec.game_version = 99;
  WriteModel(folder.path() / "newer.qkt", model);
  EXPECT_THAT(Inspect(folder.path() / "newer.qkt")["playable"].get<std::string>(),
              ::testing::AllOf(HasSubstr("no: "), HasSubstr("99")));
  model.spec.game = "draughts";
  WriteModel(folder.path() / "other.qkt", model);
  EXPECT_THAT(Inspect(folder.path() / "other.qkt")["playable"].get<std::string>(),
              HasSubstr("no: unknown game 'draughts'"));
}

TEST(InspectCommand, DamagedModelsAreRefused) {
  const TemporaryFolder folder;
  WriteModel(folder.path() / "model.qkt", SmallModel());
  const std::string good = ReadFile(folder.path() / "model.qkt");
  // All sorts of damage: tests/models.
  std::vector<std::string> damaged = {"", "\x89HDF\r\n\x1a\n", good.substr(0, good.size() / 2),
                                      good};
  damaged.back()[good.size() / 2] ^= 4;
  for (const std::string& bytes : damaged) {
    const std::string path = folder.Write("bad.qkt", bytes);
    ExpectUserError({"inspect", path}, {"bad.qkt"});
    EXPECT_EQ(ReadFile(path), bytes);
  }
}

TEST(InspectCommand, RunFolder) {
  const TemporaryFolder folder;
  const auto& run = folder.path();
  folder.Write("config.toml", "[game]\nname = \"reversi\"\n[search]\nvisits = 7\n");
  EXPECT_EQ(Inspect(run)["changed_options"], json::parse(R"(["search.visits = 7"])"));

  WriteModel(run / "model.qkt", SmallModel());
  folder.Write("checkpoints/0000/state.json", R"({"generation": 0, "step": 0})");
  folder.Write("checkpoints/0001/state.json", R"({"generation": 1, "step": 50})");
  WriteModel(run / "checkpoints/0001/model.qkt", SmallModel());
  std::filesystem::create_directories(run / "data" / "gen-0000");
  Shard shard;
  shard.header = MakeShardHeader(MakeGame("reversi")->info());
  WriteShard(run / "data" / "gen-0000" / "shard-000000.h5", shard);
  {
    MetricsFiles metrics(run);
    metrics.Write({.step = 0, .generation = 0, .values = {{"selfplay/games", 3}}});
    metrics.Write({.step = 50, .generation = 0, .values = {{"learner/loss", 0.5}}});
  }
  const auto before = Snapshot(run);
  const json facts = Inspect(run);
  EXPECT_EQ(facts["kind"], "run");
  EXPECT_EQ(facts["game"], "reversi");
  EXPECT_EQ(facts["checkpoints"], json::parse(R"(["0000", "0001"])"));
  EXPECT_EQ(facts["newest_checkpoint"]["step"], 50);
  EXPECT_EQ(facts["newest_metrics"]["selfplay/games"], 3.0);
  EXPECT_EQ(facts["newest_metrics"]["learner/loss"], 0.5);
  EXPECT_EQ(facts["model"]["model"], ModelName(SmallModel()));
  EXPECT_EQ(facts["data"]["shards"], 1);
  EXPECT_EQ(facts["data"]["games"], 0);
  EXPECT_EQ(Inspect(run / "checkpoints/0001")["state"]["generation"], 1);
  EXPECT_EQ(Inspect(run / "data")["kind"], "shards");
  EXPECT_EQ(Snapshot(run), before);
}

TEST(InspectCommand, SelfPlayFolder) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  const ProgramResult played =
      RunProgram({"selfplay", QIRKAT_SOURCE_DIR "/configs/reference.toml", "--model", "hash",
                  "--games", "3", "--search.visits", "4", "--out", out.string()});
  ASSERT_EQ(played.exit_code, 0) << played.err;
  const json facts = Inspect(out);
  EXPECT_EQ(facts["data"]["games"], 3);
  EXPECT_FALSE(facts.contains("checkpoints"));
}

TEST(InspectCommand, DamagedRunFolders) {
  const TemporaryFolder folder;
  const std::string run = folder.path().string();
  folder.Write("config.toml", "[game]\nname = \"reversi\"\n[serach]\n");
  ExpectUserError({"inspect", run}, {"config.toml:3", "'serach'"});
  folder.Write("config.toml", "[game]\nname = \"reversi\"\n");
  folder.Write("checkpoints/0003/state.json", "{\"step\":");
  ExpectUserError({"inspect", run}, {"state.json", "damaged"});
  folder.Write("checkpoints/0003/state.json", "{}");
  folder.Write("metrics.jsonl", "hello\n");
  ExpectUserError({"inspect", run}, {"metrics.jsonl"});
  folder.Write("metrics.jsonl", "{\"step\":1}\n{\"st");
  EXPECT_EQ(Inspect(run)["newest_metrics"]["step"], 1);
  folder.Write("data/gen-0000/shard-000000.h5", "no shard");
  ExpectUserError({"inspect", run}, {"shard-000000.h5"});
}

TEST(InspectCommand, PathsThatHoldNothing) {
  const TemporaryFolder folder;
  ExpectUserError({"inspect", (folder.path() / "none").string()}, {"none", "accepted: a model"});
  ExpectUserError({"inspect", folder.path().string()}, {folder.path().string()});
  ExpectUserError({"inspect", "/dev/null"}, {"/dev/null", "not a regular file"});
  ExpectUserError({"inspect", folder.Write("file", "") + "/below"}, {"Not a directory"});
  ExpectUserError({"inspect", std::string(5000, 'x')}, {"File name too long"});
  const std::string path = folder.Write("secret.qkt", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  ExpectUserError({"inspect", path}, {"secret.qkt", "Permission denied"},
                  {.without_root_rights = true});
}

}  // namespace
}  // namespace qirkat::test
