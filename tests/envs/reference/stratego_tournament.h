// What Stratego's tournament rules remember and forbid.
#pragma once

#include <array>
#include <vector>

namespace qirkat::reference {

struct StrategoPiece {
  int owner = -1;  // -1: an empty cell
  char letter = ' ';
  bool moved = false;
  bool shown = false;
  int identity = -1;  // tells physical pieces apart
};

using StrategoBoard = std::array<StrategoPiece, 100>;

struct StrategoMove {
  int piece;  // its identity
  int from, to;
};

// The past of a game since its start text, which has none.
class StrategoPast {
 public:
  explicit StrategoPast(const StrategoBoard& start);

  // Whether a rule forbids `player`, who is about to move on `board`, the move from -> to.
  bool TwoSquaresForbids(const StrategoBoard& board, int player, int from, int to) const;
  bool MoreSquaresForbids(const StrategoBoard& board, int player, int from, int to) const;

  // After a player's move; `board` is as it has become.
  void AddMove(const StrategoBoard& board, int player, const StrategoMove& move, bool was_attack);
  int moves_made() const { return static_cast<int>(moves[0].size() + moves[1].size()); }

 private:
  std::vector<StrategoMove> moves[2];  // each player's
  int chase[2] = {0, 0};
  // Which piece stood where in all positions so far, the present one last.
  std::vector<std::array<int, 100>> arrangements;
};

}  // namespace qirkat::reference
