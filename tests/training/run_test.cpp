// Checkpoints and whole runs, in one process.
#include "training/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "envs/core/error.h"
#include "models/torch/torch_evaluator.h"
#include "selfplay/data/shard.h"
#include "tests/training/run_files.h"
#include "tests/training/tiny_run.h"
#include "training/learner/checkpoint.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void WriteText(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  ASSERT_TRUE(out.flush()) << path;
}

// Sets the stop flag when a condition on what the run reports holds.
class StoppingObserver : public RunObserver {
 public:
  std::uint64_t stop_at_step = 0;   // of a generation's learning; 0: never
  std::uint64_t stop_at_games = 0;  // of a generation's self-play; 0: never
  std::atomic<bool> stop = false;
  std::string summary;
  std::vector<RunMetrics> metrics;

  void OnStart(const std::string& text) override { summary = text; }
  void OnSelfPlay(std::uint64_t, const SelfPlayStats& stats, std::uint64_t) override {
    if (stop_at_games > 0 && stats.games >= stop_at_games) stop = true;
  }
  void OnLearn(std::uint64_t, std::uint64_t step, std::uint64_t) override {
    if (step == stop_at_step) stop = true;
  }
  void OnMetrics(const RunMetrics& m) override { metrics.push_back(m); }
};

class RunTest : public ::testing::Test {
 protected:
  RunConfig Config(const ConfigOverrides& overrides = {}) const {
    return ParseConfig(test::kTinyRun, "tiny", overrides);
  }
  fs::path Path(const std::string& name) const { return temporary_.path() / name; }
  RunSummary Run(const std::string& name, const ConfigOverrides& overrides = {},
                 bool resume = false) const {
    RunObserver silent;
    return Train(Config(overrides), Path(name), resume, silent);
  }
  auto Running(const std::string& name, const ConfigOverrides& overrides, bool resume) const {
    return [=, this] { Run(name, overrides, resume); };
  }

  test::TemporaryFolder temporary_;
};

TEST_F(RunTest, MakesDataCheckpointsAndMetrics) {
  StoppingObserver observer;
  const RunSummary summary = Train(Config(), Path("run"), false, observer);
  EXPECT_EQ(summary.generations, 2u);
  EXPECT_EQ(summary.games, 12u);
  EXPECT_GT(summary.positions, 12u * 40);
  EXPECT_EQ(summary.steps, summary.positions * 2 / 32);
  EXPECT_FALSE(summary.interrupted);
  EXPECT_THAT(observer.summary, HasSubstr("positions"));
  EXPECT_EQ(ModelName(ReadModel(summary.model)),
            ModelName(ReadModel(Path("run") / "checkpoints/0002/model.qkt")));
  std::uint64_t games = 0;
  for (const fs::path& shard : FindShards(Path("run"))) games += ReadShard(shard).games.size();
  EXPECT_EQ(games, 12u);
  const RunConfig stored = ReadConfig(Path("run") / "config.toml");
  EXPECT_NE(stored.run.precision, "auto");
  std::map<std::string, int> seen;
  for (const RunMetrics& m : observer.metrics) {
    for (const auto& [name, value] : m.values) {
      ++seen[name];
      EXPECT_TRUE(std::isfinite(value)) << name;
    }
  }
  for (const char* name :
       {"selfplay/games_per_s", "selfplay/mean_game_plies", "window/rows",
        "learner/policy_loss_nats", "learner/learning_rate", "rating/score_share"}) {
    EXPECT_EQ(seen[name], 2) << name;
  }
}

TEST_F(RunTest, RatingThatCannotBePlayedIsRefusedBeforeTheRunStarts) {
  for (const auto& [key, value] : ConfigOverrides{{"rating.opponent", "net:model.qkt"},
                                                  {"rating.opponent", "rollout:visits=0"},
                                                  {"rating.games", "3"}}) {
    EXPECT_THAT(Running("run", {{key, value}}, false),
                ThrowsMessage<UserError>(HasSubstr("rating")))
        << value;
    EXPECT_FALSE(fs::exists(Path("run") / "config.toml")) << value;
  }
}

TEST_F(RunTest, InterruptedAnywhereAndResumedItEndsTheSame) {
  Run("whole");
  // In self-play, in the middle of learning, and before anything.
  StoppingObserver in_games, in_learning;
  in_games.stop_at_games = 3;
  in_learning.stop_at_step = 7;
  EXPECT_TRUE(Train(Config(), Path("run"), false, in_games, &in_games.stop).interrupted);
  EXPECT_TRUE(Train(Config(), Path("run"), true, in_learning, &in_learning.stop).interrupted);
  EXPECT_TRUE(fs::exists(Path("run") / "checkpoints/unfinished"));
  const std::atomic<bool> stopped = true;
  RunObserver silent;
  EXPECT_TRUE(Train(Config(), Path("run"), true, silent, &stopped).interrupted);
  // Other worker counts change nothing.
  const RunSummary summary = Run("run", {{"selfplay.workers", "2"}, {"selfplay.slots", "3"}}, true);
  EXPECT_EQ(summary.generations, 2u);
  EXPECT_EQ(summary.games, 12u);
  // The stored config keeps the worker counts that the run was started with.
  test::ExpectSameRun(Path("whole"), Path("run"));
}

