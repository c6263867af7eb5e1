#include "docs/examples/tictactoe/tictactoe.h"

#include <algorithm>
#include <bit>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

constexpr std::uint16_t kFull = 0x1FF;

bool HasLine(std::uint16_t stones) {
  constexpr std::array<std::uint16_t, 8> kLines = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
  return std::ranges::any_of(kLines, [&](std::uint16_t line) { return (stones & line) == line; });
}

}  // namespace

const std::vector<Option<TicTacToeOptions>>& TicTacToeOptions::Table() {
  static const std::vector<Option<TicTacToeOptions>> table = {
      {"misere", &TicTacToeOptions::misere, {.help = "Three in a row loses."}},
  };
  return table;
}

std::span<const std::string_view> TicTacToe::PlaneNames() {
  static constexpr std::array<std::string_view, 2> kNames = {"own", "enemy"};
  return kNames;
}

// Nine of x, o and - from a1 to c3, a space, x or o to move.
TicTacToe::State TicTacToe::ParsePosition(const Rules& rules, std::string_view text) {
  const auto fail = [&](const auto&... reason) {
    throw UserError(StrCat("tictactoe position ", Quoted(text), ": ", reason...,
                           "; accepted: 9 of x, o and -, a space, x or o to move"));
  };
  if (text.size() != 11) fail("it has ", text.size(), " characters instead of 11");
  State state = {};
  for (int square = 0; square < 9; ++square) {
    if (text[square] == 'x') state.stones[0] |= static_cast<std::uint16_t>(1u << square);
    if (text[square] == 'o') state.stones[1] |= static_cast<std::uint16_t>(1u << square);
  }
  state.to_move = text[10] == 'o';
  // Whatever else is wrong does not come back as it was.
  const std::string canonical = PositionText(rules, state);
  const auto [wrong, expected] = std::ranges::mismatch(text, canonical);
  if (wrong != text.end()) {
    fail(Quoted(std::string_view(&*wrong, 1)), " at character ", wrong - text.begin() + 1);
  }
  if (HasLine(state.stones[0]) && HasLine(state.stones[1])) fail("both players have a line");
  return state;
}

std::string TicTacToe::PositionText(const Rules&, const State& state) {
  std::string text(9, '-');
  for (int square = 0; square < 9; ++square) {
    if (state.stones[0] >> square & 1) text[square] = 'x';
    if (state.stones[1] >> square & 1) text[square] = 'o';
  }
  return text + (state.to_move == 0 ? " x" : " o");
}

std::string TicTacToe::ActionText(const Rules&, const State&, Action action) {
  QIRKAT_CHECK(action < 9, action);
  return {static_cast<char>('a' + action % 3), static_cast<char>('1' + action / 3)};
}

std::string TicTacToe::SquareText(const Rules&, const State& state, int square) {
  if (state.stones[0] >> square & 1) return "x";
  return state.stones[1] >> square & 1 ? "o" : "";
}

Position<TicTacToe::Legal> TicTacToe::Examine(const Rules& rules, const State& state,
                                              const History&) {
  Position<Legal> position;
  const int empty = kFull & ~(state.stones[0] | state.stones[1]);
  for (const Player player : {Player{0}, Player{1}}) {
    if (!HasLine(state.stones[player])) continue;
    const Player winner = rules.misere ? Opponent(player) : player;
    position.outcome.result = winner == 0 ? 1 : -1;
  }
  position.outcome.score = position.outcome.result;
  if (position.outcome.result != 0 || empty == 0) {
    position.outcome.reason = EndReason::kDiscs;
    return position;
  }
  for (int left = empty; left != 0; left &= left - 1) {
    position.legal.Add(static_cast<Action>(std::countr_zero(static_cast<unsigned>(left))));
  }
  return position;
}

void TicTacToe::Observe(const Rules&, const State& state, const Position<Legal>&, const History&,
                        ObservationRow row) {
  // Two planes of nine bits fill two bytes and two bits of a third.
  const std::uint32_t bits =
      state.stones[state.to_move] | std::uint32_t{state.stones[Opponent(state.to_move)]} << 9;
  for (int byte = 0; byte < 3; ++byte) {
    row.planes[byte] = static_cast<std::uint8_t>(bits >> (8 * byte));
  }
}

int TicTacToe::MapSquare(int symmetry, int square) {
  int file = square % 3;
  int rank = square / 3;
  if (symmetry & 1) file = 2 - file;
  if (symmetry & 2) rank = 2 - rank;
  return symmetry & 4 ? file * 3 + rank : rank * 3 + file;
}

}  // namespace qirkat
