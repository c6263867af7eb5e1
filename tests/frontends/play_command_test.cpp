// The command play, as a person at a terminal or a script on a pipe uses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <regex>
#include <sstream>

#include "envs/core/random.h"
#include "envs/registry.h"
#include "tests/frontends/dialogue.h"

namespace qirkat::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string Play(const Arguments& more, const std::string& input) {
  Arguments arguments = {"play"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProgramResult result = RunProgram(arguments, {.input = input});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

bool AsksForAMove(const std::string& text) { return text.ends_with("your move> "); }

// The words behind the first "moves" answer: all but the prompt.
std::vector<std::string> MovesIn(const std::string& text) {
  return Words(text.substr(0, text.find('\n')));
}

struct FullGame {
  Arguments arguments;
  const char* rules;  // for replay; "" or one --set
};

// Games to the end against every kind of opponent, saved and replayed.
TEST(PlayCommand, GamesToTheEndAreSavedAndReplay) {
  const std::vector<FullGame> games = {
      {{"reversi", "--against", "hash:visits=20"}, ""},
      {{"reversi", "--against", "random", "--side", "1"}, ""},
      {{"alquerque", "--against", "rollout:visits=10"}, ""},
      {{"superlogo", "--against", "hash:visits=10", "--side", "1"}, "max_plies=80"},
      {{"super1al5", "--against", "hash:visits=10"}, "max_plies=60"},
      {{"stratego", "--against", "hash:visits=8", "--side", "1"}, "no_attack_limit=30"},
  };
  TemporaryFolder folder;
  int number = 0;
  for (const FullGame& each : games) {
    SCOPED_TRACE(testing::PrintToString(each.arguments));
    Arguments arguments = {"play"};
    arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
    if (*each.rules) arguments.insert(arguments.end(), {"--set", each.rules});
    Dialogue dialogue(arguments);
    RandomStream random(7);
    std::string text = dialogue.Read();
    int inputs = 0;
    while (AsksForAMove(text)) {
      const auto moves = MovesIn(dialogue.Say("moves"));
      ASSERT_FALSE(moves.empty());
      text = dialogue.Say(moves[random.Below(static_cast<std::uint32_t>(moves.size()))]);
      EXPECT_THAT(text, Not(HasSubstr("error")));
      ASSERT_LT(++inputs, 3000);
    }
    EXPECT_THAT(text, ContainsRegex("You (win|lose)\\.|A draw\\."));
    std::smatch result;
    ASSERT_TRUE(std::regex_search(text, result, std::regex("result .*"))) << text;
    EXPECT_THAT(dialogue.Say("moves"), StartsWith("error: the game is over"));
    const std::string file = (folder.path() / std::to_string(++number)).string();
    EXPECT_THAT(dialogue.Say("save " + file), StartsWith("saved "));
    EXPECT_EQ(dialogue.Finish(), 0);

    Arguments replay = {"replay", each.arguments[0]};
    if (*each.rules) replay.insert(replay.end(), {"--set", each.rules});
    const ProgramResult replayed = RunProgram(replay, {.input = ReadFile(file)});
    EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
    EXPECT_EQ(replayed.out, result.str() + '\n');
  }
}

TEST(PlayCommand, ShowsTheBoardAndWhatTheOpponentPlays) {
  const std::string out = Play({"reversi", "--against", "hash:visits=50"}, "c4\n");
  EXPECT_THAT(out, StartsWith("You are player 0 (black, X) against hash:visits=50; help lists "
                              "what you can type.\n\n  a b c d e f g h\n1 . . . . . . . .\n"));
  EXPECT_THAT(out, ContainsRegex("your move> player 1 \\(white, O\\) plays (c3|c5|e3) \\([0-9]+ "
                                 "visits, value [+-][0-9.]+\\)\n"));
  EXPECT_TRUE(out.ends_with("your move> \n")) << out;
  EXPECT_EQ(Play({"reversi", "--against", "hash:visits=50"}, "c4\n"), out);
}

TEST(PlayCommand, UndoGoesBackToTheLastDecision) {
  const std::string out = Play({"reversi", "--against", "hash:visits=10"},
                               "c4\nposition\nundo\nposition\nundo\nposition\n");
  const std::string start = "---------------------------OX------XO--------------------------- X\n";
  const std::size_t first = out.find("your move> " + start);
  EXPECT_NE(first, std::string::npos);
  EXPECT_NE(out.find("your move> " + start, first + 1), std::string::npos);
  EXPECT_THAT(out, HasSubstr("error: undo: you have not played yet\n"));
  // The opponent plays the same again.
  Dialogue dialogue({"play", "reversi", "--against", "hash:visits=10"});
  dialogue.Read();
  const std::string reply = dialogue.Say("c4");
  dialogue.Say("undo");
  EXPECT_EQ(dialogue.Say("c4"), reply);
  dialogue.Say("resign");
  EXPECT_TRUE(AsksForAMove(dialogue.Say("undo")));
}

TEST(PlayCommand, HintsOfTheOpponentsSearch) {
  const std::string out = Play({"alquerque", "--against", "rollout:visits=40"}, "hint\nhint 99\n");
  EXPECT_THAT(out, ContainsRegex("your move> 40 visits: win [0-9.]+ %, draw .*\naction +visits "));
  EXPECT_THAT(out, HasSubstr("your move> 99 visits: win "));
}

TEST(PlayCommand, ChainsAndForcedPasses) {
  // Light takes two pieces in one turn, typed at once or one after another.
  const auto game = MakeGame("alquerque");
  const std::string position = "5/2d2/5/1d3/l3d l - 0";
  const auto line = game->NewLineAt(position);
  const std::string first = line->LegalTexts()[0];
  line->Play(line->ParseAction(first));
  ASSERT_EQ(line->to_move(), 0);
  const std::string second = line->LegalTexts()[0];
  const Arguments arguments = {"alquerque", "--position", position, "--against", "hash:visits=10"};
  const std::string apart = Play(arguments, first + '\n' + second + "\nposition\n");
  const std::string at_once = Play(arguments, first + ' ' + second + "\nposition\n");
  EXPECT_EQ(apart.substr(apart.rfind("> ", apart.size() - 5)),
            at_once.substr(at_once.rfind("> ", at_once.size() - 5)));
  // A wrong second action plays nothing.
  EXPECT_THAT(Play(arguments, first + " a1\nposition\n"), HasSubstr("> " + position + '\n'));

  const std::string only_pass = "XO" + std::string(61, '-') + "X O";
  EXPECT_THAT(Play({"reversi", "--position", only_pass, "--side", "1", "--against", "random"}, ""),
              HasSubstr("You can only pass.\n"));
}

TEST(PlayCommand, WrongInputTakesOneLineAndAsksAgain) {
  const std::string out =
      Play({"reversi", "--against", "random"},
           "zz\n\nc4 c3\nhint\nhint x\nsave\nsave /\nundo now\nresign\nresign\nc4\nhint\n");
  for (const char* error :
       {"> error: 'zz' is not legal here; legal: c4 d3 e6 f5\n",
        "> error: it is not your move any more at 'c3', so nothing was played",
        "> error: hint: player 'random' does not search", "> error: hint: the visits must be",
        "> error: save needs FILE\n", "> error: save: / is already there",
        "> error: undo takes nothing more\n", "> error: the game is over already\n",
        "> error: the game is over; accepted: undo, save FILE, quit"}) {
    EXPECT_THAT(out, HasSubstr(error));
  }
}

TEST(PlayCommand, HelpListsEverything) {
  const std::string out = Play({"reversi"}, "help\n");
  for (const char* text :
       {"c4 d3 e6 f5\n", "hint [VISITS]", "save FILE", "undo", "resign", "quit"}) {
    EXPECT_THAT(out, HasSubstr(text));
  }
}

// No board line before the end may show an enemy that is not marked as shown.
void ExpectNothingHiddenIsShown(const std::string& out, char enemy) {
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, std::regex("^( [1-9]|10) |your view: "))) continue;
    const std::regex known(std::string(1, enemy) + "[FBS1-9](\\+?)(!?)");
    for (std::sregex_iterator match(line.begin(), line.end(), known), none; match != none;
         ++match) {
      EXPECT_EQ((*match)[2], "!") << line;
    }
  }
}

