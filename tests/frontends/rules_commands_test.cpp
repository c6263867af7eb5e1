// The commands that only need the rules: games, moves, random, replay, perft, bench env.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "envs/registry.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string OutputOf(const Arguments& arguments, const std::string& input = "") {
  const ProgramResult result = RunProgram(arguments, {.input = input});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

const char* const kStart = "---------------------------OX------XO--------------------------- X";

TEST(GamesCommand, ListsGamesAndTheirFacts) {
  EXPECT_THAT(OutputOf({"games"}), ContainsRegex("reversi +8x8 +65 "));
  const std::string facts = OutputOf({"games", "reversi", "--set", "max_plies=9"});
  EXPECT_THAT(facts, HasSubstr("planes      own, enemy, legal (24 bytes a position)"));
  EXPECT_THAT(facts, HasSubstr("65 = 1 plane of 64 from-squares + 1 extra action\n"
                               "            square of the disc; pass\n"));
  EXPECT_THAT(facts, HasSubstr("option winner_takes_empties = off\n"));
  EXPECT_THAT(facts, HasSubstr("option max_plies = 9\n"));
  EXPECT_THAT(facts, HasSubstr("an integer 0 … 1000000 plies; default 128\n"));

  const auto list = nlohmann::json::parse(OutputOf({"games", "--json"}));
  EXPECT_EQ(list.at(0).at("name"), "reversi");
  const auto game = nlohmann::json::parse(OutputOf({"games", "reversi", "--json"}));
  EXPECT_EQ(game, list.at(0));
  EXPECT_EQ(game.at("policy_size"), 65);
  EXPECT_EQ(game.at("symmetries"), 8);
  EXPECT_EQ(game.at("options").at(1).at("default"), "128");
}

TEST(GamesCommand, BadInput) {
  ExpectUserError({"games", "revesi"}, {"unknown game 'revesi'", "did you mean 'reversi'?"});
  ExpectUserError({"games", "--set", "max_plies=1"}, {"--set needs a game"});
}

TEST(PerftCommand, CountsToTheDepth) {
  EXPECT_EQ(OutputOf({"perft", "reversi", "6"}), "1 4\n2 12\n3 56\n4 244\n5 1396\n6 8200\n");
  EXPECT_EQ(OutputOf({"perft", "reversi", "3", "--divide"}),
            "1 4\n2 12\n3 56\nc4 14\nd3 14\ne6 14\nf5 14\n");
  EXPECT_EQ(OutputOf({"perft", "reversi", "3", "--set", "max_plies=2"}), "1 4\n2 12\n3 0\n");
  EXPECT_EQ(OutputOf({"perft", "reversi", "2", "--position", std::string(64, '-') + " X"}),
            "1 0\n2 0\n");
}

TEST(PerftCommand, BadInput) {
  ExpectUserError({"perft", "revesi", "3"}, {"did you mean 'reversi'?"});
  ExpectUserError({"perft", "reversi"}, {"DEPTH"});
  for (const char* depth : {"0", "101", "x", "3.5", ""}) {
    ExpectUserError({"perft", "reversi", depth}, {"DEPTH must be an integer 1 … 100"});
  }
  ExpectUserError({"perft", "reversi", "2", "--position", "X X"}, {"1 squares instead of 64"});
}

TEST(MovesCommand, PrintsPositionLegalActionsAndResult) {
  EXPECT_EQ(OutputOf({"moves", "reversi"}), std::string(kStart) + "\nc4:26 d3:19 e6:44 f5:37\n");
  EXPECT_EQ(OutputOf({"moves", "reversi", "--position", "start", "--after", "C4 c3"}),
            "------------------O-------XOX------XO--------------------------- X\n"
            "c2:10 d3:19 e6:44 f5:37\n");
  const std::string only_pass = "XO" + std::string(62, '-') + " O";
  EXPECT_EQ(OutputOf({"moves", "reversi", "--position", only_pass + "; comment"}),
            only_pass + "\npass:64\n");
  const std::string over = "X" + std::string(63, '-') + " O";
  EXPECT_EQ(OutputOf({"moves", "reversi", "--position", over}),
            over + "\n\nresult +1 score 1 plies 0 reason discs\n");
  EXPECT_EQ(OutputOf({"moves", "reversi", "--position", over, "--set", "winner_takes_empties=on"}),
            over + "\n\nresult +1 score 64 plies 0 reason discs\n");
}

