// Super 1 al 5: counts from the start, the slow reference, errors with reason and place, what keys
// and observations hold, points of four digits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "envs/core/position_text.h"
#include "envs/registry.h"
#include "tests/envs/against_reference.h"
#include "tests/envs/position_checks.h"

namespace qirkat {
namespace {

using testing::HasSubstr;

TEST(Super1al5Test, PerftFromTheStart) {
  const auto line = MakeGame("super1al5")->NewLineAt("start");
  const std::vector<std::uint64_t> counts = {22, 484, 15092, 470596, 17724508};
  for (std::size_t depth = 1; depth <= counts.size(); ++depth) {
    EXPECT_EQ(line->Perft(static_cast<int>(depth)), counts[depth - 1]) << depth;
  }
}

std::string RandomPiece(RandomStream& random) {
  std::string piece = StrCat(random.Below(2) == 0 ? 'l' : 'd', 1 + random.Below(5));
  const std::uint32_t points = random.Below(3) != 0   ? 0
                               : random.Below(8) == 0 ? random.Below(1000)
                                                      : random.Below(14);
  if (points > 0) piece += StrCat('+', points);
  // Now and then without the * that 10 points demand.
  const bool is_super = points >= 10 ? random.Below(30) != 0 : random.Below(8) == 0;
  return is_super ? piece + '*' : piece;
}

std::string RandomPosition(RandomStream& random) {
  std::vector<std::string> cells(80);
  const std::uint32_t pieces = 2 + random.Below(random.Below(2) == 0 ? 8 : 32);
  for (std::uint32_t i = 0; i < pieces; ++i) cells[random.Below(80)] = RandomPiece(random);
  const std::uint32_t counter = random.Below(4) == 0 ? 70 + random.Below(12) : random.Below(3);
  return StrCat(BoardText(cells, 8, ','), ' ', random.Below(2) == 0 ? 'l' : 'd', ' ', counter);
}

// Random games over option values from the start and from random positions.
TEST(Super1al5Test, AgreesWithTheSlowReference) {
  const std::string tight = "2,d1+4,5/8/8/8/8/8/8/8/l1,d5+999*,6/l1,l1+3*,6 l 0";
  const std::vector<OptionTexts> variants = {
      {},
      {{"super_quiet_range", "unlimited"}},
      {{"marked", "none"}, {"few_pieces", "16"}},
      {{"marked", "a1,b3,h10,c7,e5,f5,g6"}, {"start", tight.substr(0, tight.size() - 1) + "7"}},
      {{"marked", "c3,c4"}, {"start", tight}, {"no_capture_limit", "0"}},
      {{"no_capture_limit", "5"}, {"max_plies", "0"}, {"few_pieces", "2"}},
      {{"max_plies", "9"}, {"few_pieces", "16"}, {"super_quiet_range", "unlimited"}},
      {{"max_plies", "0"}, {"no_capture_limit", "0"}, {"few_pieces", "0"}}};
  CompareWithReference("super1al5", variants, [](int game, RandomStream& random) {
    return game % 3 == 0 ? "start" : RandomPosition(random);
  });
}

// The marked cells c1, b2, c2 shut in pieces on a1, a2, b1.
TEST(Super1al5Test, ForcedPassesAndBothPass) {
  const std::string corners = "6,d1,d1/7,d1/8/8/8/8/8/8/l1,7/l1,l1+2,6 l 79";
  const OptionTexts options = {{"marked", "c1,b2,c2,a3,b3,f10,g9,f9,h8,g8"}};
  const auto fast = MakeGame("super1al5", options)->NewLineAt(corners);
  const auto slow = reference::MakeSlowGame("super1al5", {options.begin(), options.end()}, corners);
  RandomStream random(2, 0, 0, StreamPurpose::kTest);
  EXPECT_EQ(PlayBoth(*fast, *slow, random), 1);
  EXPECT_EQ(ResultText(fast->outcome(), 1), "result +1 score 2 plies 1 reason both-pass+points");
}

TEST(Super1al5Test, WrongPositionTextsAreRefusedWithReasonAndPlace) {
  const auto with = [](const std::string& piece) {
    return ErrorOf("super1al5", StrCat("d1,6,d1/8/8/8/8/8/8/8/8/l1,", piece, ",6 l 0"));
  };
  for (const char* piece : {"l3", "d1", "l3+7", "d5+12*", "l2*", "l3+1*", "l5+999*", "d3+9"}) {
    EXPECT_EQ(with(piece), "accepted") << piece;
  }
  for (const char* piece :
       {"l", "l0", "l6", "x3", "L3", "l3-7", "l3x", "l33", "l3*+7", "l3**", "l*", "l3*x"}) {
    EXPECT_THAT(with(piece), HasSubstr("character 28")) << piece;
  }
  EXPECT_THAT(with("x3"), HasSubstr("no piece is called 'x3' at character 28"));
  EXPECT_THAT(with("l3+0"), HasSubstr("not canonical: a piece with +0 points at character 30"));
  EXPECT_THAT(with("l3+07"), HasSubstr("leading zeros at character 31"));
  EXPECT_THAT(with("l3+"), HasSubstr("the points of a piece is '', not a number"));
  EXPECT_THAT(with("l3+7+1"), HasSubstr("the points of a piece is '7+1', not a number"));
  EXPECT_THAT(with("l3+10"), HasSubstr("'l3+10' has 10 or more points without * at character 28"));
  EXPECT_THAT(with("l3+1000*"), HasSubstr("the points of a piece is above 999 at character 31"));

  const auto error = [](const std::string& text, const OptionTexts& options = {}) {
    return ErrorOf("super1al5", text, options);
  };
  const std::string rank = "l1,l1,l1,l1,l1,l1,l1,l1";
  EXPECT_EQ(error(StrCat("d1,6,d1/8/8/8/8/8/8/8/", rank, '/', rank, " l 0")), "accepted");
  EXPECT_THAT(error(StrCat("d1,6,d1/8/8/8/8/8/8/l1,7/", rank, '/', rank, " l 0")),
              HasSubstr("more than 16 pieces l at character 71"));
  EXPECT_THAT(error("8/8/8/8/8/3,l1,4/8/8/8/d1,d1,l2,5 l 0"),
              HasSubstr("a piece on the marked cell d5 at character 13"));
  EXPECT_EQ(error("8/8/8/8/8/3,l1,4/8/8/8/d1,d1,l2,5 l 0", {{"marked", "none"}}), "accepted");
  EXPECT_THAT(error("d1,7/8/8/8/8/8/8/8/8/l5+12*,7 l 0"),
              HasSubstr("both sides have already lost at character 1"));
  EXPECT_THAT(error("8/8/8/8/8/8/8/8/8/8 l 0"), HasSubstr("both sides have already lost"));
  EXPECT_EQ(error("8/8/8/8/8/8/8/8/8/l1,l1,6 d 0"), "accepted");  // a finished game
  EXPECT_THAT(error("8/8/8/8/8/8/8/8/l1,l1,6 d 0"),
              HasSubstr("the board has 9 ranks instead of 10"));
  EXPECT_THAT(error("8/8/8/8/8/8/8/8/8/l1,l1,7 d 0"), HasSubstr("rank 1 has more than 8 squares"));
  EXPECT_THAT(error("8/8/8/8/8/8/8/8/8/l1,l1,3,3 d 0"), HasSubstr("two runs of empty squares"));
  EXPECT_THAT(error("8/8/8/8/8/8/8/8/8/l1,l1,6 x 0"), HasSubstr("the side to move is 'x'"));
  EXPECT_THAT(error("8/8/8/8/8/8/8/8/8/l1,l1,6 l 1000001"),
              HasSubstr("the capture counter is above 1000000"));
  EXPECT_THAT(error("8/8/8/8/8/8/8/8/8/l1,l1,6 l - 0"), HasSubstr("4 fields instead of 3"));
}

TEST(Super1al5Test, WrongOptionsAreRefused) {
  const auto error = [](const std::string& name, const std::string& value,
                        const std::string& position = "start") {
    return ErrorOf("super1al5", position, {{name, value}});
  };
  EXPECT_THAT(error("marked", "d5,i1"),
              HasSubstr("marked: 'd5,i1', and 'i1' is no cell; accepted: none, or cells"));
  for (const char* marked : {"", "d5,", ",d5", "none,d5", "d11", "D5", "d5 e5", "d05"}) {
    EXPECT_THAT(error("marked", marked), HasSubstr("is no cell")) << marked;
  }
  EXPECT_THAT(error("super_quiet_range", "9"), HasSubstr("one of number, unlimited"));
  EXPECT_THAT(error("few_pieces", "17"), HasSubstr("integer 0 … 16"));
  EXPECT_THAT(error("start", "nothing"), HasSubstr("super1al5 position 'nothing'"));
  // Only the position that is used must keep off the marked cells.
  EXPECT_THAT(error("marked", "c4,b2"), HasSubstr("stands on the marked cell b2"));
  EXPECT_EQ(error("marked", "c4,b2", "8/8/8/8/8/8/8/8/8/l1,l1,d1,d1,4 l 0"), "accepted");
}

TEST(Super1al5Test, KeysAndObservationsHoldEverything) {
  std::vector<std::string> positions = {"d1,6,d1/8/8/8/8/8/8/8/1,l1,6/l3,7 l 0",
                                        "d1,6,d1/8/8/8/8/8/8/8/1,l1,6/l3,7 d 0",
                                        "d1,6,d1/8/8/8/8/8/8/8/1,l1,6/l3,7 l 1"};
  for (const char* piece : {"d3", "l1", "l2", "l4", "l5", "l3*", "l3+2*", "d3+2", "l3+999*"}) {
    positions.push_back(StrCat("d1,6,d1/8/8/8/8/8/8/8/1,l1,6/", piece, ",7 l 0"));
  }
  for (int points = 1; points < 10; ++points) {
    positions.push_back(StrCat("d1,6,d1/8/8/8/8/8/8/8/1,l1,6/l3+", points, ",7 l 0"));
  }
  for (int points = 10; points < 999; points += 43) {
    positions.push_back(StrCat("d1,6,d1/8/8/8/8/8/8/8/1,l1,6/l3+", points, "*,7 l 0"));
  }
  ExpectAllDiffer("super1al5", positions);
}

std::vector<float> ScalarsOf(const AnyLine& line, const GameInfo& info) {
  std::vector<std::uint8_t> planes(info.plane_bytes);
  std::vector<float> scalars(info.scalars());
  line.Observe({planes.data(), scalars.data()});
  return scalars;
}

TEST(Super1al5Test, ScalarsAreOfTheMover) {
  const auto game = MakeGame("super1al5");
  const std::string board = "d1,6,d1+9/8/8/8/8/8/8/8/8/l3+18*,6,l1";
  const auto scalars = [&](const std::string& text) {
    return ScalarsOf(*game->NewLineAt(text), game->info());
  };
  EXPECT_EQ(scalars(board + " l 20"),
            (std::vector<float>{0.125, 0.125, 0.25, 0.125, 1, 0.25, 0, 0}));
  EXPECT_EQ(scalars(board + " d 20"),
            (std::vector<float>{0.125, 0.125, 0.125, 0.25, 0, 0.25, 0, 0}));
  EXPECT_EQ(scalars("start")[4], 0.5f);
}

TEST(Super1al5Test, RepetitionIsSeenAndKeyed) {
  const auto game = MakeGame("super1al5", {{"no_capture_limit", "0"}, {"max_plies", "0"}});
  const auto line = game->NewLineAt("d1,6,d1/8/8/8/8/8/8/8/8/l3,6,l1 l 0");
  std::set<std::pair<std::uint64_t, std::uint64_t>> states, rows;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ScalarsOf(*line, game->info())[7], 0.5f * static_cast<float>(round));
    states.emplace(line->StateKey().lo, line->StateKey().hi);
    rows.emplace(line->ObservationKey().lo, line->ObservationKey().hi);
    for (const char* action : {"h1-h2", "a10-a9", "h2-h1", "a9-a10"}) {
      line->Play(line->ParseAction(action));
    }
  }
  EXPECT_EQ(states.size(), 2u);
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(ResultText(line->outcome(), line->ply()),
            "result 0 score 0 plies 8 reason repetition+points");
}

