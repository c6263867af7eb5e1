// Boards of at most 32 squares as bits of a word: bit = square.
#pragma once

#include <array>
#include <cstdint>

#include "envs/core/bits.h"
#include "envs/core/grid.h"
#include "envs/core/types.h"

namespace qirkat {

using SmallBoard = std::uint32_t;

constexpr SmallBoard BitOf(int square) { return SmallBoard{1} << square; }

// Where a square is when the board is turned by half a turn; kSquares, which stands for no square,
// stays.
template <class Board>
constexpr std::uint8_t HalfTurned(std::uint8_t square) {
  return square == Board::kSquares ? square : static_cast<std::uint8_t>(Board::HalfTurn(square));
}

// What lies ahead of every square, in each of the first kDirections of an action layout (8, or 4 of
// them). Loops over the directions have no branches and become vector code.
template <class Board, int kDirections>
class Lookout {
 public:
  static_assert(Board::kSquares <= 32);
  static constexpr int kMaxDistance = 3;

  // The squares whose square `distance` (1 … 3) steps ahead is one of `board`.
  static SmallBoard Ahead(SmallBoard board, int direction, int distance) {
    const Distance& table = kDistances[distance - 1];
    const std::uint32_t shift = table.shift[direction];
    return (board >> shift | board << (32 - shift)) & table.from[direction];
  }

  // How many squares on one step leads.
  static constexpr std::array<int, kDirections> kStep = [] {
    std::array<int, kDirections> steps{};
    for (int d = 0; d < kDirections; ++d) steps[d] = Board::kStep[d * (8 / kDirections)];
    return steps;
  }();

 private:
  struct Distance {
    std::array<std::uint32_t, kDirections> shift;  // 1 … 31, to the right with wrap-around
    std::array<SmallBoard, kDirections> from;      // squares with so many squares ahead
  };
  static constexpr std::array<Distance, kMaxDistance> kDistances = [] {
    std::array<Distance, kMaxDistance> tables{};
    for (int i = 0; i < kMaxDistance; ++i) {
      for (int d = 0; d < kDirections; ++d) {
        tables[i].shift[d] = static_cast<std::uint32_t>(32 + kStep[d] * (i + 1)) % 32;
        for (int square = 0; square < Board::kSquares; ++square) {
          if (Board::Step(square, d * (8 / kDirections), i + 1) >= 0) {
            tables[i].from[d] |= BitOf(square);
          }
        }
      }
    }
    return tables;
  }();
};

// The boards of both players in one word, player 0's in its lowest bits, player 1's in its highest:
// reversing the word's bits turns the board by half a turn and swaps the players. The bits between
// are 0.
template <class Board>
class BoardPair {
 public:
  static constexpr int kSquares = Board::kSquares;
  static constexpr int kGapBits = 64 - 2 * kSquares;

  SmallBoard operator[](Player player) const {
    return static_cast<SmallBoard>(bits_ >> ShiftOf(player)) & kFull;
  }
  SmallBoard both() const { return (*this)[0] | (*this)[1]; }
  std::uint64_t bits() const { return bits_; }

  void Toggle(Player player, SmallBoard squares) {
    bits_ ^= std::uint64_t{squares} << ShiftOf(player);
  }

  BoardPair HalfTurnedAndSwapped() const {
    BoardPair turned;
    turned.bits_ = ReverseBits(bits_);
    return turned;
  }

  friend bool operator==(const BoardPair&, const BoardPair&) = default;

 private:
  static constexpr SmallBoard kFull = static_cast<SmallBoard>((std::uint64_t{1} << kSquares) - 1);

  static int ShiftOf(Player player) { return player * (64 - kSquares); }

  std::uint64_t bits_ = 0;
};

}  // namespace qirkat
