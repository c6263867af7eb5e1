// In which order the endgame search tries moves: a cheap guess where little stands behind a move, a
// shallow search with a rough evaluation where much does.
#pragma once

#include <array>

#include "envs/reversi/bitboard.h"

namespace qirkat::reversi::internal {

// A move and the position after it, seen from the side that is to move then.
struct EndgameMove {
  Bitboard own, enemy;
  int square;
  int cost;  // the lower, the earlier it is tried
};

class EndgameMoves {
 public:
  // All legal moves, without costs.
  EndgameMoves(Bitboard own, Bitboard enemy);

  // Gives every move its cost. `empties`: before the move; `first`: the square of the move that was
  // best when this position was last searched, or -1.
  void Rate(Bitboard empties, int first);

  EndgameMove* begin() { return moves_.data(); }
  EndgameMove* end() { return moves_.data() + size_; }
  bool empty() const { return size_ == 0; }
  // Brings the cheapest of the moves from `from` on to that place.
  const EndgameMove& Next(EndgameMove* from);

 private:
  int size_ = 0;
  std::array<EndgameMove, 64> moves_;  // only the first size_ are written
};

}  // namespace qirkat::reversi::internal
