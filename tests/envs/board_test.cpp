// What the games on boards share: squares and directions, action layouts, position texts, plane
// writers, limits and repetition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "envs/core/grid.h"
#include "envs/core/limits.h"
#include "envs/core/plane_actions.h"
#include "envs/core/plane_writer.h"
#include "envs/core/position_text.h"
#include "envs/core/random.h"

namespace qirkat {
namespace {

using testing::HasSubstr;
using Small = Grid<5, 5>;
using Tall = Grid<8, 10>;

TEST(GridTest, StepsStayOnTheBoard) {
  EXPECT_EQ(Tall::Step(0, 0), 8);       // a1 N a2
  EXPECT_EQ(Tall::Step(0, 1, 7), 63);   // a1 NE h8
  EXPECT_EQ(Tall::Step(0, 1, 8), -1);   // off the right edge
  EXPECT_EQ(Tall::Step(79, 5, 7), 16);  // h10 SW a3
  EXPECT_EQ(Tall::Step(7, 2), -1);      // h1 E
  EXPECT_EQ(Tall::Step(0, 4), -1);      // a1 S
}

template <class Board>
void ExpectSymmetries(int count) {
  std::set<std::vector<int>> images;
  for (int s = 0; s < count; ++s) {
    std::vector<int> image;
    for (int square = 0; square < Board::kSquares; ++square) {
      image.push_back(Board::MapSquare(s, square));
      for (int direction = 0; direction < 8; ++direction) {
        const int to = Board::Step(square, direction);
        const int mapped = Board::Step(image.back(), Board::MapDirection(s, direction));
        EXPECT_EQ(mapped, to < 0 ? -1 : Board::MapSquare(s, to));
      }
      EXPECT_EQ(Board::HalfTurn(square), Board::MapSquare(3, square));
    }
    images.insert(image);
  }
  EXPECT_EQ(static_cast<int>(images.size()), count);
}

TEST(GridTest, SymmetriesDifferAndKeepNeighbors) {
  ExpectSymmetries<Small>(8);
  ExpectSymmetries<Tall>(4);
}

TEST(ActionLayoutTest, EncodesDecodesAndTurns) {
  using Layout = ActionLayout<Tall, 1, 8, 9, 1>;
  static_assert(Layout::kPolicySize == 5761);
  static_assert(Layout::MoverView(5760, 1) == 5760);
  for (int a = 0; a < Layout::kFirstExtra; ++a) {
    const auto action = static_cast<Action>(a);
    const MoveAction move = Layout::Decode(action);
    EXPECT_EQ(Layout::Encode(move), action);
    const MoveAction turned = Layout::Decode(Layout::MoverView(action, 1));
    EXPECT_EQ(turned.direction, (move.direction + 4) % 8);
    EXPECT_EQ(turned.distance, move.distance);
    EXPECT_EQ(turned.from, 79 - move.from);
    EXPECT_EQ(Layout::MoverView(action, 0), action);
  }
  // Kind 3, W, from c2 on a board of four directions.
  using Four = ActionLayout<Small, 4, 4, 1, 1>;
  static_assert(Four::Encode({3, 3, 1, 7}) == 15 * 25 + 7);
  static_assert(Four::MoverView(15 * 25 + 7, 1) == 13 * 25 + 17);
  static_assert(Four::Map(4, 0) == 25);  // swapping files and ranks makes N from a1 E from a1
}

TEST(PlaneActionsTest, ListsInAscendingOrder) {
  PlaneActions<3, 25> actions;
  EXPECT_TRUE(actions.empty());
  actions.AddPlanes<2>(1, {0b101u, 1u << 24});
  actions.AddPass();
  const std::vector<Action> expected = {25, 27, 74, 75};
  ASSERT_EQ(actions.size(), 4);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(actions[k], expected[k]);
  for (int a = 0; a < 80; ++a) {
    EXPECT_EQ(actions.Contains(static_cast<Action>(a)), std::ranges::count(expected, a) == 1) << a;
  }
}

TEST(PlaneWriterTest, WritesBitsWithoutPadding) {
  RandomStream random(12, 0, 0, StreamPurpose::kTest);
  for (int round = 0; round < 300; ++round) {
    std::vector<bool> bits;
    std::vector<std::uint8_t> bytes(200, 0xFF);
    PlaneWriter writer(bytes.data());
    for (int plane = 0; plane < 15; ++plane) {
      const int size = static_cast<int>(1 + random.Below(64));
      const std::uint64_t mask = size == 64 ? ~0ull : (1ull << size) - 1;
      std::uint64_t plane_bits = random.Next() & mask;
      if (plane % 5 == 4) plane_bits = plane % 2 == 0 ? mask : 0;
      writer.Add(plane_bits, size);
      for (int i = 0; i < size; ++i) bits.push_back(plane_bits >> i & 1);
    }
    writer.Finish();
    const std::size_t used = (bits.size() + 7) / 8;
    bits.resize(used * 8);
    for (std::size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(bytes[i / 8] >> (i % 8) & 1, bits[i]);
    for (std::size_t i = used; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], 0xFF);
  }
}

std::string ErrorOf(const std::string& text, char separator = 0) {
  try {
    const PositionReader reader("game", text, 3, "FORM");
    reader.Board(reader.field(0), 3, 2, separator);
    reader.Side(reader.field(1), "ld");
    reader.Number(reader.field(2), kMaxCounter, "the counter");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PositionTextTest, WrongTextsAreRefusedWithReasonAndPlace) {
  EXPECT_EQ(ErrorOf("3/l1d l 0"), "accepted");
  EXPECT_EQ(ErrorOf("3/l1d x 0"),
            "game position '3/l1d x 0': the side to move is 'x' instead of l or d at character 7; "
            "accepted: FORM");
  EXPECT_THAT(ErrorOf(""), HasSubstr("an empty field at character 1"));
  EXPECT_THAT(ErrorOf("3/l1d  0"), HasSubstr("an empty field at character 7"));
  EXPECT_THAT(ErrorOf("3/l1d l 0 "), HasSubstr("an empty field at character 11"));
  EXPECT_THAT(ErrorOf("3/l1d l 0 1"), HasSubstr("it has 4 fields instead of 3"));
  EXPECT_THAT(ErrorOf("3 l 0"), HasSubstr("the board has 1 ranks instead of 2 at character 1"));
  EXPECT_THAT(ErrorOf("3/l1 l 0"), HasSubstr("rank 1 has 2 squares instead of 3 at character 3"));
  EXPECT_THAT(ErrorOf("2ld/3 l 0"), HasSubstr("rank 2 has more than 3 squares at character 3"));
  EXPECT_THAT(ErrorOf("3/l12 l 0"), HasSubstr("a run of empty squares is above 3 at character 4"));
  EXPECT_THAT(ErrorOf("3/l01 l 0"), HasSubstr("leading zeros at character 4"));
  EXPECT_THAT(ErrorOf("3/l1d0 l 0"), HasSubstr("a run of 0 squares at character 6"));
  EXPECT_THAT(ErrorOf("3/l1d ld 0"), HasSubstr("the side to move is 'ld'"));
  EXPECT_THAT(ErrorOf("3/l1d l 00"), HasSubstr("the counter has leading zeros at character 9"));
  EXPECT_THAT(ErrorOf("3/l1d l -1"), HasSubstr("the counter is '-1', not a number"));
  EXPECT_THAT(ErrorOf("3/l1d l 1000001"), HasSubstr("the counter is above 1000000"));
  EXPECT_THAT(ErrorOf("3/l1d l 99999999999"), HasSubstr("the counter is above 1000000"));
  EXPECT_EQ(ErrorOf("3/l1d l 1000000"), "accepted");
  EXPECT_EQ(ErrorOf("3/l5,1,d1 l 0", ','), "accepted");
  EXPECT_THAT(ErrorOf("3/l5,1,1 l 0", ','), HasSubstr("two runs of empty squares side by side"));
  EXPECT_THAT(ErrorOf("3/l5,,1 l 0", ','), HasSubstr("rank 1 has an empty part at character 6"));
  EXPECT_THAT(ErrorOf("3/l5,1x,1 l 0", ','), HasSubstr("'1x', not a number at character 6"));
}

TEST(PositionTextTest, BoardsRoundTrip) {
  RandomStream random(13, 0, 0, StreamPurpose::kTest);
  for (int round = 0; round < 500; ++round) {
    const bool comma = round % 2 == 0;
    std::vector<std::string> cells(comma ? 80 : 25);
    const int columns = comma ? 8 : 5;
    const std::uint32_t empties = random.Below(5);
    for (std::string& cell : cells) {
      if (random.Below(4) < empties) continue;
      cell = comma ? StrCat('l', 1 + random.Below(12), '+') : std::string(1, 'd');
    }
    const char separator = comma ? ',' : '\0';
    const std::string text = BoardText(cells, columns, separator);
    const PositionReader reader("game", text, 1, "FORM");
    std::vector<std::string> read(cells.size());
    for (const auto& [square, piece] :
         reader.Board(text, columns, static_cast<int>(cells.size()) / columns, separator)) {
      read[square] = piece;
    }
    EXPECT_EQ(read, cells) << text;
  }
  EXPECT_EQ(BoardText({"a", "", "", "", "", "b"}, 3, ','), "2,b/a,2");
  EXPECT_EQ(BoardText({"a", "", "", "", "", "b"}, 3, 0), "2b/a2");
}

TEST(PositionTextTest, Squares) {
  EXPECT_EQ(SquareName(0, 5), "a1");
  EXPECT_EQ(SquareName(79, 8), "h10");
  const std::string text = "b10 k1";
  const PositionReader reader("game", text, 2, "FORM");
  EXPECT_EQ(reader.Square(reader.field(0), 10, 10), 91);
  EXPECT_THROW(reader.Square(reader.field(1), 10, 10), UserError);
  EXPECT_THROW(reader.Square(reader.field(0), 5, 5), UserError);
}

TEST(LimitsTest, DrawsInTheOrderOfTheRules) {
  EXPECT_EQ(MakeLimit(0), kNoLimit);
  const auto reason = [](int earlier, std::uint32_t quiet, std::uint32_t ply) {
    return DrawReason(earlier, EndReason::kNoCapture, {quiet, 80, ply, 600});
  };
  EXPECT_EQ(reason(2, 80, 600), EndReason::kRepetition);
  EXPECT_EQ(reason(1, 80, 600), EndReason::kNoCapture);
  EXPECT_EQ(reason(1, 79, 600), EndReason::kMaxPlies);
  EXPECT_EQ(reason(1, 79, 599), EndReason::kNone);
  EXPECT_EQ(DrawReason(0, EndReason::kNoCapture, {kMaxCounter, kNoLimit, kMaxCounter, kNoLimit}),
            EndReason::kNone);

  EXPECT_EQ(ShareOfLimit(20, 80), 0.25f);
  EXPECT_EQ(ShareOfLimit(100, 80), 1);
  EXPECT_EQ(ShareOfLimit(100, kNoLimit), 0);

  // One capture left and 5 of 10 quiet plies gone: after 15 plies at most the game has ended.
  EXPECT_TRUE((DrawCounters{5, 10, 86, 100}.MaxPliesCanDecide(1)));
  EXPECT_FALSE((DrawCounters{5, 10, 85, 100}.MaxPliesCanDecide(1)));
  EXPECT_FALSE((DrawCounters{5, 10, 99, kNoLimit}.MaxPliesCanDecide(9)));
  EXPECT_TRUE((DrawCounters{5, kNoLimit, 0, 100}.MaxPliesCanDecide(0)));
}

TEST(LimitsTest, EarlierOccurrencesLookAtTheSameSideOnly) {
  const Key128 a = {1, 2};
  const Key128 b = {2, 1};
  const std::vector<Key128> keys = {a, b, a, b, a, b, b, b};
  EXPECT_EQ(EarlierOccurrences(keys, a), 3);
  EXPECT_EQ(EarlierOccurrences(std::span(keys).first(4), a), 1);
  EXPECT_EQ(EarlierOccurrences(std::span(keys).first(5), a), 0);
  EXPECT_EQ(EarlierOccurrences(std::span(keys).first(3), a), 0);
  EXPECT_EQ(EarlierOccurrences({}, a), 0);
}

}  // namespace
}  // namespace qirkat