TEST(PlayCommand, StrategoShowsNothingHidden) {
  Dialogue dialogue({"play", "stratego", "--set", "setup=random", "--against", "rollout:visits=4",
                     "--seed", "3"});
  std::string out = dialogue.Read();
  RandomStream random(3);
  for (int move = 0; move < 60 && AsksForAMove(out); ++move) {
    const auto moves = MovesIn(dialogue.Say("moves"));
    // Attacks if there are some, so that pieces are shown.
    std::string choice = moves[random.Below(static_cast<std::uint32_t>(moves.size()))];
    for (const std::string& each : moves) {
      if (each.find('x') != std::string::npos) choice = each;
    }
    out += dialogue.Say(choice);
  }
  ASSERT_TRUE(AsksForAMove(out)) << "the game is over too early for this test";
  out += dialogue.Say("board");
  out += dialogue.Say("position");
  EXPECT_THAT(out, HasSubstr("fought: "));
  EXPECT_THAT(out, HasSubstr("b?"));
  EXPECT_THAT(out, Not(HasSubstr("value")));  // his thoughts would tell
  ExpectNothingHiddenIsShown(out, 'b');
  EXPECT_THAT(dialogue.Say("hint 8"), HasSubstr("8 visits: win "));
  EXPECT_THAT(dialogue.Say("save x"), StartsWith("error: save: the record shows what is hidden"));
  dialogue.Say("resign");
  TemporaryFolder folder;
  EXPECT_THAT(dialogue.Say("save " + (folder.path() / "game").string()), StartsWith("saved "));
  EXPECT_EQ(dialogue.Finish(), 0);
}