TEST_F(RunTest, GoesOnFromTheCheckpointBeforeADamagedOne) {
  Run("whole");
  fs::copy(Path("whole"), Path("run"), fs::copy_options::recursive);
  const fs::path newest = Path("run") / "checkpoints/0002";
  WriteText(newest / "state.json", "{");
  EXPECT_THAT(Running("run", {}, true), ThrowsMessage<UserError>(::testing::AllOf(
                                            HasSubstr("0002/state.json"), HasSubstr("remove"))));
  fs::remove_all(newest);
  Run("run", {}, true);
  test::ExpectSameRun(Path("whole"), Path("run"));
}

TEST_F(RunTest, RefusesWhatWouldMixRuns) {
  Run("run");
  EXPECT_THAT(Running("run", {}, false), ThrowsMessage<UserError>(HasSubstr("already has a run")));
  EXPECT_THAT(Running("other", {}, true), ThrowsMessage<UserError>(HasSubstr("no run to resume")));
  EXPECT_THAT(Running("run", {{"learner.batch_size", "16"}}, true),
              ThrowsMessage<UserError>(HasSubstr("learner.batch_size is 16")));
  EXPECT_THAT(Running("full", {{"run.min_free_disk", "1000000000"}}, false),
              ThrowsMessage<UserError>(HasSubstr("min_free_disk")));
}

TEST_F(RunTest, NoticesMissingGames) {
  Run("run", {{"run.generations", "1"}});
  for (const fs::path& shard : FindShards(Path("run"))) {
    if (shard.filename() == "shard-000001.h5") fs::remove(shard);
  }
  EXPECT_THAT(Running("run", {{"run.generations", "1"}}, true),
              ThrowsMessage<UserError>(HasSubstr("games are missing")));
}

TEST_F(RunTest, PlaysWithoutANetworkWhenToldSo) {
  for (const char* evaluator : {"hash", "uniform", "rollout"}) {
    const std::string name = std::string("run-") + evaluator;
    Run(name, {{"run.evaluator", evaluator}, {"run.generations", "1"}});
    const Shard shard = ReadShard(FindShards(Path(name)).front());
    EXPECT_THAT(shard.header.model, HasSubstr(evaluator));
    EXPECT_EQ(shard.games.front().model_0, shard.header.model);
  }
}

class CheckpointTest : public RunTest {
 protected:
  CheckpointTest() {
    Run("run", {{"run.generations", "1"}});
    path_ = Path("run") / "checkpoints/0001";
  }
  fs::path path_;
};

TEST_F(CheckpointTest, IsReadAsItWasWritten) {
  const Checkpoint checkpoint = ReadCheckpoint(path_);
  EXPECT_EQ(checkpoint.run.generation, 1u);
  EXPECT_EQ(checkpoint.run.games, 6u);
  WriteCheckpoint(Path("copy"), checkpoint);
  for (const char* file : {"model.qkt", "weights.qkt", "optimizer.qkt", "state.json"}) {
    EXPECT_EQ(test::ReadFile(path_ / file), test::ReadFile(Path("copy") / file)) << file;
  }
}

TEST_F(CheckpointTest, DamageToAnyFileIsAnErrorThatNamesIt) {
  for (const std::string file : {"model.qkt", "weights.qkt", "optimizer.qkt", "state.json"}) {
    const std::string text = test::ReadFile(path_ / file);
    const auto expect_error = [&](const std::string& how) {
      EXPECT_THAT([&] { ReadCheckpoint(path_); },
                  ThrowsMessage<UserError>(
                      ::testing::AllOf(HasSubstr((path_ / file).string()), HasSubstr("remove"))))
          << how;
    };
    for (const double where : {0.0, 0.02, 0.3, 0.6, 0.999}) {
      const auto at = static_cast<std::size_t>(where * static_cast<double>(text.size() - 2));
      WriteText(path_ / file, text.substr(0, at));
      expect_error("truncated");
      std::string flipped = text;
      // A hexadecimal digit of state.json: a flipped space between tokens is no damage.
      std::size_t bit = at;
      if (file == "state.json") bit = text.find_last_of("abcdef0123456789", at + 20);
      flipped[bit] = static_cast<char>(flipped[bit] ^ 4);
      WriteText(path_ / file, flipped);
      expect_error("flipped");
    }
    fs::remove(path_ / file);
    expect_error("missing");
    WriteText(path_ / file, text);
  }
  ReadCheckpoint(path_);
}

TEST_F(CheckpointTest, FilesOfAnotherCheckpointAreRefused) {
  for (const char* file : {"model.qkt", "weights.qkt", "optimizer.qkt"}) {
    const std::string text = test::ReadFile(path_ / file);
    WriteText(path_ / file, test::ReadFile(Path("run") / "checkpoints/0000" / file));
    EXPECT_THAT([&] { ReadCheckpoint(path_); },
                ThrowsMessage<UserError>(HasSubstr("belongs to another checkpoint")));
    WriteText(path_ / file, text);
  }
}

}  // namespace
}  // namespace qirkat