TEST(MovesCommand, ViewsHideWhatAPlayerMayNotKnow) {
  EXPECT_THAT(OutputOf({"moves", "stratego", "--views", "--after", "F 9"}),
              HasSubstr("view of player 0: 10/10/10/10/10/10/rF,r9,8/10/10/10 r setup 0\n"
                        "view of player 1: 10/10/10/10/10/10/r?,r?,8/10/10/10 r setup 0\n"));
}

TEST(MovesCommand, BadInput) {
  ExpectUserError({"moves", "revesi"}, {"did you mean 'reversi'?"});
  ExpectUserError({"moves", "reversi", "--position", "nonsense"},
                  {"reversi position 'nonsense': 'n' at character 1", "accepted: "});
  ExpectUserError({"moves", "reversi", "--after", "c4 c4"},
                  {"--after: ply 2: 'c4' is not legal here; legal: c3 c5 e3"});
  ExpectUserError({"moves", "reversi", "--set", "max_plis=3"}, {"did you mean 'max_plies'?"});
  ExpectUserError({"moves", "reversi", "--set", "max_plies=-1"},
                  {"max_plies must be an integer 0 … 1000000 plies, not '-1'"});
  ExpectUserError({"moves", "reversi", "--set", "winner_takes_empties=1"}, {"must be on or off"});
  ExpectUserError({"moves", "reversi", "--set", "max_plies=1", "--set", "max_plies=1"},
                  {"option 'max_plies' is given twice"});
  ExpectUserError({"moves", "reversi", "--set", "max_plies"}, {"is not option=value"});
  ExpectUserError({"moves", "reversi", "--views"}, {"reversi hides nothing"});
}

TEST(RandomCommand, GamesReplayAndTheSeedRepeatsThem) {
  const std::string games = OutputOf({"random", "reversi", "--games", "20", "--seed", "7"});
  EXPECT_EQ(LinesOf(games).size(), 20u);
  EXPECT_EQ(games, OutputOf({"random", "reversi", "--games", "20", "--seed", "7"}));
  EXPECT_NE(games, OutputOf({"random", "reversi", "--games", "20", "--seed", "8"}));
  const auto results = LinesOf(OutputOf({"replay", "reversi"}, games));
  EXPECT_EQ(results.size(), 20u);
  EXPECT_THAT(results, ::testing::Each(::testing::EndsWith("reason discs")));

  const std::string cut = OutputOf({"random", "reversi", "--set", "max_plies=4"});
  EXPECT_EQ(
      LinesOf(OutputOf({"replay", "reversi", "--set", "max_plies=4"}, cut)).at(0).substr(0, 9),
      "result 0 ");
}

TEST(RandomCommand, BadInput) {
  ExpectUserError({"random", "reversi", "--games", "0"}, {"--games must be an integer"});
  ExpectUserError({"random", "reversi", "--seed", "-1"}, {"--seed must be an integer"});
  ExpectUserError({"random", "revesi"}, {"did you mean 'reversi'?"});
}

TEST(ReplayCommand, TraceIsReproducedByteForByte) {
  const std::string stratego_setups =
      "694959193757S69482598B6739B649BFB8578B8B,73919594969528496S75946B9376B8B8B8758BFB";
  for (const std::string game : {"reversi", "alquerque", "superlogo", "super1al5", "stratego"}) {
    const std::string trace = ReadFile(std::string(QIRKAT_TEST_DATA) + "/trace_" + game + ".txt");
    ASSERT_FALSE(trace.empty());
    std::string games;
    for (const std::string& line : LinesOf(trace)) {
      if (line.starts_with("result ")) {
        games.back() = '\n';
      } else {
        games += line.substr(line.rfind('\t') + 1) + ' ';
      }
    }
    std::vector<std::string> command = {"replay", game, "--trace"};
    if (game == "stratego") command.insert(command.end(), {"--set", "setup=" + stratego_setups});
    EXPECT_EQ(OutputOf(command, games), trace);
  }
}