// The most points that texts allow, all taken by one piece.
TEST(Super1al5Test, PointsOfFiveDigits) {
  const std::string dark = "d5+999*,d5+999*,d5+999*,d5+999*,d5+999*,d5+999*,d5+999*,d5+999*";
  const std::string start = StrCat("8/8/8/8/8/8/8/", dark, "/", dark, "/l5+999*,l5+999*,6 l 0");
  OptionTexts options = {{"marked", "none"}};
  const auto game = MakeGame("super1al5", options);
  const auto line = game->NewLineAt(start);
  const auto slow = reference::MakeSlowGame("super1al5", {options.begin(), options.end()}, start);
  RandomStream random(3, 0, 0, StreamPurpose::kTest);
  EXPECT_GT(PlayBoth(*game->NewLineAt(start), *slow, random), 0);

  for (const char* action : {"a1xa3", "h2-h1", "a3xh3"}) line->Play(line->ParseAction(action));
  EXPECT_EQ(line->PositionText(),
            "8/8/8/8/8/8/8/7,l5+10035*/1,d5+999*,d5+999*,d5+999*,d5+999*,d5+999*,d5+999*,1/"
            "1,l5+999*,5,d5+999* d 0");
  for (const char* action : {"b2-c1", "h3xh1"}) line->Play(line->ParseAction(action));
  EXPECT_EQ(line->SquareText(7), "l5+11039*");
  EXPECT_EQ(line->outcome().score, 11039 + 999 - 6 * 999);
}

