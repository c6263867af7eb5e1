#include "envs/reversi/reversi.h"

#include <array>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {

static_assert(GameWithEndgameSolver<Reversi>);

namespace {

std::int8_t Sign(int score) { return static_cast<std::int8_t>((score > 0) - (score < 0)); }

}  // namespace

const std::vector<Option<ReversiOptions>>& ReversiOptions::Table() {
  static const std::vector<Option<ReversiOptions>> table = {
      {"winner_takes_empties",
       &ReversiOptions::winner_takes_empties,
       {.help = "The winner's score also gets the empty squares."}},
      {"max_plies",
       &ReversiOptions::max_plies,
       {.min = 0,
        .max = 1000000,
        .unit = "plies",
        .help = "A game of this many plies is a draw; 0: no limit. Never reached by default."}},
  };
  return table;
}

std::span<const std::string_view> Reversi::PlaneNames() {
  static constexpr std::array<std::string_view, 3> kNames = {"own", "enemy", "legal"};
  return kNames;
}

std::span<const std::string_view> Reversi::ScalarNames() {
  static constexpr std::array<std::string_view, 1> kNames = {"plies"};
  return kNames;
}

Reversi::Rules Reversi::MakeRules(const Options& options) {
  const bool limited = options.max_plies > 0;
  return {options.winner_takes_empties,
          limited ? static_cast<std::uint32_t>(options.max_plies) : 0xFFFFFFFFu};
}

Reversi::State Reversi::Start(const Rules&, RandomStream&) {
  constexpr Bitboard kBlack = 0x0000000810000000;  // e4, d5
  constexpr Bitboard kWhite = 0x0000001008000000;  // d4, e5
  return {{kBlack, kWhite}, 0};
}

Reversi::State Reversi::ParsePosition(const Rules&, std::string_view text) {
  const auto fail = [&](const auto&... reason) {
    throw UserError(StrCat("reversi position ", Quoted(text), ": ", reason...,
                           "; accepted: 64 of X, O and -, a space, X or O to move"));
  };
  const std::string_view fields = text.substr(0, text.find(';'));
  State state = {};
  for (int square = 0; square < 64; ++square) {
    if (static_cast<std::size_t>(square) >= fields.size() || fields[square] == ' ') {
      fail("the board has ", square, " squares instead of 64");
    }
    switch (fields[square]) {
      case 'X':
        state.discs[0] |= Bitboard{1} << square;
        break;
      case 'O':
        state.discs[1] |= Bitboard{1} << square;
        break;
      case '-':
        break;
      default:
        fail(Quoted(fields.substr(square, 1)), " at character ", square + 1);
    }
  }
  const std::string_view side = fields.substr(64);
  if (side.empty()) fail("the side to move is missing");
  if (side[0] != ' ') fail("the board has more than 64 squares");
  if (side != " X" && side != " O") {
    fail("the side to move is ", Quoted(side.substr(1)), " at character 66");
  }
  state.to_move = side == " O";
  return state;
}

std::string Reversi::PositionText(const Rules&, const State& state) {
  std::string text(64, '-');
  for (int square = 0; square < 64; ++square) {
    if (state.discs[0] >> square & 1) text[square] = 'X';
    if (state.discs[1] >> square & 1) text[square] = 'O';
  }
  return text + (state.to_move == 0 ? " X" : " O");
}

std::string Reversi::ActionText(const Rules&, const State&, Action action) {
  QIRKAT_CHECK(action <= kPass, action);
  if (action == kPass) return "pass";
  return {static_cast<char>('a' + action % 8), static_cast<char>('1' + action / 8)};
}

std::string Reversi::SquareText(const Rules&, const State& state, int square) {
  if (state.discs[0] >> square & 1) return "X";
  return state.discs[1] >> square & 1 ? "O" : "";
}

int Reversi::MapSquare(int symmetry, int square) {
  int file = square % 8;
  int row = square / 8;
  if (symmetry & 1) file = 7 - file;
  if (symmetry & 2) row = 7 - row;
  return symmetry & 4 ? file * 8 + row : row * 8 + file;
}

EndgameValue Reversi::EndgameSolver::Solve(const Rules& rules, const State& state) {
  constexpr int kBound = reversi::kMaxScore + 1;
  const auto found = search_.Solve(state.discs[state.to_move], state.discs[state.to_move ^ 1],
                                   rules.winner_takes_empties, -kBound, kBound);
  EndgameValue value;
  value.score = state.to_move == 0 ? found.score : -found.score;
  value.result = Sign(value.score);
  if (found.best != reversi::EndgameSearch::kOver) value.best = static_cast<Action>(found.best);
  return value;
}

Outcome Reversi::Final(const Rules& rules, const State& state) {
  Outcome outcome;
  outcome.reason = EndReason::kDiscs;
  outcome.score = reversi::FinalScore(state.discs[0], state.discs[1], rules.winner_takes_empties);
  outcome.result = Sign(outcome.score);
  return outcome;
}

}  // namespace qirkat
