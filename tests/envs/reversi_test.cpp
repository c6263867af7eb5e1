#include "envs/reversi/reversi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "envs/registry.h"
#include "tests/envs/against_reference.h"
#include "tests/envs/position_checks.h"

namespace qirkat {
namespace {

const std::vector<OptionTexts>& Variants() {
  static const std::vector<OptionTexts> variants = {
      {},
      {{"winner_takes_empties", "on"}},
      {{"max_plies", "20"}},
      {{"max_plies", "0"}, {"winner_takes_empties", "on"}},
      {{"max_plies", "1"}},
  };
  return variants;
}

std::string RandomPosition(RandomStream& random) {
  const std::uint32_t fill = random.Below(9);
  std::string text(64, '-');
  for (char& square : text) {
    if (random.Below(8) < fill) square = random.Below(2) == 0 ? 'X' : 'O';
  }
  return text + (random.Below(2) == 0 ? " X" : " O");
}

TEST(ReversiTest, AgreesWithTheSlowReference) {
  CompareWithReference("reversi", Variants(), [](int game, RandomStream& random) {
    return game % 2 == 0 ? "start" : RandomPosition(random);
  });
}

TEST(ReversiTest, PerftFromTheStart) {
  const auto line = MakeGame("reversi")->NewLineAt("start");
  const std::vector<std::uint64_t> counts = {1,    4,     12,     56,      244,     1396,
                                             8200, 55092, 390216, 3005288, 24571056};
  for (int depth = 0; depth < static_cast<int>(counts.size()); ++depth) {
    EXPECT_EQ(line->Perft(depth), counts[depth]) << depth;
  }
}

TEST(ReversiTest, WrongPositionTextsAreRefusedWithReasonAndPlace) {
  const std::string board(64, '-');
  const auto error = [](const std::string& text) { return ErrorOf("reversi", text); };
  using testing::HasSubstr;
  EXPECT_THAT(error(""), HasSubstr("the board has 0 squares instead of 64"));
  EXPECT_THAT(error(board.substr(1) + " X"), HasSubstr("63 squares instead of 64"));
  EXPECT_THAT(error(board + "- X"), HasSubstr("more than 64 squares"));
  EXPECT_THAT(error(board), HasSubstr("the side to move is missing"));
  EXPECT_THAT(error(board + "; X"), HasSubstr("the side to move is missing"));
  EXPECT_THAT(error(board + " "), HasSubstr("the side to move is '' at character 66"));
  EXPECT_THAT(error(board + " x"), HasSubstr("the side to move is 'x' at character 66"));
  EXPECT_THAT(error(board + "  X"), HasSubstr("the side to move is ' X'"));
  EXPECT_THAT(error(board + " X "), HasSubstr("the side to move is 'X '"));
  EXPECT_THAT(error(" " + board + " X"), HasSubstr("0 squares"));
  std::string wrong = board;
  wrong[9] = 'x';
  EXPECT_THAT(error(wrong + " X"), HasSubstr("'x' at character 10"));
  EXPECT_THAT(error(wrong + " X"), HasSubstr("accepted: 64 of X, O and -"));
  EXPECT_EQ(error(board + " X"), "accepted");
  EXPECT_EQ(error(board + " O; anything"), "accepted");
}

// A position with three empty squares and another with the same board five plies later.
TEST(ReversiTest, ThePlyIsSeenOnlyWhereTheLimitCanDecide) {
  Reversi::Options options;
  options.max_plies = 70;
  const auto rules = Reversi::MakeRules(options);
  const auto state = Reversi::ParsePosition(
      rules, "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO-- X");
  const auto position = Reversi::Examine(rules, state, {});
  const auto plies = [&](std::uint32_t ply) {
    std::array<std::uint8_t, 24> planes;
    float scalar = -1;
    Reversi::Observe(rules, state, position, {.ply = ply}, {planes.data(), &scalar});
    return scalar;
  };
  // Two empties: at most three plies lead to a position that is not finished.
  EXPECT_EQ(plies(0), 0);
  EXPECT_EQ(plies(66), 0);
  EXPECT_EQ(plies(67), 67.0f / 70);
  EXPECT_EQ(Reversi::StateKey(rules, state, {.ply = 0}),
            Reversi::StateKey(rules, state, {.ply = 66}));
  EXPECT_NE(Reversi::StateKey(rules, state, {.ply = 67}),
            Reversi::StateKey(rules, state, {.ply = 66}));
  EXPECT_NE(Reversi::ObservationKey(rules, state, {.ply = 67}),
            Reversi::ObservationKey(rules, state, {.ply = 68}));
}

TEST(ReversiTest, NoLimitByDefaultIsEverSeen) {
  const auto game = MakeGame("reversi");
  RandomStream random(2, 0, 0, StreamPurpose::kTest);
  for (int i = 0; i < 200; ++i) {
    const auto line = game->NewLineAt("start");
    while (!line->over()) {
      std::array<std::uint8_t, 24> planes;
      float scalar = -1;
      line->Observe({planes.data(), &scalar});
      ASSERT_EQ(scalar, 0);
      line->Play(line->legal(
          static_cast<int>(random.Below(static_cast<std::uint32_t>(line->legal_count())))));
    }
  }
}

TEST(ReversiTest, TheEightSymmetriesDiffer) {
  std::set<std::vector<int>> images;
  for (int s = 0; s < 8; ++s) {
    std::vector<int> image;
    for (int q = 0; q < 64; ++q) image.push_back(Reversi::MapSquare(s, q));
    images.insert(image);
  }
  EXPECT_EQ(images.size(), 8u);
}

TEST(ReversiTest, Draw) {
  const auto line = MakeGame("reversi")->NewLineAt("start");
  EXPECT_EQ(line->Draw(),
            "  a b c d e f g h\n1 . . . . . . . .\n2 . . . . . . . .\n3 . . . . . . . .\n"
            "4 . . . O X . . .\n5 . . . X O . . .\n6 . . . . . . . .\n7 . . . . . . . .\n"
            "8 . . . . . . . .\nplayer 0 (black, X) to move\n");
}

}  // namespace
}  // namespace qirkat
