// The commands analyze and bench analyze, as a person and a script run them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "envs/registry.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

std::string OutputOf(const Arguments& arguments) {
  const ProgramResult result = RunProgram(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(AnalyzeCommand, PrintsTheBestLines) {
  const std::string out = OutputOf({"analyze", "reversi", "--after", "c4 c3", "--player",
                                    "hash:visits=300", "--lines", "3", "--length", "4"});
  EXPECT_THAT(out, HasSubstr("reversi, player 0 (black, X) to move; hash:visits=300\n"
                             "300 visits in "));
  EXPECT_THAT(out, ContainsRegex("\nwin [0-9.]+ %, draw [0-9.]+ %, loss [0-9.]+ %, score "));
  EXPECT_THAT(out, ContainsRegex("\naction +visits +share % +value +win % +draw % +loss % +score "
                                 "+left +prior % +proven +then\n"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 7) << out;
}

TEST(AnalyzeCommand, JsonOfEveryGame) {
  for (const std::string& name : GameNames()) {
    SCOPED_TRACE(name);
    const auto game = MakeGame(name);
    const auto json = nlohmann::json::parse(
        OutputOf({"analyze", name, "--visits", "100", "--player", "rollout", "--json"}));
    EXPECT_EQ(json.at("game"), name);
    EXPECT_EQ(json.at("interrupted"), false);
    EXPECT_EQ(json.at("player"), 0);
    EXPECT_GE(json.at("visits"), 90);
    EXPECT_NEAR(json.at("win").get<double>() + json.at("draw").get<double>() +
                    json.at("loss").get<double>(),
                1, 1e-5);
    const auto line = game->NewLineAt(json.at("position").get<std::string>());
    ASSERT_FALSE(json.at("lines").empty());
    std::uint32_t visits = 0;
    for (const auto& each : json.at("lines")) {
      const auto copy = line->Clone();
      for (const std::string text : each.at("actions")) copy->Play(copy->ParseAction(text));
      visits += each.at("visits").get<std::uint32_t>();
      EXPECT_TRUE(each.at("proven").is_null());
      EXPECT_EQ(each.contains("win"), !game->info().hidden_information);
    }
    EXPECT_LT(visits, json.at("visits"));
  }
}

TEST(AnalyzeCommand, ProvenResults) {
  // The only empty square wins for X.
  const std::string position = "-O" + std::string(62, 'X') + " X";
  const auto json = nlohmann::json::parse(
      OutputOf({"analyze", "reversi", "--position", position, "--infinite", "--json"}));
  EXPECT_EQ(json.at("proven"), "win");
  EXPECT_EQ(json.at("lines").at(0).at("proven"), "win");
  EXPECT_THAT(OutputOf({"analyze", "reversi", "--position", position}),
              HasSubstr("; proven win\n"));
}

TEST(AnalyzeCommand, EndsWhenTheTimeIsUp) {
  for (const char* game : {"reversi", "stratego"}) {
    const auto json = nlohmann::json::parse(
        OutputOf({"analyze", game, "--player", "hash", "--time", "0.3", "--json"}));
    EXPECT_GE(json.at("seconds"), 0.3);
    EXPECT_GT(json.at("visits"), 1);
  }
}

TEST(AnalyzeCommand, AnInterruptEndsItWithWhatItHas) {
  for (const bool as_json : {false, true}) {
    Arguments arguments = {"analyze", "reversi", "--player", "rollout", "--infinite"};
    if (as_json) arguments.push_back("--json");
    Program program(arguments);
    while (program.ErrSoFar().find("analysis: ") == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    program.Signal(SIGINT);
    const ProgramResult result = program.Wait();
    EXPECT_EQ(result.exit_code, 130) << result.err;
    if (as_json) {
      EXPECT_EQ(nlohmann::json::parse(result.out).at("interrupted"), true);
    } else {
      EXPECT_THAT(result.out, HasSubstr("visits in "));
    }
  }
}

TEST(AnalyzeCommand, OnATerminalTheTableIsDrawnInItsPlace) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  // A bare chroot has none.
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminals here";
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  // Held open, so that what was written stays there to be read.
  const int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  Program program({"analyze", "alquerque", "--player", "hash", "--time", "1.2", "--lines", "2"},
                  {.output_file = ptsname(terminal)});
  std::string out;
  char bytes[4096];
  // Six lines are drawn, taken away at the end, and written once more.
  const std::string last = "\x1b[6A\x1b[J";
  const auto ended = [&] {
    const std::size_t end = out.find(last);
    return end != std::string::npos && std::count(out.begin() + end, out.end(), '\n') == 6;
  };
  while (!ended()) {
    pollfd ready = {.fd = terminal, .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&ready, 1, 20'000), 1) << out;
    const ssize_t count = read(terminal, bytes, sizeof bytes);
    ASSERT_GT(count, 0);
    out.append(bytes, static_cast<std::size_t>(count));
  }
  EXPECT_EQ(program.Wait().exit_code, 0);
  EXPECT_THAT(out, StartsWith("alquerque, player 0 (light, l) to move; hash\x1b[K"));
  close(slave);
  close(terminal);
}

TEST(AnalyzeCommand, BadInput) {
  ExpectUserError({"analyze", "revesi"}, {"did you mean 'reversi'?"});
  ExpectUserError({"analyze", "reversi", "--position", "X"}, {"reversi position 'X'"});
  ExpectUserError({"analyze", "reversi", "--after", "c4 c4"},
                  {"--after: ply 2: 'c4' is not legal"});
  ExpectUserError({"analyze", "reversi", "--position", std::string(64, 'X') + " X"},
                  {"the game is over here (discs)"});
  ExpectUserError({"analyze", "reversi", "--player", "random"},
                  {"--player: player 'random' does not search"});
  ExpectUserError({"analyze", "reversi", "--player", "hash:visit=3"}, {"did you mean 'visits'?"});
  ExpectUserError({"analyze", "reversi", "--player", "net:missing.qkt"}, {"missing.qkt"});
  ExpectUserError({"analyze", "reversi", "--infinite", "--visits", "3"},
                  {"--infinite goes with neither --visits nor --time"});
  ExpectUserError({"analyze", "reversi", "--visits", "-1"}, {"--visits must be an integer 0 … "});
  ExpectUserError({"analyze", "reversi", "--time", "x"}, {"--time must be a number"});
  ExpectUserError({"analyze", "reversi", "--batch", "0"}, {"--batch must be an integer 1 … 4096"});
}

TEST(BenchAnalyzeCommand, ComparesTheSearchWithTheEvaluator) {
  for (const char* game : {"superlogo", "stratego"}) {
    const auto json = nlohmann::json::parse(
        OutputOf({"bench", "analyze", game, "--model", "hash", "--batch", "16", "--rounds", "1",
                  "--visits", "500", "--seconds", "0.02", "--json"}));
    EXPECT_GT(json.at("evaluations_per_s"), 0);
    EXPECT_GT(json.at("of_raw"), 0);
    EXPECT_GT(json.at("rows_per_batch"), 1);
    EXPECT_LE(json.at("rows_per_batch"), 16);
  }
  ExpectUserError({"bench", "analyze", "reversi", "--model", "missing.qkt"}, {"missing.qkt"});
}

}  // namespace
}  // namespace qirkat::test