// Symmetries are those of the marked cells.
TEST(Super1al5Test, MarkedCellsMaskSymmetries) {
  const auto mask = [](const std::string& marked) {
    return int{MakeGame("super1al5", {{"marked", marked}})->NewLineAt("start")->SymmetryMask()};
  };
  EXPECT_EQ(mask("d5,e5,d6,e6"), 0b1111);
  EXPECT_EQ(mask("none"), 0b1111);
  EXPECT_EQ(mask("d5,e5"), 0b0011);  // left-right
  EXPECT_EQ(mask("d5,d6"), 0b0101);  // top-bottom
  EXPECT_EQ(mask("d5,e6"), 0b1001);  // half turn
  EXPECT_EQ(mask("d5"), 0b0001);
}

TEST(Super1al5Test, Draw) {
  EXPECT_EQ(MakeGame("super1al5")->NewLineAt("d1,7/8/8/8/8/8/8/2,d5+12*,5/8/l3,l1,6 d 0")->Draw(),
            "10 d1     .      .      .      .      .      .      .\n"
            " 9 .      .      .      .      .      .      .      .\n"
            " 8 .      .      .      .      .      .      .      .\n"
            " 7 .      .      .      .      .      .      .      .\n"
            " 6 .      .      .      .      .      .      .      .\n"
            " 5 .      .      .      .      .      .      .      .\n"
            " 4 .      .      .      .      .      .      .      .\n"
            " 3 .      .      d5+12* .      .      .      .      .\n"
            " 2 .      .      .      .      .      .      .      .\n"
            " 1 l3     l1     .      .      .      .      .      .\n"
            "   a      b      c      d      e      f      g      h\n"
            "player 1 (dark, d) to move\n");
}

}  // namespace
}  // namespace qirkat
