// Stratego: counts from the start, the slow reference, chase games, setups, errors with reason and
// place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "envs/registry.h"
#include "tests/envs/against_reference.h"
#include "tests/envs/position_checks.h"
#include "tests/envs/stratego_games.h"
#include "tests/envs/test_data.h"

namespace qirkat {
namespace {

using testing::HasSubstr;

const OptionTexts kGivenSetups = {{"setup", std::string(kTraceSetups)}};

TEST(StrategoTest, PerftFromTheStart) {
  const std::vector<std::uint64_t> counts = {10, 94, 1193, 14973, 209365};
  for (const std::string rules : {"classic", "tournament"}) {
    OptionTexts options = kGivenSetups;
    options.emplace_back("rules", rules);
    const auto line = MakeGame("stratego", options)->NewLineAt("start");
    for (std::size_t depth = 1; depth <= counts.size(); ++depth) {
      EXPECT_EQ(line->Perft(static_cast<int>(depth)), counts[depth - 1]) << rules << ' ' << depth;
    }
  }
}

bool IsNextToEnemy(const AnyLine& line, int square) {
  for (const int direction : {0, 2, 4, 6}) {
    const int next = Stratego::Board::Step(square, direction);
    if (next >= 0 && line.SquareText(next).starts_with("br"[line.to_move()])) return true;
  }
  return false;
}

// Moves that threaten are often played, attacks rarely.
std::uint32_t Chasing(const AnyLine& line, const reference::SlowAction& action) {
  if (action.to < 0 || !action.taken.empty()) return 1;
  return IsNextToEnemy(line, action.to) ? 40 : 4;
}

// Where a game starts that is number `number` of a test.
std::string StartOf(int number, RandomStream& random) {
  if (number % 13 == 0) return "start";
  if (number % 13 != 6) return RandomStrategoPosition(random);
  const auto line = MakeGame("stratego")->NewLineAt("start");
  for (std::uint32_t left = random.Below(80); left > 0; --left) {
    const auto count = static_cast<std::uint32_t>(line->legal_count());
    line->Play(line->legal(static_cast<int>(random.Below(count))));
  }
  return line->PositionText();
}

// Random games over option values from the start and from random positions.
TEST(StrategoTest, AgreesWithTheSlowReference) {
  const std::vector<OptionTexts> variants = {
      {},
      {{"rules", "tournament"}},
      {{"rules", "tournament"}, {"no_attack_limit", "0"}, {"max_plies", "400"}},
      {{"rules", "tournament"}, {"setup", std::string(kTraceSetups)}},
      {{"setup", std::string(kTraceSetups)}, {"no_attack_limit", "5"}, {"max_plies", "0"}},
      {{"no_attack_limit", "0"}, {"max_plies", "9"}},
  };
  CompareWithReference("stratego", variants, StartOf, [](int game) -> ActionWeight {
    return game % 2 == 0 ? ActionWeight(Chasing) : nullptr;
  });
}

// Under `tournament` only more-squares forbids each game's last action; under `classic` nothing
// does.
TEST(StrategoTest, ChaseGames) {
  const auto games = LinesOf("stratego_chase_games.txt");
  EXPECT_EQ(games.size(), 40u);
  for (const std::string rules : {"classic", "tournament"}) {
    const auto game =
        MakeGame("stratego", {{"rules", rules}, {"no_attack_limit", "0"}, {"max_plies", "0"}});
    for (const std::string& text : games) {
      SCOPED_TRACE(text);
      const auto tab = text.find('\t');
      const auto line = game->NewLineAt(text.substr(0, tab));
      auto actions = Split(std::string_view(text).substr(tab + 1), ' ');
      const auto last = actions.back();
      actions.pop_back();
      for (const auto action : actions) line->Play(line->ParseAction(action));
      if (rules == "classic") {
        EXPECT_NO_THROW(line->ParseAction(last));
      } else {
        EXPECT_THROW(line->ParseAction(last), UserError);
      }
    }
  }
}

class StrategoSetupTest : public testing::Test {
 protected:
  // A book of this text.
  std::string Book(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  std::string ErrorOfBook(const std::string& text) { return ErrorOfSetup("book", Book(text)); }
  static std::string ErrorOfSetup(const std::string& setup, const std::string& book = "") {
    return ErrorOf("stratego", "start", {{"setup", setup}, {"setup_book", book}});
  }

  void TearDown() override { std::filesystem::remove(path_); }

 private:
  const std::string path_ = testing::TempDir() + "stratego_book_of_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

// The pieces of a player in the order in which they are placed.
std::string SetupOf(const AnyLine& line, Player player) {
  std::string setup;
  for (int n = 0; n < 40; ++n) {
    const int square = 30 - n / 10 * 10 + n % 10;
    const std::string piece = line.SquareText(player == 0 ? square : 99 - square);
    EXPECT_EQ(piece.size(), 2u);
    setup += piece[1];
  }
  return setup;
}

TEST_F(StrategoSetupTest, PlacedAndChosenAreTheSame) {
  const auto setups = LinesOf("stratego_human_setups_sample.txt");
  EXPECT_EQ(setups.size(), 3000u);
  const auto placing = MakeGame("stratego");
  for (std::size_t i = 0; i < setups.size(); ++i) {
    const std::string& blue = setups[setups.size() - 1 - i];
    const auto placed = placing->NewLineAt("start");
    for (const char letter : setups[i] + blue) placed->Play(placed->ParseAction({&letter, 1}));
    const auto chosen =
        MakeGame("stratego", {{"setup", setups[i] + ',' + blue}})->NewLineAt("start");
    ASSERT_EQ(placed->PositionText(), chosen->PositionText());
    ASSERT_EQ(placed->StateKey(), chosen->StateKey());
    ASSERT_EQ(SetupOf(*chosen, 0), setups[i]);
    ASSERT_EQ(SetupOf(*chosen, 1), blue);
  }
}

// Both players draw on their own, all setups of the book.
TEST_F(StrategoSetupTest, ABookIsDrawnFromUniformly) {
  const auto setups = LinesOf("stratego_human_setups_sample.txt");
  const std::set<std::string> book(setups.begin(), setups.begin() + 4);
  ASSERT_EQ(book.size(), 4u);
  const std::string path = Book(Join(book, "\n") + '\n');
  const auto game = MakeGame("stratego", {{"setup", "book"}, {"setup_book", path}});
  RandomStream random(3, 0, 0, StreamPurpose::kSetup);
  std::map<std::pair<std::string, std::string>, int> drawn;
  for (int i = 0; i < 1600; ++i) {
    const auto line = game->NewLine(random);
    ++drawn[{SetupOf(*line, 0), SetupOf(*line, 1)}];
  }
  EXPECT_EQ(drawn.size(), 16u);
  for (const auto& [pair, count] : drawn) {
    EXPECT_TRUE(book.contains(pair.first) && book.contains(pair.second));
    EXPECT_NEAR(count, 100, 45);
  }
  EXPECT_EQ(
      ErrorOfSetup("book", std::string(QIRKAT_TEST_DATA) + "/stratego_human_setups_sample.txt"),
      "accepted");
}

TEST_F(StrategoSetupTest, RandomSetupsAreRandom) {
  const auto game = MakeGame("stratego", {{"setup", "random"}});
  RandomStream random(4, 0, 0, StreamPurpose::kSetup);
  std::array<std::array<int, 40>, 2> flags{};
  for (int i = 0; i < 4000; ++i) {
    const auto line = game->NewLine(random);
    for (const Player player : {Player{0}, Player{1}}) {
      ++flags[player][SetupOf(*line, player).find('F')];
    }
    EXPECT_EQ(line->ply(), 0u);
  }
  for (const auto& of_player : flags) {
    for (const int count : of_player) EXPECT_NEAR(count, 100, 50);
  }
}

TEST_F(StrategoSetupTest, WrongSetupsAreRefusedWithReasonAndPlace) {
  const std::string good(kTraceSetups.substr(0, 40));
  const std::string accepted = "; accepted: the letters FBBBBBBS1233444555566667777888889" +
                               std::string("9999999 in any order");
  EXPECT_EQ(ErrorOfSetup("placed"),
            "--set: setup: 'placed'; accepted: place, random, book or two setup texts RED,BLUE");
  EXPECT_EQ(ErrorOfSetup(good + ',' + good), "accepted");
  EXPECT_EQ(ErrorOfSetup(good + ",1"),
            "--set: setup of blue: a setup of 1 letters instead of 40" + accepted);
  EXPECT_EQ(ErrorOfSetup("11," + good),
            "--set: setup of red: more than 1 pieces 1 at character 2" + accepted);
  EXPECT_EQ(ErrorOfSetup("1f," + good),
            "--set: setup of red: no piece is called 'f' at character 2" + accepted);
  EXPECT_EQ(ErrorOfSetup("book"),
            "--set: setup_book: setup is book, but no file is named; accepted: a file of setups");
  EXPECT_THAT(ErrorOfSetup("book", "/nowhere/book.txt"),
              HasSubstr("--set: setup_book: cannot read /nowhere/book.txt"));
  EXPECT_THAT(ErrorOfSetup("book", std::string("a\0b", 3)), HasSubstr("holds a NUL character"));

  const std::string path = "--set: setup_book: " + Book("");
  EXPECT_EQ(ErrorOfBook(""), path + ": no setups; accepted: one setup text a line");
  EXPECT_EQ(ErrorOfBook("\n"), path + ": no setups; accepted: one setup text a line");
  EXPECT_EQ(ErrorOfBook(good + "\r\n" + good + "\r\n"),
            path + ":1: the line ends in CR LF; accepted: LF line ends");
  EXPECT_EQ(ErrorOfBook(good + "\n\n" + good),
            path + ":2: a setup of 0 letters instead of 40" + accepted);
  EXPECT_EQ(ErrorOfBook(good + '\n' + good + "9\n"),
            path + ":2: more than 8 pieces 9 at character 41" + accepted);
  EXPECT_EQ(ErrorOfBook(good), "accepted");
}

// What files store names the book with its checksum, so that nothing goes on with another one.
TEST_F(StrategoSetupTest, ABookIsKnownByItsChecksum) {
  const std::string good(kTraceSetups.substr(0, 40));
  const std::string path = Book(good + '\n');
  const auto stored =
      MakeGame("stratego", {{"setup", "book"}, {"setup_book", path}})->info().OptionValues();
  EXPECT_THAT(stored[1].second, testing::MatchesRegex(".*_book_of_.*@[0-9a-f]+"));
  EXPECT_EQ(stored[1].second.size(), path.size() + 17);
  EXPECT_EQ(MakeGame("stratego", stored)->info().OptionValues(), stored);
  Book(good + '\n' + good + '\n');
  EXPECT_THAT(ErrorOfSetup("book", stored[1].second), HasSubstr("the book has changed"));
  EXPECT_EQ(ErrorOfSetup("book", path), "accepted");
}

TEST(StrategoTest, WrongPositionTextsAreRefusedWithReasonAndPlace) {
  const auto play = [](const std::string& rank_1) {
    return ErrorOf("stratego", "bF,9/10/10/10/10/10/10/10/10/" + rank_1 + " r play 0");
  };
  EXPECT_EQ(play("rF,r9+!,8"), "accepted");
  EXPECT_THAT(play("rF,rX,8"), HasSubstr("'rX' is not a piece at character 33"));
  EXPECT_THAT(play("rF,x9,8"), HasSubstr("'x9' is not a piece at character 33"));
  EXPECT_THAT(play("rF,r,8"), HasSubstr("'r' is not a piece"));
  EXPECT_THAT(play("rF,r9!+,8"), HasSubstr("'r9!+' is not a piece"));
  EXPECT_THAT(play("rF,r9++,8"), HasSubstr("'r9++' is not a piece"));
  EXPECT_THAT(play("rF,b?,8"), HasSubstr("'b?' is not a piece"));
  EXPECT_THAT(play("rF+,9"), HasSubstr("a flag or bomb that has moved at character 30"));
  EXPECT_THAT(play("rF,rB+!,8"), HasSubstr("a flag or bomb that has moved at character 33"));
  EXPECT_THAT(play("rF,r1,r1!,7"), HasSubstr("more than 1 pieces r1 at character 36"));
  EXPECT_THAT(ErrorOf("stratego", "bF,9/10/10/10/2,r9,7/10/10/10/10/rF,9 r play 0"),
              HasSubstr("a piece on the lake c6 at character 17"));
  EXPECT_THAT(ErrorOf("stratego", "10/10/10/10/10/10/10/10/10/r9,9 r play 0"),
              HasSubstr("both sides have already lost: there is no flag at character 1"));
  EXPECT_EQ(ErrorOf("stratego", "10/10/10/10/10/10/10/10/10/rF,9 r play 0"), "accepted");
  EXPECT_THAT(ErrorOf("stratego", "bF,9/10/10/10/10/10/10/10/10/rF,9 y play 0"),
              HasSubstr("the side to move is 'y' instead of r or b"));
  EXPECT_THAT(ErrorOf("stratego", "bF,9/10/10/10/10/10/10/10/10/rF,9 r move 0"),
              HasSubstr("the phase is 'move' instead of setup or play at character 37"));
  EXPECT_THAT(ErrorOf("stratego", "bF,9/10/10/10/10/10/10/10/10/rF,9 r play 1000001"),
              HasSubstr("the attack counter is above 1000000"));
}

TEST(StrategoTest, WrongSetupPositionsAreRefusedWithReasonAndPlace) {
  const auto setup = [](const std::string& board, const std::string& rest) {
    return ErrorOf("stratego", board + ' ' + rest);
  };
  EXPECT_EQ(setup("10/10/10/10/10/10/rF,rB,8/10/10/10", "r setup 0"), "accepted");
  EXPECT_THAT(setup("10/10/10/10/10/10/rF,rB,8/10/10/10", "r setup 1"),
              HasSubstr("an attack counter above 0 in the setup at character 44"));
  EXPECT_THAT(setup("10/10/10/10/10/10/rF,rB!,8/10/10/10", "r setup 0"),
              HasSubstr("a moved or shown piece in the setup at character 22"));
  EXPECT_THAT(setup("10/10/10/10/10/10/1,rB,8/10/10/10", "r setup 0"),
              HasSubstr("not the first 1 cells of r's placement order are filled: not a4"));
  EXPECT_THAT(setup("10/10/10/10/10/10/rF,9/10/10/10", "b setup 0"),
              HasSubstr("the side that is not to move has placed 1 pieces instead of 40"));
  EXPECT_THAT(setup("10/10/10/9,bF/10/10/10/10/10/10", "r setup 0"),
              HasSubstr("the side that is not to move has placed 1 pieces instead of 0"));
  const std::string red =
      "r6,r9,r4,r9,r5,r9,r1,r9,r3,r7/r5,r7,rS,r6,r9,r4,r8,r2,r5,r9/r8,rB,r6,r7,r3,r9,rB,r6,r4,r9/"
      "rB,rF,rB,r8,r5,r7,r8,rB,r8,rB";
  EXPECT_EQ(setup("10/10/10/10/10/10/" + red, "b setup 0"), "accepted");
  EXPECT_EQ(setup("10/10/10/9,b5/10/10/" + red, "b setup 0"), "accepted");
  EXPECT_THAT(setup("10/10/10/b5,9/10/10/" + red, "b setup 0"),
              HasSubstr("not the first 1 cells of b's placement order are filled: not j7"));
  EXPECT_THAT(setup("10/10/10/10/10/10/" + red, "r setup 0"),
              HasSubstr("the side to move has placed all its pieces"));
}

TEST(StrategoTest, Draw) {
  const auto line =
      MakeGame("stratego")->NewLineAt("bF,8,b1+!/10/10/10/10/10/10/b9+,9/10/r9+,8,rF b play 3");
  EXPECT_THAT(line->Draw(),
              testing::StartsWith("10 bF   .    .    .    .    .    .    .    .    b1+!\n"));
  EXPECT_THAT(line->Draw(), testing::EndsWith("player 1 (blue, b) to move\n"));
  EXPECT_THAT(line->DrawView(0),
              testing::StartsWith("10 b?   .    .    .    .    .    .    .    .    b1+!\n"));
  EXPECT_THAT(line->DrawView(0), testing::HasSubstr("\n 3 b?+  .  "));
  EXPECT_THAT(line->DrawView(0),
              testing::HasSubstr("\n 1 r9+  .    .    .    .    .    .    .    .    rF\n"));
  EXPECT_THAT(line->DrawView(1),
              testing::HasSubstr("\n 1 r?+  .    .    .    .    .    .    .    .    r?\n"));
}

}  // namespace
}  // namespace qirkat
