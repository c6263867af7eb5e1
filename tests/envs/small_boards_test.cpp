// Alquerque and Superlogo: counts from the start, slow references, errors with reason and place.
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

struct SmallBoardCase {
  std::string game;
  std::vector<std::uint64_t> perft;  // from the start, depth 1 …
  std::vector<OptionTexts> variants;
  std::string pieces;  // of a board, each as often as a player has it
  std::string sides;
  bool stop_counts;  // its position texts hold them
};

class SmallBoardTest : public testing::TestWithParam<SmallBoardCase> {
 protected:
  static std::string RandomPosition(const SmallBoardCase& game, RandomStream& random) {
    std::vector<std::string> cells(25);
    const std::uint32_t fill = 1 + random.Below(10);
    for (const char piece : game.pieces) {
      if (random.Below(10) >= fill) continue;
      std::string& cell = cells[random.Below(25)];
      if (cell.empty()) cell = piece;
    }
    std::string text = StrCat(BoardText(cells, 5, 0), ' ', game.sides[random.Below(2)], ' ');
    const bool chain = random.Below(4) == 0;
    text += chain ? SquareName(static_cast<int>(random.Below(25)), 5) : "-";
    if (game.stop_counts) {
      if (chain && random.Below(2) == 0) text += '+';
      text += StrCat(' ', random.Below(chain ? 2 : 3), ',', random.Below(3));
    }
    const std::uint32_t counter = random.Below(4) == 0 ? 70 + random.Below(12) : random.Below(3);
    return StrCat(text, ' ', chain ? counter / 2 : counter);
  }
};

TEST_P(SmallBoardTest, PerftFromTheStart) {
  const auto line = MakeGame(GetParam().game)->NewLineAt("start");
  for (std::size_t depth = 1; depth <= GetParam().perft.size(); ++depth) {
    EXPECT_EQ(line->Perft(static_cast<int>(depth)), GetParam().perft[depth - 1]) << depth;
  }
}

