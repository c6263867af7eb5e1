// qirkat solve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kFfo1To19 = std::string(QIRKAT_TEST_DATA) + "/ffo_1_19.obf";
// FFO 1: X to move.
const std::string kPosition = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
const std::string kScores = "; G8:+18; H1:+12; H7:+6; A2:+6; A3:+4; B1:-4; A4:-22; G2:-24;";
const Arguments kWithEmpties = {"--set", "winner_takes_empties=on"};

Arguments Solve(const Arguments& more) {
  Arguments arguments = {"solve", "reversi"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(SolveCommand, ChecksFfo1To19) {
  const ProgramResult result =
      RunProgram(Solve({"--file", kFfo1To19, "--check", "--set", "winner_takes_empties=on"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("scores for the side to move; winner_takes_empties=on "));
  EXPECT_THAT(result.out, ContainsRegex("ffo_1_19.obf:1 +black, X +14 +\\+18 .* g8 h7 "));
  EXPECT_THAT(result.out, ContainsRegex("ffo_1_19.obf:9 +white, O +15 +-8 .* a4 "));
  EXPECT_THAT(result.out, HasSubstr("positions 19, compared 19, wrong 0, "));
}

TEST(SolveCommand, WrongScoresAreNamedAndEndWithOne) {
  // The best score is wrong on line 1, another move's on line 3.
  const std::string input =
      kPosition + "; G8:+20;\n\n" + kPosition + "; G8:+18; H1:+10;\r\n" + kPosition + "\n";
  const ProgramOptions options{.input = input};
  const Arguments check = Solve({"--file", "-", "--check", "--set", "winner_takes_empties=on"});
  const ProgramResult best = RunProgram(check, options);
  EXPECT_EQ(best.exit_code, 1);
  EXPECT_EQ(best.err, "");
  EXPECT_THAT(best.out, HasSubstr("\nstandard input:1: score expected +20, found +18\n"));
  EXPECT_THAT(best.out, Not(HasSubstr("standard input:3:")));
  EXPECT_THAT(best.out, HasSubstr("positions 3, compared 2, wrong 1, "));

  Arguments all = check;
  all.push_back("--all");
  const ProgramResult each = RunProgram(all, options);
  EXPECT_EQ(each.exit_code, 1);
  EXPECT_THAT(each.out, HasSubstr("\nstandard input:1: g8 expected +20, found +18\n"
                                  "standard input:3: h1 expected +10, found +12\n"));
  EXPECT_THAT(each.out, HasSubstr("positions 3, compared 2, wrong 2, "));
}

TEST(SolveCommand, ScoresOfAllMoves) {
  const Arguments arguments =
      Solve({"--position", kPosition + kScores, "--all", "--set", "winner_takes_empties=on"});
  EXPECT_THAT(
      RunProgram(arguments).out,
      HasSubstr("\n--position moves g8:+18 h1:+12 a2:+6 h7:+6 a3:+4 b1:-4 a4:-22 g2:-24\n"));
  for (const char* mib : {"0", "1"}) {
    Arguments as_json = arguments;
    as_json.insert(as_json.end(), {"--json", "--check", "--hash", mib});
    const ProgramResult result = RunProgram(as_json);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json.at("game"), "reversi");
    EXPECT_EQ(json.at("options").at("winner_takes_empties"), "on");
    const auto& solved = json.at("positions").at(0);
    EXPECT_EQ(solved.at("position"), kPosition);
    EXPECT_EQ(solved.at("player"), 0);
    EXPECT_EQ(solved.at("empties"), 14);
    EXPECT_EQ(solved.at("score"), 18);
    EXPECT_EQ(solved.at("result"), 1);
    EXPECT_EQ(solved.at("line").at(0), "g8");
    EXPECT_EQ(solved.at("moves").size(), 8u);
    EXPECT_EQ(solved.at("moves").at("a4"), -22);
    EXPECT_EQ(solved.at("differences").size(), 0u);
    EXPECT_GT(solved.at("nodes").get<int>(), 1000);
  }
}

// The best line, played by the rules, ends with the score.
TEST(SolveCommand, TheBestLineReachesTheScore) {
  const auto json = nlohmann::json::parse(RunProgram(Solve({"--file", kFfo1To19, "--json"})).out);
  std::string games;
  std::vector<std::string> expected;
  for (const auto& solved : json.at("positions")) {
    games += solved.at("position").get<std::string>() + "\t";
    for (const auto& move : solved.at("line")) games += move.get<std::string>() + ' ';
    games.back() = '\n';
    const int score = solved.at("score").get<int>();
    const bool black = solved.at("player") == 0;
    expected.push_back(" score " + std::to_string(black ? score : -score) + " plies ");
  }
  const std::string replayed = RunProgram({"replay", "reversi"}, {.input = games}).out;
  std::size_t from = 0;
  for (const std::string& text : expected) {
    const std::size_t end = replayed.find('\n', from);
    EXPECT_THAT(replayed.substr(from, end - from), HasSubstr(text));
    EXPECT_THAT(replayed.substr(from, end - from), HasSubstr("reason discs"));
    from = end + 1;
  }
  EXPECT_EQ(expected.size(), 19u);
}

TEST(SolveCommand, FinishedGamesAndPassesAndEmptySquares) {
  const std::string over = "X" + std::string(63, '-') + " O";
  EXPECT_THAT(RunProgram(Solve({"--position", over})).out,
              ContainsRegex("--position +white, O +63 +-1 "));
  Arguments with_empties = Solve({"--position", over});
  with_empties.insert(with_empties.end(), kWithEmpties.begin(), kWithEmpties.end());
  EXPECT_THAT(RunProgram(with_empties).out, ContainsRegex("--position +white, O +63 +-64 "));
  const std::string pass = std::string(62, 'X') + "O- O";
  EXPECT_THAT(RunProgram(Solve({"--position", pass})).out,
              ContainsRegex("--position +white, O +1 +-64 .* pass h8\n"));
}

TEST(SolveCommand, AnInterruptStopsLongWork) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(Solve({"--file", "-"}), {.input = kPosition + "\nstart\n"});
    for (int wait = 0; wait < 6000 && program.ErrSoFar().find("nodes") == std::string::npos;
         ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    program.Signal(signal);
    const ProgramResult result = program.Wait();
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_THAT(result.err, HasSubstr("warning: standard input:2: 60 empty squares: "));
    EXPECT_THAT(result.out, HasSubstr("positions 1, "));
  }
}

TEST(SolveCommand, BadInput) {
  ExpectUserError({"solve", "revesi", "--position", "start"}, {"did you mean 'reversi'?"});
  ExpectUserError({"solve", "alquerque", "--position", "start"},
                  {"alquerque has no endgame solver; accepted: reversi"});
  ExpectUserError(Solve({}), {"accepted: --position TEXT or --file FILE"});
  ExpectUserError(Solve({"--position", kPosition, "--file", kFfo1To19}), {"given once"});
  ExpectUserError(Solve({"--position", "nonsense"}), {"--position: reversi position 'nonsense'"});
  ExpectUserError(Solve({"--file", "/none.obf"}), {"/none.obf", "No such file"});
  ExpectUserError(Solve({"--position", kPosition, "--hash", "-1"}),
                  {"--hash must be an integer 0 … 65536 MiB"});
  ExpectUserError(Solve({"--position", kPosition, "--set", "max_plies=20"}),
                  {"--position: a limit of plies can end the game", "--set max_plies=0"});
  const TemporaryFolder folder;
  const std::string empty = folder.Write("empty.obf", "\n \n");
  ExpectUserError(Solve({"--file", empty}), {empty + ": no position"});
  // Found before any work, long as it would be.
  const std::string wrong = folder.Write("wrong.obf", "start\n" + kPosition + "-;\n");
  ExpectUserError(Solve({"--file", wrong}), {wrong + ":2: reversi position"});
}

TEST(SolveCommand, BadExpectations) {
  ExpectUserError(Solve({"--position", kPosition + kScores, "--check"}),
                  {"--check: ", "accepted: --set winner_takes_empties=on"});
  const auto check = [](const std::string& text) {
    return Solve({"--position", kPosition + text, "--check", "--set", "winner_takes_empties=on"});
  };
  ExpectUserError(check(""), {"--check: no position has scores behind it"});
  ExpectUserError(check("; G8"), {"--position: 'G8' behind the position is not MOVE:SCORE"});
  ExpectUserError(check("; G8:x"), {"'G8:x' behind"});
  ExpectUserError(check("; G8:+-3"), {"'G8:+-3' behind"});
  ExpectUserError(check("; C3:+18"), {"--position: 'C3' is not legal here; legal: a2 "});
}

}  // namespace
}  // namespace qirkat::test
