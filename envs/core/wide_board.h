// Boards of 65 to 128 squares as bits of a wide word: bit = square.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "envs/core/bits.h"
#include "envs/core/grid.h"

namespace qirkat {

__extension__ typedef unsigned __int128 WideBoard;  // g++ and clang have it, the standard not

constexpr WideBoard WideBit(int square) { return WideBoard{1} << square; }
constexpr bool Holds(WideBoard board, int square) { return (board >> square & 1) != 0; }

constexpr std::uint64_t LowWord(WideBoard board) { return static_cast<std::uint64_t>(board); }
constexpr std::uint64_t HighWord(WideBoard board) {
  return static_cast<std::uint64_t>(board >> 64);
}

constexpr int Count(WideBoard board) {
  return std::popcount(LowWord(board)) + std::popcount(HighWord(board));
}
// The lowest and the highest square of a board that is not empty.
constexpr int LowestSquare(WideBoard board) {
  return LowWord(board) != 0 ? std::countr_zero(LowWord(board))
                             : 64 + std::countr_zero(HighWord(board));
}
constexpr int HighestSquare(WideBoard board) {
  return HighWord(board) != 0 ? 127 - std::countl_zero(HighWord(board))
                              : 63 - std::countl_zero(LowWord(board));
}

// Calls visit(square) for every square of the board, in ascending order.
template <class Visit>
constexpr void ForEachSquare(WideBoard board, Visit visit) {
  for (; board != 0; board &= board - 1) visit(LowestSquare(board));
}

// The board turned by half a turn.
template <int kSquares>
constexpr WideBoard HalfTurnedBoard(WideBoard board) {
  const WideBoard reversed =
      WideBoard{ReverseBits(LowWord(board))} << 64 | ReverseBits(HighWord(board));
  return reversed >> (128 - kSquares);
}

// Boards of whole bytes, packed without padding: kSquares / 8 bytes. By words: what was just
// written is read again without a detour through the cache.
template <int kSquares>
WideBoard LoadBoard(const std::uint8_t* bytes) {
  static_assert(kSquares % 8 == 0 && kSquares > 64 && kSquares <= 128);
  std::uint64_t low;
  std::uint64_t high = 0;
  std::memcpy(&low, bytes, 8);
  std::memcpy(&high, bytes + 8, kSquares / 8 - 8);
  return WideBoard{high} << 64 | low;
}
template <int kSquares>
void StoreBoard(WideBoard board, std::uint8_t* bytes) {
  static_assert(kSquares % 8 == 0 && kSquares > 64 && kSquares <= 128);
  const std::uint64_t low = LowWord(board);
  const std::uint64_t high = HighWord(board);
  std::memcpy(bytes, &low, 8);
  std::memcpy(bytes + 8, &high, kSquares / 8 - 8);
}

// The straight lines of a board in the eight directions.
template <class Board>
class WideLines {
 public:
  static_assert(Board::kSquares > 64 && Board::kSquares <= 128);
  static constexpr WideBoard kFull = ~WideBoard{0} >> (128 - Board::kSquares);

  // The squares from which one step in a direction leads to a square of `board`.
  template <int kDirection>
  static constexpr WideBoard Ahead(WideBoard board) {
    constexpr int kShift = Board::kStep[kDirection];
    return (kShift > 0 ? board >> kShift : board << -kShift) & kFrom[kDirection];
  }

  // The squares ahead of `from` up to the edge.
  static constexpr WideBoard Ray(int direction, int from) { return kRays[direction][from]; }
  // The squares behind `from` up to `to`, which lies ahead of it.
  static constexpr WideBoard Path(int direction, int from, int to) {
    return kRays[direction][from] & ~kRays[direction][to];
  }
  // The first and the last square on the way in a direction, of squares on one line.
  static constexpr int Nearest(int direction, WideBoard line) {
    return Board::kStep[direction] > 0 ? LowestSquare(line) : HighestSquare(line);
  }
  static constexpr int Farthest(int direction, WideBoard line) {
    return Board::kStep[direction] > 0 ? HighestSquare(line) : LowestSquare(line);
  }

 private:
  static constexpr std::array<std::array<WideBoard, Board::kSquares>, 8> kRays = [] {
    std::array<std::array<WideBoard, Board::kSquares>, 8> rays{};
    for (int d = 0; d < 8; ++d) {
      for (int from = 0; from < Board::kSquares; ++from) {
        for (int to = Board::Step(from, d); to >= 0; to = Board::Step(to, d)) {
          rays[d][from] |= WideBit(to);
        }
      }
    }
    return rays;
  }();
  // Squares with one more square ahead.
  static constexpr std::array<WideBoard, 8> kFrom = [] {
    std::array<WideBoard, 8> from{};
    for (int d = 0; d < 8; ++d) {
      for (int square = 0; square < Board::kSquares; ++square) {
        if (Board::Step(square, d) >= 0) from[d] |= WideBit(square);
      }
    }
    return from;
  }();
};

}  // namespace qirkat
