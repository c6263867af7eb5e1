#include "tests/envs/reference/stratego_tournament.h"

#include <algorithm>
#include <stdexcept>

#include "tests/envs/reference/support.h"

namespace qirkat::reference {
namespace {

std::array<int, 100> Arrangement(const StrategoBoard& board) {
  std::array<int, 100> arrangement;
  for (int cell = 0; cell < 100; ++cell) arrangement[cell] = board[cell].identity;
  return arrangement;
}

bool AreNeighbors(int a, int b) {
  for (int direction = 0; direction < 8; direction += 2) {
    if (Go(a, direction, 1, 10, 10) == b) return true;
  }
  return false;
}

bool IsNextToPieceOf(const StrategoBoard& board, int player, int cell) {
  for (int direction = 0; direction < 8; direction += 2) {
    const int next = Go(cell, direction, 1, 10, 10);
    if (next >= 0 && board[next].owner == player) return true;
  }
  return false;
}

// The cells that a move passes, its ends included.
std::vector<int> Path(int from, int to) {
  for (int direction = 0; direction < 8; direction += 2) {
    std::vector<int> cells = {from};
    while (Go(cells.back(), direction, 1, 10, 10) >= 0) {
      cells.push_back(Go(cells.back(), direction, 1, 10, 10));
      if (cells.back() == to) return cells;
    }
  }
  throw std::logic_error("not a straight move");
}

// Whether a move crosses the border between two neighboring cells, in either direction.
bool Crosses(const StrategoMove& move, int a, int b) {
  const auto path = Path(move.from, move.to);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (path[i] == a && path[i + 1] == b) return true;
    if (path[i] == b && path[i + 1] == a) return true;
  }
  return false;
}

}  // namespace

StrategoPast::StrategoPast(const StrategoBoard& start) { arrangements = {Arrangement(start)}; }

// The same piece made each of its owner's last three moves and each crossed a border that this move
// would cross.
bool StrategoPast::TwoSquaresForbids(const StrategoBoard& board, int player, int from,
                                     int to) const {
  const std::vector<StrategoMove>& mine = moves[player];
  if (mine.size() < 3) return false;
  const std::vector<StrategoMove> last_three(mine.end() - 3, mine.end());
  for (const StrategoMove& move : last_three) {
    if (move.piece != board[from].identity) return false;
  }
  const auto path = Path(from, to);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    int crossings = 0;
    for (const StrategoMove& move : last_three) {
      if (Crosses(move, path[i], path[i + 1])) ++crossings;
    }
    if (crossings == 3) return true;
  }
  return false;
}

bool StrategoPast::MoreSquaresForbids(const StrategoBoard& board, int player, int from,
                                      int to) const {
  const bool is_attack = board[to].owner >= 0;
  if (is_attack || !IsNextToPieceOf(board, 1 - player, to)) return false;
  const std::vector<StrategoMove>& mine = moves[player];
  if (!mine.empty() && mine.back().from == to && mine.back().to == from) return false;
  std::array<int, 100> made = arrangements.back();
  std::swap(made[from], made[to]);
  const int present = static_cast<int>(arrangements.size()) - 1;
  for (int back = 1; back <= chase[player] - 1 && back <= present; ++back) {
    if (arrangements[present - back] == made) return true;
  }
  return false;
}

void StrategoPast::AddMove(const StrategoBoard& board, int player, const StrategoMove& move,
                           bool was_attack) {
  const int p = player;
  const int o = 1 - player;
  const bool leaves_to_o = !moves[o].empty() && AreNeighbors(move.from, moves[o].back().to);
  chase[o] = leaves_to_o ? chase[o] + 1 : 0;
  if (was_attack) chase[p] = chase[o] = 0;
  chase[p] = IsNextToPieceOf(board, o, move.to) ? chase[p] + 1 : 0;
  moves[p].push_back(move);
  arrangements.push_back(Arrangement(board));
}

}  // namespace qirkat::reference
