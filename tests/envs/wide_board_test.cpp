// Boards of two words, their lines, and legal actions as a mask, against plain loops.
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "envs/core/grid.h"
#include "envs/core/mask_actions.h"
#include "envs/core/random.h"
#include "envs/core/wide_board.h"

namespace qirkat {
namespace {

using Tall = Grid<8, 10>;
using Square = Grid<10, 10>;
using Layout = ActionLayout<Tall, 1, 8, 9, 1>;

template <class Board>
std::vector<int> RandomSquares(RandomStream& random) {
  std::vector<int> squares;
  const std::uint32_t fill = random.Below(4);
  for (int square = 0; square < Board::kSquares; ++square) {
    if (random.Below(4) < fill) squares.push_back(square);
  }
  return squares;
}
WideBoard BoardOf(const std::vector<int>& squares) {
  WideBoard board = 0;
  for (const int square : squares) board |= WideBit(square);
  return board;
}
std::vector<int> SquaresOf(WideBoard board) {
  std::vector<int> squares;
  ForEachSquare(board, [&](int square) { squares.push_back(square); });
  return squares;
}

template <class Board>
void CheckBoards() {
  RandomStream random(21, 0, 0, StreamPurpose::kTest);
  for (int round = 0; round < 200; ++round) {
    const std::vector<int> squares = RandomSquares<Board>(random);
    const WideBoard board = BoardOf(squares);
    EXPECT_EQ(SquaresOf(board), squares);
    EXPECT_EQ(Count(board), static_cast<int>(squares.size()));
    if (!squares.empty()) {
      EXPECT_EQ(LowestSquare(board), squares.front());
      EXPECT_EQ(HighestSquare(board), squares.back());
    }
    std::vector<int> turned;
    for (int square = Board::kSquares - 1; square >= 0; --square) {
      if (Holds(board, square)) turned.push_back(Board::HalfTurn(square));
    }
    EXPECT_EQ(SquaresOf(HalfTurnedBoard<Board::kSquares>(board)), turned);
  }
}

TEST(WideBoardTest, SquaresAndHalfTurns) {
  CheckBoards<Tall>();
  CheckBoards<Square>();
}

template <class Board, int kDirection>
void CheckDirection() {
  using Lines = WideLines<Board>;
  RandomStream random(22, 0, 0, StreamPurpose::kTest);
  const WideBoard board = BoardOf(RandomSquares<Board>(random));
  std::vector<int> ahead;
  for (int from = 0; from < Board::kSquares; ++from) {
    const int next = Board::Step(from, kDirection);
    if (next >= 0 && Holds(board, next)) ahead.push_back(from);

    WideBoard ray = 0;
    for (int distance = 1; Board::Step(from, kDirection, distance) >= 0; ++distance) {
      const int to = Board::Step(from, kDirection, distance);
      EXPECT_EQ(from + distance * Board::kStep[kDirection], to);
      ray |= WideBit(to);
      EXPECT_TRUE(Lines::Path(kDirection, from, to) == ray);
      EXPECT_EQ(Lines::Nearest(kDirection, ray), next);
      EXPECT_EQ(Lines::Farthest(kDirection, ray), to);
    }
    EXPECT_TRUE(Lines::Ray(kDirection, from) == ray);
  }
  EXPECT_EQ(SquaresOf(Lines::template Ahead<kDirection>(board)), ahead);
}

template <class Board>
void CheckLines() {
  [&]<int... kDirections>(std::integer_sequence<int, kDirections...>) {
    (CheckDirection<Board, kDirections>(), ...);
  }
  (std::make_integer_sequence<int, 8>());
}

TEST(WideLinesTest, AgreeWithSteps) {
  CheckLines<Tall>();
  CheckLines<Square>();
}

TEST(MaskActionsTest, ListsMasksAndFinds) {
  RandomStream random(23, 0, 0, StreamPurpose::kTest);
  for (int round = 0; round < 200; ++round) {
    MaskActions<Layout> actions;
    std::set<Action> expected;
    EXPECT_TRUE(actions.empty());
    for (int plane = 0; plane < Layout::kPlanes; ++plane) {
      if (random.Below(3) != 0) continue;
      const std::vector<int> squares = RandomSquares<Tall>(random);
      actions.SetPlane(plane, BoardOf(squares));
      for (const int from : squares) expected.insert(static_cast<Action>(plane * 80 + from));
    }
    for (int i = 0; i < 20; ++i) {
      const auto action = static_cast<Action>(random.Below(Layout::kPolicySize));
      if (expected.insert(action).second) actions.Add(action);
    }
    ASSERT_EQ(actions.size(), static_cast<int>(expected.size()));
    int k = 0;
    for (const Action action : expected) EXPECT_EQ(actions[k++], action);

    for (const Player player : {Player{0}, Player{1}}) {
      std::vector<std::uint8_t> mask((Layout::kPolicySize + 7) / 8, 0xFF);
      actions.WriteMask(player, mask.data());
      for (int a = 0; a < 8 * static_cast<int>(mask.size()); ++a) {
        const auto action = static_cast<Action>(a);
        const bool legal =
            a < Layout::kPolicySize && expected.contains(Layout::MoverView(action, player));
        EXPECT_EQ(mask[a / 8] >> (a % 8) & 1, legal) << a;
        if (player == 0) {
          EXPECT_EQ(actions.Contains(action), legal) << a;
        }
      }
    }
  }
}

}  // namespace
}  // namespace qirkat
