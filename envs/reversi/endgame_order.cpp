#include "envs/reversi/endgame_order.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "envs/reversi/endgame_last.h"
#include "envs/reversi/endgame_stability.h"

namespace qirkat::reversi::internal {
namespace {

constexpr Bitboard kCorners = 0x8100000000000081;
constexpr int kWipedOut = 1 << 20;

// Plies of the search that orders moves, measured on FFO 40 … 44 (docs/endgames.md); -1: none.
int OrderingDepth(int empties) {
  constexpr int kFewest = 14;
  constexpr int kDeepest = 6;
  return empties < kFewest ? -1 : std::min((empties - 12) / 2, kDeepest);
}

// A corner counts twice.
int CountMoves(Bitboard moves) { return std::popcount(moves) + std::popcount(moves & kCorners); }

// Empty squares next to discs of `enemy`: moves that `own` may get.
int CountFrontier(Bitboard own, Bitboard enemy) {
  constexpr Bitboard kNotA = ~kFileA;
  constexpr Bitboard kNotH = ~(kFileA << 7);
  Bitboard near = enemy | (enemy << 1 & kNotA) | (enemy >> 1 & kNotH);
  near |= near << 8 | near >> 8;
  return std::popcount(near & ~(own | enemy));
}

// Rough, for the side to move: only the order of two values means something.
int Evaluate(Bitboard own, Bitboard enemy) {
  const Bitboard moves = Mobility(own, enemy);
  const Bitboard enemy_moves = Mobility(enemy, own);
  if ((moves | enemy_moves) == 0) {
    return kWipedOut / kMaxScore * FinalScore(own, enemy, false);
  }
  return 16 * (CountMoves(moves) - CountMoves(enemy_moves)) +
         4 * (CountFrontier(own, enemy) - CountFrontier(enemy, own)) +
         20 * (std::popcount(StableEdgeDiscs(own, enemy)) -
               std::popcount(StableEdgeDiscs(enemy, own)));
}

int ShallowSearch(Bitboard own, Bitboard enemy, int depth, int alpha, int beta) {
  if (depth == 0) return Evaluate(own, enemy);
  Bitboard moves = Mobility(own, enemy);
  if (moves == 0) {
    if (Mobility(enemy, own) == 0) return Evaluate(own, enemy);
    return -ShallowSearch(enemy, own, depth, -beta, -alpha);
  }
  int best = std::numeric_limits<int>::min();
  for (; moves != 0 && best < beta; moves &= moves - 1) {
    const int square = std::countr_zero(moves);
    const Bitboard flips = Flips(own, enemy, square);
    best = std::max(best, -ShallowSearch(enemy ^ flips, own ^ flips ^ Bitboard{1} << square,
                                         depth - 1, -beta, -std::max(alpha, best)));
  }
  return best;
}

}  // namespace

EndgameMoves::EndgameMoves(Bitboard own, Bitboard enemy) {
  for (Bitboard moves = Mobility(own, enemy); moves != 0; moves &= moves - 1) {
    const int square = std::countr_zero(moves);
    const Bitboard flips = Flips(own, enemy, square);
    EndgameMove& move = moves_[size_++];
    move.own = enemy ^ flips;
    move.enemy = own ^ flips ^ Bitboard { 1 } << square;
    move.square = square;
  }
}

void EndgameMoves::Rate(Bitboard empties, int first) {
  if (size_ < 2) return;
  const int depth = OrderingDepth(std::popcount(empties));
  const Bitboard odd = kQuadrantSquares[OddQuadrants(empties)];
  for (EndgameMove& move : *this) {
    if (move.own == 0) {
      move.cost = -4 * kWipedOut;
    } else if (move.square == first) {
      move.cost = -3 * kWipedOut;
    } else if (depth >= 0) {
      move.cost = ShallowSearch(move.own, move.enemy, depth, -2 * kWipedOut, 2 * kWipedOut);
    } else {
      move.cost = 16 * CountMoves(Mobility(move.own, move.enemy)) +
                  2 * CountFrontier(move.own, move.enemy) -
                  4 * std::popcount(StableEdgeDiscs(move.enemy, move.own)) -
                  4 * static_cast<int>(odd >> move.square & 1);
    }
  }
}

const EndgameMove& EndgameMoves::Next(EndgameMove* from) {
  EndgameMove* best =
      std::min_element(from, end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (best != from) std::swap(*best, *from);
  return *from;
}

}  // namespace qirkat::reversi::internal
