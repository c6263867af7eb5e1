#include "envs/stratego/tournament.h"

#include <algorithm>

namespace qirkat::stratego {
namespace {

// The squares next to those of `squares`.
Squares NextTo(Squares squares) {
  return Lines::Ahead<0>(squares) | Lines::Ahead<2>(squares) | Lines::Ahead<4>(squares) |
         Lines::Ahead<6>(squares);
}

// Whether a piece that has walked along `walk` and now goes to `to` crosses in all these moves one
// and the same border. It does if all squares lie on one file or rank and the borders that each
// move crosses, an interval of that line, have one in common.
bool CrossesOneBorder(const std::array<std::uint8_t, 4>& walk, int to) {
  const std::array<int, 5> squares = {to, walk[0], walk[1], walk[2], walk[3]};
  for (const int step : {1, Board::kColumns}) {  // along a rank, along a file
    const auto line = [step](int square) {
      return step == 1 ? square / Board::kColumns : square % Board::kColumns;
    };
    if (std::ranges::any_of(squares, [&](int q) { return line(q) != line(to); })) continue;
    int low = 0;
    int high = Board::kSquares;
    for (std::size_t i = 0; i + 1 < squares.size(); ++i) {
      low = std::max(low, std::min(squares[i], squares[i + 1]));
      high = std::min(high, std::max(squares[i], squares[i + 1]));
    }
    return low < high;
  }
  return false;
}

bool TwoSquaresForbids(const State& state, int from, int to) {
  const auto& walk = state.walk[state.to_move];
  // Only the piece that moved last can stand where the last move led to.
  return from == walk[0] && walk[3] != kNoSquare && CrossesOneBorder(walk, to);
}

bool MoreSquaresForbids(const State& state, std::span<const Key128> earlier, int from, int to) {
  const Player mover = state.to_move;
  const std::uint32_t chase = state.chase[mover];
  if (chase < 2 || state.piece[to] != kNoPiece) return false;
  if (!Holds(NextTo(state.pieces[Opponent(mover)]), to)) return false;
  const auto& walk = state.walk[mover];
  if (walk[1] == to && walk[0] == from) return false;  // it undoes the last move
  const int identity = state.piece[from];
  const Key128 made = state.arrangement ^ PlaceKey(identity, from) ^ PlaceKey(identity, to);
  const auto window = std::min<std::size_t>(chase - 1, earlier.size());
  return std::ranges::count(earlier.last(window), made) > 0;
}

}  // namespace

bool TournamentForbids(const State& state, std::span<const Key128> earlier, int from, int to) {
  return TwoSquaresForbids(state, from, to) || MoreSquaresForbids(state, earlier, from, to);
}

void RememberMove(State& state, int from, int to, bool was_attack) {
  const Player mover = state.to_move;
  const Player other = Opponent(mover);
  if (state.chase_runs() && !was_attack) state.trail[mover] |= WideBit(from);

  std::uint32_t& own = state.chase[mover];
  std::uint32_t& enemy = state.chase[other];
  const std::uint8_t led_to = state.walk[other][0];
  const bool leaves_him = led_to != kNoSquare && Holds(NextTo(WideBit(led_to)), from);
  enemy = leaves_him ? enemy + 1 : 0;
  if (was_attack) own = enemy = 0;
  own = Holds(NextTo(state.pieces[other]), to) ? own + 1 : 0;
  if (was_attack || !state.chase_runs()) state.trail = {};

  auto& walk = state.walk[mover];
  if (walk[0] == from) {
    walk = {static_cast<std::uint8_t>(to), walk[0], walk[1], walk[2]};
  } else {
    walk = {static_cast<std::uint8_t>(to), static_cast<std::uint8_t>(from), kNoSquare, kNoSquare};
  }
}

}  // namespace qirkat::stratego
