// The last few empty squares of a game of Reversi, where most nodes of an endgame search are: no
// hash table and no sorting, only squares of odd quadrants first (whoever moves last in a region
// gains by it).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>

#include "envs/reversi/bitboard.h"

namespace qirkat::reversi {

namespace internal {

inline constexpr std::array<Bitboard, 64> kNeighbours = [] {
  std::array<Bitboard, 64> neighbours{};
  for (int a = 0; a < 64; ++a) {
    for (int b = 0; b < 64; ++b) {
      const int files = a % 8 - b % 8;
      const int rows = a / 8 - b / 8;
      const bool near = files >= -1 && files <= 1 && rows >= -1 && rows <= 1;
      if (near && a != b) neighbours[a] |= Bitboard{1} << b;
    }
  }
  return neighbours;
}();

// A line seen from the square that will be filled last: how many discs are turned, by the place of
// that square (0 … 7) and the mask of own discs; every other square holds an enemy disc. Squares
// beyond the end of a short diagonal count as enemy discs that nobody encloses.
inline constexpr std::array<std::array<std::uint8_t, 256>, 8> kLineFlips = [] {
  std::array<std::array<std::uint8_t, 256>, 8> flips{};
  for (int place = 0; place < 8; ++place) {
    for (int own = 0; own < 256; ++own) {
      int count = 0;
      for (int end = place + 1; end < 8; ++end) {
        if (own >> end & 1) {
          count += end - place - 1;
          break;
        }
      }
      for (int end = place - 1; end >= 0; --end) {
        if (own >> end & 1) {
          count += place - end - 1;
          break;
        }
      }
      flips[place][own] = static_cast<std::uint8_t>(count);
    }
  }
  return flips;
}();

// Both diagonals through each square, the square itself among them.
inline constexpr std::array<std::array<Bitboard, 2>, 64> kDiagonals = [] {
  std::array<std::array<Bitboard, 2>, 64> diagonals{};
  for (int square = 0; square < 64; ++square) {
    const Bitboard self = Bitboard{1} << square;
    diagonals[square] = {self | Ray(square, 1, 1) | Ray(square, -1, -1),
                         self | Ray(square, -1, 1) | Ray(square, 1, -1)};
  }
  return diagonals;
}();

// How many discs are turned by the owner of `own` on the only empty square of the board.
inline int LastFlips(Bitboard own, int square) {
  const int file = square % 8;
  const int row = square / 8;
  const auto& along_row = kLineFlips[file];
  return along_row[own >> (8 * row) & 0xFF] + kLineFlips[row][FileByte(own >> file)] +
         along_row[(own & kDiagonals[square][0]) * kFileA >> 56] +
         along_row[(own & kDiagonals[square][1]) * kFileA >> 56];
}

inline constexpr unsigned QuadrantBit(int square) {
  return 1u << (square / 32 * 2 + square % 8 / 4);
}

// Per set of quadrants: their squares.
inline constexpr std::array<Bitboard, 16> kQuadrantSquares = [] {
  std::array<Bitboard, 16> squares{};
  for (unsigned set = 0; set < 16; ++set) {
    for (int square = 0; square < 64; ++square) {
      if (set & QuadrantBit(square)) squares[set] |= Bitboard{1} << square;
    }
  }
  return squares;
}();

// The quadrants with an odd number of empty squares.
inline unsigned OddQuadrants(Bitboard empties) {
  unsigned odd = 0;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    odd |= (std::popcount(empties & kQuadrantSquares[1u << quadrant]) & 1u) << quadrant;
  }
  return odd;
}

// Alpha-beta, fail-soft, by number of empty squares.
class LastSquares {
 public:
  static constexpr int kMost = 7;  // empty squares

  // The score for the owner of `own`, who is to move: exact inside (alpha, beta), else a bound.
  int Solve(Bitboard own, Bitboard enemy, int alpha, int beta) {
    const Bitboard empties = ~(own | enemy);
    const unsigned odd = OddQuadrants(empties);
    switch (std::popcount(empties)) {
      case 0:
        return FinalScore(own, enemy, winner_takes_empties);
      case 1:
        return One(own, enemy, std::countr_zero(empties));
      case 2:
        return Several<2>(own, enemy, alpha, beta, odd);
      case 3:
        return Several<3>(own, enemy, alpha, beta, odd);
      case 4:
        return Several<4>(own, enemy, alpha, beta, odd);
      case 5:
        return Several<5>(own, enemy, alpha, beta, odd);
      case 6:
        return Several<6>(own, enemy, alpha, beta, odd);
      default:
        return Several<7>(own, enemy, alpha, beta, odd);
    }
  }

  bool winner_takes_empties = false;
  std::uint64_t nodes = 0;

 private:
  int One(Bitboard own, Bitboard enemy, int square) {
    ++nodes;
    const int discs = std::popcount(own);  // the enemy has the other 63 - discs
    if (const int flips = LastFlips(own, square); flips > 0) return 2 * (discs + flips + 1) - 64;
    if (const int flips = LastFlips(enemy, square); flips > 0) return 2 * (discs - flips) - 64;
    return FinalScore(own, enemy, winner_takes_empties);
  }

  template <int kEmpties>
  int Several(Bitboard own, Bitboard enemy, int alpha, int beta, unsigned odd,
              bool after_pass = false) {
    ++nodes;
    int best = -kMaxScore - 1;
    const Bitboard empties = ~(own | enemy);
    // With few squares left it is cheaper to try each than to find the legal ones.
    Bitboard moves = empties;
    if constexpr (kEmpties > 4) moves = Mobility(own, enemy);
    for (const Bitboard part : {moves & kQuadrantSquares[odd], moves & ~kQuadrantSquares[odd]}) {
      for (Bitboard rest = part; rest != 0; rest &= rest - 1) {
        const int square = std::countr_zero(rest);
        if (kEmpties <= 4 && (kNeighbours[square] & enemy) == 0) continue;
        const Bitboard flips = Flips(own, enemy, square);
        if (kEmpties <= 4 && flips == 0) continue;
        const Bitboard bit = rest & (0 - rest);
        int score;
        if constexpr (kEmpties == 2) {
          score = -One(enemy ^ flips, own ^ flips ^ bit, std::countr_zero(empties ^ bit));
        } else {
          score = -Several<kEmpties - 1>(enemy ^ flips, own ^ flips ^ bit, -beta, -alpha,
                                         odd ^ QuadrantBit(square));
        }
        if (score >= beta) return score;
        best = std::max(best, score);
        alpha = std::max(alpha, score);
      }
    }
    if (best >= -kMaxScore) return best;
    if (after_pass) return FinalScore(own, enemy, winner_takes_empties);
    return -Several<kEmpties>(enemy, own, -beta, -alpha, odd, true);
  }
};

}  // namespace internal
}  // namespace qirkat::reversi