// Random games over option values from the start and from random positions.
TEST_P(SmallBoardTest, AgreesWithTheSlowReference) {
  CompareWithReference(GetParam().game, GetParam().variants, [](int game, RandomStream& random) {
    return game % 3 == 0 ? "start" : RandomPosition(GetParam(), random);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Games, SmallBoardTest,
    testing::Values(SmallBoardCase{"alquerque",
                                   {4, 5, 6, 12, 19, 64, 236, 949, 3992, 18140},
                                   {{},
                                    {{"no_capture_limit", "0"}},
                                    {{"no_capture_limit", "5"}, {"max_plies", "0"}},
                                    {{"max_plies", "9"}},
                                    {{"max_plies", "0"}, {"no_capture_limit", "0"}}},
                                   "llllllllllllddddddddddddd",
                                   "ld",
                                   false},
                    SmallBoardCase{"superlogo",
                                   {3, 4, 13, 29, 122, 515, 2544, 14197, 86942, 563019},
                                   {{},
                                    {{"step_after_capture", "off"}},
                                    {{"no_capture_limit", "0"}},
                                    {{"no_capture_limit", "5"}, {"max_plies", "0"}},
                                    {{"max_plies", "9"}, {"step_after_capture", "off"}},
                                    {{"max_plies", "0"}, {"no_capture_limit", "0"}},
                                    {{"start", "s1sLs/tSl2/2T1l/L1Sl1/S2sS y b4 0,1 0"}}},
                                   "SSSSSSLLLLLLLTssssssllllllltt",
                                   "yb",
                                   true}),
    [](const auto& info) { return info.param.game; });

TEST(AlquerqueTest, WrongPositionTextsAreRefusedWithReasonAndPlace) {
  const auto error = [](const std::string& text) { return ErrorOf("alquerque", text); };
  EXPECT_EQ(error("5/2d2/5/1d3/l3d l a1 0"), "accepted");
  EXPECT_THAT(error("5/2d2/5/1x3/l3d l a1 0"), HasSubstr("no piece is called 'x' at character 10"));
  EXPECT_THAT(error("lllll/lllll/lll2/5/4d l - 0"),
              HasSubstr("more than 12 stones of l at character 15"));
  EXPECT_THAT(error("5/5/5/5/5 l - 0"), HasSubstr("both sides have already lost at character 1"));
  EXPECT_THAT(error("5/2d2/5/1d3/l3d y a1 0"),
              HasSubstr("the side to move is 'y' instead of l or d at character 17"));
  EXPECT_THAT(error("5/2d2/5/1d3/l3d l A1 0"), HasSubstr("'A1' is not a square at character 19"));
  EXPECT_THAT(error("5/2d2/5/1d3/l3d l e1 0"),
              HasSubstr("the chain point e1 holds no stone of the side to move at character 19"));
  EXPECT_THAT(error("5/2d2/5/5/l3d l a1 0"),
              HasSubstr("the stone on the chain point a1 cannot jump at character 17"));
  EXPECT_THAT(error("5/2d2/5/1d3/l3d l a1 3"),
              HasSubstr("a chain with a capture counter above 0 at character 22"));
  EXPECT_THAT(error("5/5/5/5/l3d l - 0 0"), HasSubstr("accepted: a board of l, d and runs"));
}

TEST(SuperlogoTest, WrongPositionTextsAreRefusedWithReasonAndPlace) {
  const auto error = [](const std::string& text, const OptionTexts& options = {}) {
    return ErrorOf("superlogo", text, options);
  };
  EXPECT_EQ(error("s4/5/2l2/2S2/5 y c2+ 0,2 0"), "accepted");
  EXPECT_THAT(error("s4/5/2d2/2S2/5 y c2 0,2 0"),
              HasSubstr("no piece is called 'd' at character 7"));
  EXPECT_THAT(error("SSSSS/S4/5/5/4s y - 0,0 0"), HasSubstr("more than 5 pieces S at character 7"));
  EXPECT_THAT(error("lllll/ll3/5/5/s3S y - 0,0 0"),
              HasSubstr("more than 6 pieces l at character 8"));
  EXPECT_THAT(error("tt3/5/5/5/s3S y - 0,0 0"), HasSubstr("more than 1 pieces t at character 2"));
  EXPECT_THAT(error("t4/5/5/5/5 y - 0,0 0"), HasSubstr("both sides have already lost"));
  EXPECT_THAT(error("s4/5/5/5/4S y - 3,0 0"), HasSubstr("a stop count is above 2 at character 17"));
  EXPECT_THAT(error("s4/5/5/5/4S y - 0 0"), HasSubstr("it has 1 stop counts instead of 2"));
  EXPECT_THAT(error("s4/5/2l2/2S2/5 y c3 0,0 0"), HasSubstr("holds no super of the side to move"));
  EXPECT_THAT(error("s4/5/2l2/2S2/5 y c2++ 0,0 0"), HasSubstr("'c2+' is not a square"));
  EXPECT_THAT(error("s4/5/5/2S2/5 y c2 0,0 0"), HasSubstr("the chain cell c2 cannot go on"));
  EXPECT_THAT(error("5/5/2l2/2S2/5 y c2 0,0 0"), HasSubstr("a chain in a finished game"));
  EXPECT_THAT(error("s4/5/2l2/2S2/5 y c2 1,0 0"),
              HasSubstr("a chain with a stop count above 0 of the side to move at character 21"));
  EXPECT_THAT(error("s4/5/2l2/2S2/5 y c2 0,0 1"), HasSubstr("a capture counter above 0"));
  const OptionTexts off = {{"step_after_capture", "off"}};
  EXPECT_THAT(error("s4/5/2l2/2S2/5 y c2+ 0,0 0", off),
              HasSubstr("a chain with + while step_after_capture is off at character 18"));
  EXPECT_EQ(error("s4/5/2l2/2S2/5 y c2 0,0 0", off), "accepted");
  EXPECT_THAT(error("start", {{"start", "nothing"}}), HasSubstr("superlogo position 'nothing'"));
}

TEST(AlquerqueTest, KeysAndObservationsHoldEverything) {
  ExpectAllDiffer("alquerque",
                  {"5/3d1/2l2/1d3/l3d l - 0", "5/3d1/2l2/1d3/l3d l c3 0", "5/3d1/2l2/1d3/l3d l - 1",
                   "5/3d1/2l2/1d3/l3d d - 0", "5/3d1/2l2/1d3/l2d1 l - 0"});
}

TEST(SuperlogoTest, KeysAndObservationsHoldEverything) {
  ExpectAllDiffer("superlogo", {"s3t/1l3/1S3/5/T3S y - 0,0 0", "s3t/1l3/1S3/5/T3S y b3 0,0 0",
                                "s3t/1l3/1S3/5/T3S y b3+ 0,0 0", "s3t/1l3/1S3/5/T3S y - 1,0 0",
                                "s3t/1l3/1S3/5/T3S y - 0,1 0", "s3t/1l3/1S3/5/T3S y - 0,2 0",
                                "s3t/1l3/1S3/5/T3S y - 0,0 1", "s3t/1l3/1S3/5/T3S b - 0,0 0",
                                "s3t/1l3/1L3/5/T3S y - 0,0 0", "s4/1l3/1S3/5/T3S y - 0,0 0",
                                "s2t1/1l3/1S3/5/T3S y - 0,0 0", "s3t/1l3/1S3/5/4S y - 0,0 0"});
}

// What returns is seen to return.
TEST(AlquerqueTest, RepetitionIsSeenAndKeyed) {
  const auto line = MakeGame("alquerque", {{"no_capture_limit", "0"}, {"max_plies", "0"}})
                        ->NewLineAt("d4/5/5/5/4l l - 0");
  const auto repetition = [&] {
    std::vector<std::uint8_t> planes(13);
    std::vector<float> scalars(3);
    line->Observe({planes.data(), scalars.data()});
    return scalars[2];
  };
  std::set<std::pair<std::uint64_t, std::uint64_t>> states, rows;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(repetition(), 0.5f * static_cast<float>(round));
    states.emplace(line->StateKey().lo, line->StateKey().hi);
    rows.emplace(line->ObservationKey().lo, line->ObservationKey().hi);
    for (const char* action : {"e1-e2", "a5-a4", "e2-e1", "a4-a5"}) {
      line->Play(line->ParseAction(action));
    }
  }
  EXPECT_EQ(repetition(), 1);
  EXPECT_EQ(states.size(), 2u);
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(ResultText(line->outcome(), line->ply()), "result 0 score 0 plies 8 reason repetition");
}

TEST(SmallBoardDrawTest, Draw) {
  EXPECT_EQ(MakeGame("alquerque")->NewLineAt("5/2d2/5/1d3/l3d l a1 0")->Draw(),
            "5 . . . . .\n4 . . d . .\n3 . . . . .\n2 . d . . .\n1 l . . . d\n  a b c d e\n"
            "player 0 (light, l) to move\n");
  EXPECT_EQ(MakeGame("superlogo")->NewLineAt("s3t/1l3/5/5/T2LS b - 1,0 3")->Draw(),
            "5 s . . . t\n4 . l . . .\n3 . . . . .\n2 . . . . .\n1 T . . L S\n  a b c d e\n"
            "player 1 (brown, small letters) to move\n");
}

}  // namespace
}  // namespace qirkat
