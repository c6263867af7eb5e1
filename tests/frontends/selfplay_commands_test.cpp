// The commands selfplay, match and bench selfplay: equal bytes, kills, a full disk, mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SelfPlayCommand : public testing::Test {
 protected:
  fs::path Path(const std::string& name) const { return folder_.path() / name; }

  Arguments Command(const std::string& out, int games, const Arguments& more = {}) const {
    Arguments arguments = {"selfplay", config_,   "--model",
                           "hash",     "--games", std::to_string(games),
                           "--out",    Path(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void Play(const std::string& out, int games, const Arguments& more = {}) const {
    const ProgramResult result = RunProgram(Command(out, games, more));
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  void ExpectVerified(const std::string& out) const {
    const ProgramResult result = RunProgram({"data", "verify", Path(out)});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  }

  TemporaryFolder folder_;
  const std::string config_ = folder_.Write("config.toml",
                                            "[game]\nname = \"reversi\"\n"
                                            "[search]\nvisits = 20\n"
                                            "[run]\ngames_per_shard = 16\nseed = 3\n");
};

TEST_F(SelfPlayCommand, EqualFoldersForAnyWorkersAndSlots) {
  Play("a", 40, {"--selfplay.workers", "1", "--selfplay.slots", "7"});
  Play("b", 40, {"--selfplay.workers", "2", "--selfplay.slots", "32"});
  Play("c", 40, {"--run.seed", "4"});
  const auto expected = Snapshot(Path("a"));
  EXPECT_EQ(expected.size(), 4u);  // config.toml and shards of 16, 16 and 8 games
  EXPECT_TRUE(expected.contains("shard-000002.h5"));
  EXPECT_EQ(Snapshot(Path("b")), expected);
  EXPECT_NE(Snapshot(Path("c")), expected);
  ExpectVerified("a");
}

TEST_F(SelfPlayCommand, KilledOrInterruptedAndResumedEndsWithTheSameBytes) {
  constexpr int kGames = 500;
  Play("whole", kGames);
  const auto expected = Snapshot(Path("whole"));
  for (const int signal : {SIGKILL, SIGINT}) {
    const std::string out = "signal-" + std::to_string(signal);
    Program program(Command(out, kGames));
    // Once the second shard is open there are games to lose.
    while (!fs::exists(Path(out) / "shard-000000.h5")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.Signal(signal);
    const ProgramResult result = program.Wait();
    if (signal == SIGKILL) {
      EXPECT_EQ(result.signal, SIGKILL);
    } else {
      EXPECT_EQ(result.exit_code, 130) << result.err;
      EXPECT_THAT(result.out, HasSubstr("--resume"));
    }
    EXPECT_NE(Snapshot(Path(out)), expected);
    ExpectUserError(Command(out, kGames), {"already holds", "--resume"});
    Play(out, kGames, {"--resume"});
    EXPECT_EQ(Snapshot(Path(out)), expected);
  }
}

TEST_F(SelfPlayCommand, ResumingAFinishedFolderChangesNothing) {
  Play("a", 20);
  const auto before = Snapshot(Path("a"));
  Play("a", 20, {"--resume"});
  EXPECT_EQ(Snapshot(Path("a")), before);
  ExpectUserError(Command("a", 20, {"--resume", "--run.seed", "9"}), {"seed"});
  EXPECT_EQ(Snapshot(Path("a")), before);
}

TEST_F(SelfPlayCommand, OverwritesNoRunAndNoFileOfTheUser) {
  fs::create_directories(fs::path(Path("run")) / "checkpoints");
  ExpectUserError(Command("run", 4), {"holds a training run"});
  ExpectUserError(Command("run", 4, {"--resume"}), {"holds a training run"});
  fs::create_directories(Path("mine"));
  fs::copy_file(config_, fs::path(Path("mine")) / "config.toml");
  const std::string mine = ReadFile(config_);
  ExpectUserError(Command("mine", 4), {"config.toml"});
  ExpectUserError(Command("mine", 4, {"--resume"}), {"config.toml"});
  EXPECT_EQ(ReadFile(fs::path(Path("mine")) / "config.toml"), mine);
}

TEST_F(SelfPlayCommand, AFullDiskLosesNothingThatWasWritten) {
  Play("whole", 40);
  const ProgramResult result = RunProgram(Command("full", 40), {.file_bytes = 40000});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("error: "));  // possibly behind a line of progress
  EXPECT_THAT(result.err, HasSubstr("shard-000000"));
  ExpectVerified("full");
  Play("full", 40, {"--resume"});
  EXPECT_EQ(Snapshot(Path("full")), Snapshot(Path("whole")));
}

TEST_F(SelfPlayCommand, Mistakes) {
  folder_.Write("file", "not a folder");
  ExpectUserError(Command("file", 4), {"file"});
  ExpectUserError(Command("a", 0), {"--games"});
  ExpectUserError(Command("a", 4, {"--search.vists", "3"}), {"--search.vists", "--search.visits"});
  ExpectUserError({"selfplay", config_, "--model", "hsh", "--out", Path("a")}, {"'hsh'", "hash"});
  ExpectUserError({"selfplay", config_, "--model", config_, "--out", Path("a")}, {"config.toml"});
  ExpectUserError({"selfplay", Path("none.toml"), "--model", "hash", "--out", Path("a")},
                  {"none.toml"});
  EXPECT_FALSE(fs::exists(Path("a")));
  fs::create_directory(Path("locked"));
  fs::permissions(Path("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  ExpectUserError(Command("locked/a", 4), {"locked"}, {.without_root_rights = true});
}

TEST(MatchCommand, TheSameResultForAnyWorkersAndSlots) {
  const auto play = [](const std::string& workers, const std::string& slots) {
    return RunProgram({"match", "reversi", "--a", "rollout:visits=20", "--b", "random", "--games",
                       "20", "--json", "--workers", workers, "--slots", slots});
  };
  const ProgramResult one = play("1", "7");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(play("2", "32").out, one.out);
  const auto result = nlohmann::json::parse(one.out);
  const int wins = result["wins"], draws = result["draws"], losses = result["losses"];
  EXPECT_EQ(wins + draws + losses, 20);
  EXPECT_EQ(result["score"], (wins + draws / 2.0) / 20);
  EXPECT_LT(result["score_low"], result["score"]);
  EXPECT_EQ(result["ends"], (nlohmann::json{{"discs", 20}}));
}

TEST(MatchCommand, ABarThatIsMissedGivesExitCodeOne) {
  Arguments match = {"match",  "reversi", "--a", "rollout:visits=50", "--b",
                     "random", "--games", "40",  "--min-score",       "0.5"};
  EXPECT_EQ(RunProgram(match).exit_code, 0);
  match.back() = "1";
  const ProgramResult missed = RunProgram(match);
  EXPECT_EQ(missed.exit_code, 1);
  EXPECT_THAT(missed.out, HasSubstr("score of A"));
}

TEST(MatchCommand, APerfectScoreHasNoFiniteElo) {
  Arguments match = {"match", "reversi", "--a",     "rollout:visits=200",
                     "--b",   "random",  "--games", "10"};
  const ProgramResult result = RunProgram(match);
  EXPECT_THAT(result.out, HasSubstr("A wins 10"));
  EXPECT_THAT(result.out, HasSubstr("+inf (95 %: +166 … +inf)"));
  match.push_back("--json");
  const auto json = nlohmann::json::parse(RunProgram(match).out);
  EXPECT_TRUE(json["elo"].is_null());
  EXPECT_TRUE(json["elo_low"].is_number());
}

TEST(MatchCommand, InterruptedItShowsWhatWasPlayed) {
  Program program(
      {"match", "reversi", "--a", "rollout:visits=50", "--b", "random", "--games", "1000000"});
  while (program.ErrSoFar().empty()) {  // the first line of progress
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  program.Signal(SIGINT);
  const ProgramResult result = program.Wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_THAT(result.out, HasSubstr("score of A"));
}

TEST(MatchCommand, Mistakes) {
  const auto match = [](const std::string& a, const std::string& b, Arguments more = {}) {
    Arguments arguments = {"match", "reversi", "--a", a, "--b", b};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  ExpectUserError(match("rolout", "random"), {"--a", "'rolout'", "did you mean 'rollout'?"});
  ExpectUserError(match("random", "hash:vists=3"), {"--b", "did you mean 'visits'?"});
  ExpectUserError(match("net:/none.qkt", "random"), {"/none.qkt"});
  ExpectUserError(match("random", "random", {"--games", "3"}), {"even"});
  ExpectUserError(match("random", "random", {"--random-plies", "100"}), {"random openings"});
  ExpectUserError({"match", "revers", "--a", "random", "--b", "random"}, {"reversi"});
}

TEST(BenchSelfPlayCommand, Groups) {
  for (const std::string groups : {"1", "2"}) {
    const ProgramResult result =
        RunProgram({"bench", "selfplay", "reversi", "--model", "hash", "--seconds", "0.1",
                    "--threads", "1", "--visits", "20", "--groups", groups, "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(std::to_string(json["groups"].get<int>()), groups);
    const double rows = json["rates"][0]["rows_per_batch"];
    EXPECT_EQ(rows > 16, groups == "1") << rows;  // of 32 slots
  }
}

TEST(BenchSelfPlayCommand, Json) {
  const ProgramResult result =
      RunProgram({"bench", "selfplay", "reversi", "--model", "hash", "--seconds", "0.1",
                  "--threads", "2", "--visits", "20", "--repeat", "2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rates = nlohmann::json::parse(result.out)["rates"];
  ASSERT_EQ(rates.size(), 2u);
  for (int threads = 1; threads <= 2; ++threads) {
    const auto& rate = rates[threads - 1];
    EXPECT_EQ(rate["threads"], threads);
    EXPECT_GT(rate["evaluations_per_s"], 0);
    EXPECT_GT(rate["games_per_s"], 0);
    EXPECT_GT(rate["of_raw"], 0);
    EXPECT_LT(rate["of_raw"], 1);
    EXPECT_EQ(rate["cache_hits_share"], 0);  // hash needs no cache
    double sum = 0;
    for (const char* phase : {"select", "rules", "encode", "evaluate", "backup", "write", "wait"}) {
      const double share = rate[std::string(phase) + "_share"];
      EXPECT_GE(share, 0) << phase;
      sum += share;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

}  // namespace
}  // namespace qirkat::test
