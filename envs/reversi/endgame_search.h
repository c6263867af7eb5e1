// Exact values of Reversi endgames: alpha-beta with null windows (NegaScout, Reinefeld 1983) on
// bitboards. Moves that leave the opponent few moves are tried first, then those into odd regions;
// bounds come from a hash table, also of the positions one move further (enhanced transposition
// cutoffs, Plaat 1996), and from discs that can never be turned again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "envs/reversi/bitboard.h"
#include "envs/reversi/endgame_last.h"
#include "envs/reversi/endgame_table.h"

namespace qirkat::reversi {

class EndgameSearch {
 public:
  static constexpr int kPass = 64;
  static constexpr int kOver = -1;

  struct Value {
    int score;  // for the side to move
    int best;   // square of a move that reaches it, kPass, or kOver if the game is over
  };

  // `hash_bytes`: size of the hash table; 0 for none, which is best below some 12 empty squares.
  // Nothing else allocates.
  explicit EndgameSearch(std::size_t hash_bytes);

  // The score for the owner of `own`, who is to move: exact if alpha < score < beta, else a bound
  // (score <= alpha: at most that; score >= beta: at least that). An exact score depends on nothing
  // but the position and the option; a bound, and which of several best moves is named, also on
  // what was searched before. `best` is only meant where the score is exact.
  Value Solve(Bitboard own, Bitboard enemy, bool winner_takes_empties, int alpha, int beta);

  // Positions searched since this was made (not those of the shallow searches that order moves).
  std::uint64_t nodes() const { return last_.nodes; }
  // Called with nodes() after every million nodes or so. What it throws ends Solve; the search
  // stays usable.
  void set_observer(std::function<void(std::uint64_t nodes)> observer) {
    observer_ = std::move(observer);
  }

 private:
  static constexpr std::uint64_t kNodesBetweenObservations = 1 << 20;

  // As Solve, with a look at what is known first.
  int Score(Bitboard own, Bitboard enemy, int alpha, int beta);
  // Searches the moves; `first`: the square of the one to begin with, or kOver.
  Value Node(Bitboard own, Bitboard enemy, int alpha, int beta, int first);
  Value Pass(Bitboard own, Bitboard enemy, int alpha, int beta);
  void Observe();

  internal::EndgameTable table_;
  internal::LastSquares last_;
  std::uint64_t next_observation_ = kNodesBetweenObservations;
  std::function<void(std::uint64_t)> observer_;
};

}  // namespace qirkat::reversi