TEST(ReplayCommand, GamesWithChanceInTheirStartReplay) {
  const std::string games =
      OutputOf({"random", "stratego", "--set", "setup=random", "--games", "3"});
  const auto results = LinesOf(OutputOf({"replay", "stratego", "--set", "setup=random"}, games));
  ASSERT_EQ(results.size(), 3u);
  for (const std::string& result : results)
    EXPECT_THAT(result, ::testing::Not(HasSubstr("unfinished")));
}

TEST(ReplayCommand, StartTextsAndUnfinishedGames) {
  EXPECT_EQ(OutputOf({"replay", "reversi"},
                     "c4 c3\n\nXO" + std::string(62, '-') + " O\tpass c1\nF5 d6\r\n"),
            "result * score 0 plies 2 reason unfinished\n"
            "result * score 0 plies 0 reason unfinished\n"
            "result +1 score 3 plies 2 reason discs\n"
            "result * score 0 plies 2 reason unfinished\n");
  EXPECT_EQ(OutputOf({"replay", "reversi"}, ""), "");
}

TEST(ReplayCommand, AnIllegalActionIsReportedAndExitsWithOne) {
  const ProgramResult result =
      RunProgram({"replay", "reversi"}, {.input = "c4 c4 c3\nc4\nc4 pass\n"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "");
  const auto lines = LinesOf(result.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], StartsWith("error: ply 2 action c4: "));
  EXPECT_THAT(lines[0], HasSubstr("legal: c3 c5 e3"));
  EXPECT_EQ(lines[1], "result * score 0 plies 1 reason unfinished");
  EXPECT_THAT(lines[2], StartsWith("error: ply 2 action pass: "));
}

TEST(ReplayCommand, BadInput) {
  ExpectUserError({"replay", "reversi"}, {"standard input, line 1: reversi position 'X-'"},
                  {.input = "X-\tc4\n"});
  ExpectUserError({"replay", "revesi"}, {"did you mean 'reversi'?"});
  const ProgramResult full =
      RunProgram({"replay", "reversi"}, {.input = "c4\n", .output_file = "/dev/full"});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("cannot write to the standard output"));
}

TEST(BenchEnvCommand, ReportsRatesPerCoreAndRatios) {
  const auto report =
      nlohmann::json::parse(OutputOf({"bench", "env", "reversi", "--set", "max_plies=40",
                                      "--seconds", "0.01", "--threads", "2", "--json"}));
  const auto& rates = report.at("rates");
  // perft, then 1 and 2 threads without and with observations
  ASSERT_EQ(rates.size(), 5u);
  for (const auto& rate : rates) {
    EXPECT_EQ(rate.at("game"), "reversi");
    EXPECT_EQ(rate.at("options"), "max_plies=40");
    EXPECT_EQ(rate.at("state_bytes"), 24);
    EXPECT_GT(rate.at("rate").get<double>(), 0);
    EXPECT_GT(rate.at("of_1_thread").get<double>(), 0);
  }
  EXPECT_EQ(rates.at(4).at("threads"), 2);
  EXPECT_EQ(rates.at(4).at("measure"), "steps with observations");
}

TEST(BenchEnvCommand, ShowsAllGamesInOneTable) {
  const auto lines = LinesOf(OutputOf({"bench", "env", "--seconds", "0.01", "--threads", "1"}));
  const auto games = GameNames();
  ASSERT_EQ(lines.size(), 1 + 3 * games.size());
  EXPECT_THAT(lines[0], StartsWith("game "));
  for (std::size_t k = 0; k < games.size(); ++k) {
    // The phase of placing pieces would be most of what is measured.
    const std::string options = games[k] == "stratego" ? " +setup=random " : " ";
    EXPECT_THAT(lines[1 + 3 * k], ContainsRegex(games[k] + options + ".* perft +nodes/s "));
    EXPECT_THAT(lines[2 + 3 * k], ContainsRegex(games[k] + " .* steps +steps/s "));
    EXPECT_THAT(lines[3 + 3 * k], ContainsRegex(games[k] + " .* steps with observations +steps/s"));
  }
}

TEST(BenchEnvCommand, BadInput) {
  ExpectUserError({"bench", "env", "reversi", "--threads", "0"}, {"--threads must be an integer"});
  ExpectUserError({"bench", "env", "revesi"}, {"did you mean 'reversi'?"});
  ExpectUserError({"bench", "env", "--set", "max_plies=9"}, {"--set needs a game"});
}

}  // namespace
}  // namespace qirkat::test