TEST(PlayCommand, StrategoSetupsAreTypedAtOnceOrInPieces) {
  const std::string setup = "9999999988888777766665555444332S1BBBBBBF";
  for (const char* side : {"0", "1"}) {
    const Arguments arguments = {"stratego", "--against", "hash:visits=2", "--side", side};
    const std::string out = Play(arguments, setup + '\n');
    EXPECT_THAT(out, HasSubstr(" has played 40 actions that you do not see\n"));
    EXPECT_THAT(out, Not(HasSubstr("error")));
    EXPECT_TRUE(out.ends_with("your move> \n")) << out;
    ExpectNothingHiddenIsShown(out, *side == '0' ? 'b' : 'r');
  }
  // What is wrong places nothing; undo takes back what was typed at once.
  const std::string out =
      Play({"stratego", "--against", "random"},
           "F9S\nposition\n99999999\n" + setup + "F\nposition\nB\nundo\nundo\nposition\n");
  const std::string begun = "> your view: 10/10/10/10/10/10/rF,r9,rS,7/10/10/10 r setup 0\n";
  const std::size_t first = out.find(begun);
  EXPECT_NE(first, std::string::npos);
  EXPECT_NE(out.find(begun, first + 1), std::string::npos);
  EXPECT_THAT(out, HasSubstr("> error: '9' is not legal here; legal: 1 2 3 4 5 6 7 8 B\n"));
  EXPECT_THAT(out, HasSubstr("> your view: 10/10/10/10/10/10/10/10/10/10 r setup 0\n"));
}

// What the opponent knows of his own pieces shows in nothing: not in how long his search was, nor
// in that he had no other move.
TEST(PlayCommand, StrategoRemarksTellNothing) {
  const auto play = [](const char* position, const char* against) {
    return Play({"stratego", "--position", position, "--against", against}, "a2-b2\n");
  };
  // On a10 stands a bomb, or a captain that could move.
  const std::string tail = ",7,bB!,b1+!/bF,9/10/10/10/10/10/10/r4+,9/rF,9 r play 0";
  for (const char* against : {"hash:visits=40", "random"}) {
    const std::string bomb = play(("bB" + tail).c_str(), against);
    EXPECT_THAT(bomb, HasSubstr("plays j10-j9\n"));
    EXPECT_THAT(bomb, Not(HasSubstr("visits)")));
    EXPECT_THAT(bomb, Not(HasSubstr("nothing else")));
  }
}

TEST(PlayCommand, StrategoTakesNothingBackThatHasShownPieces) {
  Dialogue dialogue({"play", "stratego", "--set", "setup=random", "--against", "random"});
  dialogue.Read();
  dialogue.Say("resign");
  EXPECT_THAT(dialogue.Say("undo"), StartsWith("error: undo: hidden pieces were shown"));
  EXPECT_EQ(dialogue.Finish(), 0);
  const std::string fight = "8,bB,bF/10/10/10/10/10/10/b9,9/r4+,9/rF,9 r play 0";
  const std::string out =
      Play({"stratego", "--position", fight.c_str(), "--against", "random"}, "a2xa3\nundo\n");
  EXPECT_THAT(out, HasSubstr("fought: "));
  EXPECT_THAT(out, HasSubstr("error: undo: hidden pieces were shown"));
}

TEST(PlayCommand, ASaveThatCannotBeEndsNothing) {
  const std::string name(5000, 'a');
  const std::string out = Play({"reversi", "--against", "random"}, "save " + name + "\nmoves\n");
  EXPECT_THAT(out, HasSubstr("error: "));
  EXPECT_THAT(out, HasSubstr("c4 d3 e6 f5"));
}

TEST(PlayCommand, AnInterruptAtThePromptEndsIt) {
  Dialogue dialogue({"play", "reversi", "--against", "random"});
  dialogue.Read();
  dialogue.Signal(SIGINT);
  EXPECT_EQ(dialogue.Read(), "\n");
  EXPECT_EQ(dialogue.Finish(), 130);
}

TEST(PlayCommand, BadInput) {
  ExpectUserError({"play", "revesi"}, {"did you mean 'reversi'?"});
  ExpectUserError({"play", "reversi", "--against", "rollot"}, {"--against: ", "'rollout'"});
  ExpectUserError({"play", "reversi", "--side", "2"}, {"--side must be one of 0, 1, random"});
  ExpectUserError({"play", "reversi", "--position", "X"}, {"reversi position 'X'"});
  ExpectUserError({"play", "reversi", "--after", "a1"}, {"--after: ply 1: 'a1' is not legal"});
  ExpectUserError({"play", "reversi", "--seed", "x"}, {"--seed must be an integer"});
}

}  // namespace
}  // namespace qirkat::test
