// `qirkat train` and `qirkat bench train` as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/frontends/run_program.h"
#include "tests/training/run_files.h"
#include "tests/training/tiny_run.h"

namespace qirkat::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TrainCommand : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  Arguments Train(const Arguments& more = {}) const {
    Arguments arguments = {"train", config_, "--run", Path("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
  const std::string config_ = folder_.Write("tiny.toml", kTinyRun);
};

TEST_F(TrainCommand, LeavesModelDataMetricsAndASummary) {
  const ProgramResult result = RunProgram(Train({"--run.generations", "1"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("trained: 1 generations, 6 games"));
  EXPECT_THAT(result.out, HasSubstr("model: " + Path("run/model.qkt")));
  EXPECT_THAT(result.err, HasSubstr("disk: data"));
  EXPECT_THAT(result.err, HasSubstr("policy loss"));
  EXPECT_EQ(RunProgram({"data", "verify", Path("run")}).exit_code, 0);
  EXPECT_EQ(RunProgram({"inspect", Path("run/model.qkt")}).exit_code, 0);
  const std::string metrics = ReadFile(Path("run/metrics.jsonl"));
  EXPECT_THAT(metrics, HasSubstr("\"learner/value_loss_nats\""));
  EXPECT_THAT(metrics, HasSubstr("\"selfplay/games_per_s\""));

  // Its own config is enough to go on; there is nothing left to do, and nothing changes.
  const auto before = RunFiles(Path("run"));
  EXPECT_EQ(RunProgram({"train", "--resume", "--run", Path("run")}).exit_code, 0);
  EXPECT_EQ(RunFiles(Path("run")), before);
}

TEST_F(TrainCommand, NamesItsDirectoryAfterTheConfig) {
  const ProgramResult result =
      RunProgram({"train", config_, "--run.generations", "1"}, {.directory = folder_.path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(Path("runs/tiny/model.qkt")));
}

TEST_F(TrainCommand, MistakesAreOneLineAndChangeNothing) {
  ExpectUserError({"train"}, {"CONFIG is missing"});
  ExpectUserError(Train({"--run.device", "cuda:99"}), {"cuda:99", "accepted: auto, cpu"});
  EXPECT_FALSE(fs::exists(Path("run")));
  ExpectUserError({"train", Path("none.toml")}, {"none.toml"});
  ExpectUserError(Train({"--resume"}), {"no run to resume"});
  ExpectUserError(Train({"--serach.visits", "7"}), {"did you mean '--search.visits'"});
  ExpectUserError(Train({"--learner.batch_size", "0"}), {"batch_size must be"});
  ExpectUserError(Train({"--run.min_free_disk", "900000000"}), {"min_free_disk"});
  fs::remove_all(Path("run"));

  ASSERT_EQ(RunProgram(Train({"--run.generations", "1"})).exit_code, 0);
  const auto before = RunFiles(Path("run"));
  ExpectUserError(Train(), {"already has a run", "--resume"});
  ExpectUserError(Train({"--resume", "--run.generations", "1", "--search.visits", "9"}),
                  {"search.visits is 9"});
  EXPECT_EQ(RunFiles(Path("run")), before);

  folder_.Write("run/checkpoints/0001/optimizer.qkt", "damaged");
  ExpectUserError({"train", "--resume", "--run", Path("run")},
                  {"checkpoints/0001/optimizer.qkt", "remove"});
  fs::remove_all(Path("run/checkpoints/0001"));
  EXPECT_EQ(RunProgram({"train", "--resume", "--run", Path("run")}).exit_code, 0);
  EXPECT_EQ(RunFiles(Path("run")), before);
}

TEST_F(TrainCommand, AFullDiskLosesNothing) {
  // No file may grow beyond this: there is room for the config, but not for the first network.
  const Arguments start = Train({"--run.generations", "1", "--net.channels", "32"});
  Arguments resume = start;
  resume.push_back("--resume");
  const ProgramResult full = RunProgram(start, {.file_bytes = 16384});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("error: cannot write " + Path("run/checkpoints/0000")));
  EXPECT_TRUE(fs::exists(Path("run/config.toml")));
  EXPECT_TRUE(fs::is_empty(Path("run/checkpoints")));
  const ProgramResult resumed = RunProgram(resume);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST_F(TrainCommand, ADirectoryWithoutPermissionIsAMistake) {
  fs::create_directory(Path("closed"));
  fs::permissions(Path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
  ExpectUserError({"train", config_, "--run", Path("closed/run")}, {"closed/run"},
                  {.without_root_rights = true});
}

TEST(BenchTrain, PrintsRatesAndTheirRatio) {
  const ProgramResult result =
      RunProgram({"bench", "train", "reversi", "--blocks", "1", "--channels", "8", "--batch_size",
                  "16", "--threads", "1", "--seconds", "0.2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_GT(json.at("samples_per_s").get<double>(), 0);
  EXPECT_NEAR(
      json.at("ratio").get<double>(),
      json.at("samples_per_s").get<double>() / json.at("reference_samples_per_s").get<double>(),
      1e-6);
}

TEST(BenchTrain, LearnerThreadsSpinShortlyUnlessToldHowToWait) {
  const auto spins = [] {
    const ProgramResult result =
        RunProgram({"bench", "train", "reversi", "--blocks", "1", "--channels", "8", "--batch_size",
                    "16", "--threads", "1", "--seconds", "0.1", "--json"});
    return nlohmann::json::parse(result.out).at("gomp_spincount").get<std::string>();
  };
  EXPECT_EQ(spins(), "10000");
  setenv("GOMP_SPINCOUNT", "77", 1);
  EXPECT_EQ(spins(), "77");
  unsetenv("GOMP_SPINCOUNT");
  setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_EQ(spins(), "");
  unsetenv("OMP_WAIT_POLICY");
}

}  // namespace
}  // namespace qirkat::test
