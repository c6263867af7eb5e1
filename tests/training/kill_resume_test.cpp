// Kills `qirkat train` at random moments and resumes it: the run ends with the bytes of one that
// was never disturbed.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "envs/core/random.h"
#include "tests/frontends/run_program.h"
#include "tests/training/run_files.h"
#include "tests/training/tiny_run.h"

namespace qirkat::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kKills = 20;

class KillResume : public testing::Test {
 protected:
  Arguments Train(const std::string& run) const {
    Arguments arguments = {"train", config_, "--run", Path(run), "--run.generations", "3"};
    if (fs::exists(Path(run) / "config.toml")) arguments.push_back("--resume");
    return arguments;
  }
  fs::path Path(const std::string& name) const { return folder_.path() / name; }
  void ExpectDone(const ProgramResult& result) const {
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  TemporaryFolder folder_;
  const std::string config_ = folder_.Write("tiny.toml", kTinyRun);
};

TEST_F(KillResume, KilledAtRandomMomentsItEndsTheSame) {
  const Clock::time_point start = Clock::now();
  ExpectDone(RunProgram(Train("whole")));
  const double whole_seconds = Seconds(Clock::now() - start).count();
  RandomStream random(2026);
  int kills = 0;
  for (int run = 0; kills < kKills; ++run) {
    ASSERT_LT(run, kKills) << "the program ends before it can be killed";
    const std::string name = "killed-" + std::to_string(run);
    bool done = false;
    while (!done && kills < kKills) {
      Program program(Train(name));
      std::this_thread::sleep_for(Seconds(random.Uniform() * whole_seconds));
      program.Signal(SIGKILL);
      const ProgramResult result = program.Wait();
      done = result.signal != SIGKILL;
      if (done) ExpectDone(result);
      kills += !done;
      ASSERT_FALSE(HasFailure());
    }
    if (!done) ExpectDone(RunProgram(Train(name)));
    ExpectSameRun(Path("whole"), Path(name));
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(KillResume, InterruptedItSavesAndEndsWith130) {
  ExpectDone(RunProgram(Train("whole")));
  Program program(Train("run"));
  // A quarter of the run has been done when the first generation has its games.
  while (!fs::exists(Path("run") / "data/gen-0000/shard-000000.h5")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.Signal(SIGINT);
  const ProgramResult result = program.Wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.out.find("continue: qirkat train --resume"), std::string::npos) << result.out;
  ExpectDone(RunProgram(Train("run")));
  ExpectSameRun(Path("whole"), Path("run"));
}

}  // namespace
}  // namespace qirkat::test
