// Kills `qirkat train` at random moments and resumes it: the run ends with the bytes of one that
// was never disturbed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "envs/core/random.h"
#include "temporary_directory.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::duration;

constexpr int kKills = 20;

constexpr char kConfig[] = R"(
[game]
name = "reversi"
[run]
generations = 3
games_per_shard = 4
min_free_disk = 1
[net]
blocks = 1
channels = 8
pooled_every = 1
head_channels = 4
value_hidden = 8
[search]
visits = 8
[selfplay]
games = 10
workers = 1
slots = 4
[window]
min_rows = 500
[learner]
batch_size = 32
rows_per_new_row = 2
warmup_steps = 5
threads = 1
)";

class KillResumeTest : public ::testing::Test {
 protected:
  KillResumeTest() { testing::WriteText(config_, kConfig); }

  // Starts the program; its output goes to a log below the temporary directory.
  pid_t Start(const fs::path& run) {
    std::vector<std::string> words = {QIRKAT_PROGRAM, "train", config_.string(), "--run",
                                      run.string()};
    if (fs::exists(run / "config.toml")) words.push_back("--resume");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int log = ::open((temporary_.path() / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(log, 1);
      ::dup2(log, 2);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(log);
    return child;
  }

  // Waits at most `seconds`; returns true and the status if the program ended by itself.
  static bool Ended(pid_t child, double seconds, int& status) {
    const Clock::time_point start = Clock::now();
    while (duration<double>(Clock::now() - start).count() < seconds) {
      if (::waitpid(child, &status, WNOHANG) == child) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

  void ExpectDone(int status) {
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << testing::FileText(temporary_.path() / "log");
  }

  testing::TemporaryDirectory temporary_;
  fs::path config_ = temporary_.path() / "tiny.toml";
};

TEST_F(KillResumeTest, KilledAtRandomMomentsItEndsTheSame) {
  const fs::path whole = temporary_.path() / "whole";
  const Clock::time_point start = Clock::now();
  int status = 0;
  ASSERT_TRUE(Ended(Start(whole), 120, status));
  ExpectDone(status);
  ASSERT_FALSE(HasFailure());
  const double whole_seconds = duration<double>(Clock::now() - start).count();

  RandomStream random(2026);
  int kills = 0;
  for (int round = 0; kills < kKills; ++round) {
    ASSERT_LT(round, 3 * kKills) << "the program ends before it can be killed";
    const fs::path run = temporary_.path() / "killed";
    fs::remove_all(run);
    for (bool done = false; !done;) {
      const pid_t child = Start(run);
      const bool kill = kills < kKills;
      done = Ended(child, kill ? random.Uniform() * whole_seconds : 120, status);
      if (done) {
        ExpectDone(status);
      } else {
        ASSERT_TRUE(kill) << "hangs";
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
        ++kills;
      }
      ASSERT_FALSE(HasFailure());
    }
    testing::ExpectSameRun(whole, run);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(KillResumeTest, InterruptedItSavesAndEndsWith130) {
  const fs::path whole = temporary_.path() / "whole", run = temporary_.path() / "run";
  int status = 0;
  ASSERT_TRUE(Ended(Start(whole), 120, status));
  const pid_t child = Start(run);
  while (!fs::exists(run / "checkpoints/0001") && !Ended(child, 0.002, status)) continue;
  ::kill(child, SIGINT);
  ASSERT_TRUE(Ended(child, 60, status));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130)
      << testing::FileText(temporary_.path() / "log");
  ASSERT_TRUE(Ended(Start(run), 120, status));
  ExpectDone(status);
  testing::ExpectSameRun(whole, run);
}

}  // namespace
}  // namespace qirkat
