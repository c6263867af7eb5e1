#include "envs/superlogo/superlogo.h"

#include "envs/core/error.h"
#include "envs/core/plane_writer.h"
#include "envs/core/position_text.h"

namespace qirkat {
namespace {

constexpr std::string_view kSides = "yb";
constexpr std::string_view kPieces = "SLTslt";  // player * 3 + kind
constexpr std::string_view kForm =
    "a board of S, L, T, s, l, t and runs of empty cells, y or b to move, the cell of the super "
    "that may go on (with + if it may step) or -, both stop counts, plies since the last capture, "
    "as in 'sssss/lltll/ll1LL/LLTLL/SSSSS y - 0,0 0'";

std::string ChainText(const Superlogo::State& state) {
  if (state.chain == Superlogo::kNoCell) return "-";
  return SquareName(state.chain, 5) + (state.chain_step ? "+" : "");
}

// Reads one piece into the state; refuses more of a kind than a player has.
void Place(const PositionReader& reader, const BoardPiece& place, Superlogo::State& state) {
  constexpr std::array<int, 3> kSupply = {5, 6, 1};
  const auto piece = kPieces.find(place.text);
  if (piece == std::string_view::npos) {
    reader.Fail(place.text, "no piece is called ", Quoted(place.text));
  }
  const auto player = static_cast<Player>(piece / 3);
  const auto kind = piece % 3;
  int before = 0;
  if (kind == 2) {
    before = state.stop[player] != Superlogo::kNoCell;
    state.stop[player] = static_cast<std::uint8_t>(place.square);
  } else {
    BoardPair<Superlogo::Board>& board = kind == 0 ? state.supers : state.lows;
    before = std::popcount(board[player]);
    board.Toggle(player, BitOf(place.square));
  }
  if (before == kSupply[kind]) {
    reader.Fail(place.text, "more than ", kSupply[kind], " pieces ", place.text);
  }
}

}  // namespace

const std::vector<Option<SuperlogoOptions>>& SuperlogoOptions::Table() {
  static const std::vector<Option<SuperlogoOptions>> table = {
      {"start", &SuperlogoOptions::start, {.help = "The start position: any position text."}},
      {"step_after_capture",
       &SuperlogoOptions::step_after_capture,
       {.help = "A super whose turn began with a jump that takes may end it with a plain step."}},
      {"no_capture_limit", &SuperlogoOptions::no_capture_limit,
       LimitFacts("So many plies without a capture are a draw; 0: no limit.")},
      {"max_plies", &SuperlogoOptions::max_plies,
       LimitFacts("A game of this many plies is a draw; 0: no limit.")},
  };
  return table;
}

std::span<const std::string_view> Superlogo::PlaneNames() {
  static constexpr std::array<std::string_view, 7> kNames = {
      "own_supers", "own_lows", "own_stop", "enemy_supers", "enemy_lows", "enemy_stop", "chain"};
  return kNames;
}

std::span<const std::string_view> Superlogo::ScalarNames() {
  static constexpr std::array<std::string_view, 6> kNames = {
      "own_stop_count", "enemy_stop_count", "chain_step", "no_capture", "plies", "repetition"};
  return kNames;
}

Superlogo::Rules Superlogo::MakeRules(const Options& options) {
  Rules rules = {options.step_after_capture,
                 MakeLimit(options.no_capture_limit),
                 MakeLimit(options.max_plies),
                 {}};
  rules.start = InContext("start", [&] { return ParsePosition(rules, options.start); });
  return rules;
}

Superlogo::State Superlogo::ParsePosition(const Rules& rules, std::string_view text) {
  const PositionReader reader("superlogo", text, 5, kForm);
  State state;
  for (const BoardPiece& piece : reader.Board(reader.field(0), 5, 5, 0)) {
    Place(reader, piece, state);
  }
  if (state.supers.both() == 0) reader.Fail(reader.field(0), "both sides have already lost");
  state.to_move = reader.Side(reader.field(1), kSides);
  const auto counts = Split(reader.field(3), ',');
  if (counts.size() != 2) {
    reader.Fail(reader.field(3), "it has ", counts.size(), " stop counts instead of 2");
  }
  for (int player = 0; player < 2; ++player) {
    state.stop_count[player] =
        static_cast<std::uint8_t>(reader.Number(counts[player], 2, "a stop count"));
  }
  state.quiet = reader.Number(reader.field(4), kMaxCounter, "the capture counter");

  std::string_view chain = reader.field(2);
  if (chain == "-") return state;
  state.chain_step = chain.back() == '+';
  if (state.chain_step) chain.remove_suffix(1);
  state.chain = static_cast<std::uint8_t>(reader.Square(chain, 5, 5));
  if ((state.supers[state.to_move] & BitOf(state.chain)) == 0) {
    reader.Fail(chain, "the chain cell ", chain, " holds no super of the side to move");
  }
  if (state.chain_step && !rules.step_after_capture) {
    reader.Fail(reader.field(2), "a chain with + while step_after_capture is off");
  }
  if (state.supers[Opponent(state.to_move)] == 0) {
    reader.Fail(reader.field(2), "a chain in a finished game");
  }
  if (!CanGoOn(state, state.chain)) {
    reader.Fail(chain, "the super on the chain cell ", chain, " cannot go on");
  }
  if (state.stop_count[state.to_move] != 0) {
    reader.Fail(counts[state.to_move], "a chain with a stop count above 0 of the side to move");
  }
  if (state.quiet != 0) reader.Fail(reader.field(4), "a chain with a capture counter above 0");
  return state;
}

std::string Superlogo::PositionText(const Rules& rules, const State& state) {
  std::vector<std::string> cells;
  for (int q = 0; q < Board::kSquares; ++q) cells.push_back(SquareText(rules, state, q));
  return StrCat(BoardText(cells, Board::kColumns, 0), ' ', kSides[state.to_move], ' ',
                ChainText(state), ' ', int{state.stop_count[0]}, ',', int{state.stop_count[1]}, ' ',
                state.quiet);
}

std::string Superlogo::SquareText(const Rules&, const State& state, int square) {
  for (const Player player : {Player{0}, Player{1}}) {
    const std::string_view pieces = kPieces.substr(player * 3u, 3);
    if (state.supers[player] & BitOf(square)) return {pieces[0]};
    if (state.lows[player] & BitOf(square)) return {pieces[1]};
    if (state.stop[player] == square) return {pieces[2]};
  }
  return "";
}

std::string Superlogo::ActionText(const Rules&, const State& state, Action action) {
  QIRKAT_CHECK(action < Layout::kPolicySize, action);
  if (action == kPass) return "pass";
  const MoveAction move = Layout::Decode(action);
  const auto ahead = [&](int distance) {
    return SquareName(Board::Step(move.from, Layout::Compass(move.direction), distance), 5);
  };
  const std::string from = SquareName(move.from, 5);
  switch (move.kind) {
    case kStep:
      return from + '-' + ahead(1);
    case kTwoSteps:
      return from + '-' + ahead(2);
    case kJump:
      return from + (Takes(state, action) ? 'x' : '^') + ahead(2);
    default:
      return from + '-' + ahead(1) + 'x' + ahead(3);
  }
}

bool Superlogo::CanGoOn(const State& state, std::uint8_t cell) {
  const Sight sight(state);
  const SmallBoard self = BitOf(cell);
  SmallBoard goes_on = 0;
  for (int d = 0; d < 4; ++d) {
    goes_on |= self & View::Ahead(sight.prey, d, 1) & View::Ahead(sight.empty, d, 2);
    goes_on |= state.chain_step ? self & View::Ahead(sight.empty, d, 1) : 0;
  }
  return goes_on != 0;
}

void Superlogo::Take(State& state, SmallBoard cell, bool by_low) {
  const Player owner = Opponent(state.to_move);
  const bool is_super = (state.supers[owner] & cell) != 0;
  if (!is_super) {
    state.lows.Toggle(owner, cell);
    return;
  }
  state.supers.Toggle(owner, cell);
  if (by_low && std::popcount(state.lows[owner]) < kMaxLows) state.lows.Toggle(owner, cell);
}

void Superlogo::Apply(const Rules& rules, State& state, Action action) {
  if (action == kPass) {
    Pass(state);
    return;
  }
  const Player mover = state.to_move;
  const int kind = action / (4 * Board::kSquares);
  const int step = View::kStep[action / Board::kSquares % 4];
  const int from = action % Board::kSquares;
  const int distance = kind == kStep ? 1 : kind == kRunUpJump ? 3 : 2;
  const int to = from + distance * step;
  const bool takes = Takes(state, action);
  const bool starts_turn = state.chain == kNoCell;
  const bool is_super = (state.supers[mover] & BitOf(from)) != 0;
  const bool is_stop = state.stop[mover] == from;

  if (starts_turn) {
    state.stop_count[mover] = is_stop ? static_cast<std::uint8_t>(state.stop_count[mover] + 1) : 0;
  }
  if (is_stop) {
    state.stop[mover] = static_cast<std::uint8_t>(to);
  } else {
    (is_super ? state.supers : state.lows).Toggle(mover, BitOf(from) | BitOf(to));
  }
  ++state.quiet;
  if (takes) {
    state.quiet = 0;
    Take(state, BitOf(to - step), !is_super);
    if (is_super && state.supers[Opponent(mover)] != 0) {
      const auto cell = static_cast<std::uint8_t>(to);
      if (starts_turn) state.chain_step = kind == kJump && rules.step_after_capture;
      if (CanGoOn(state, cell)) {
        state.chain = cell;
        return;
      }
    }
  }
  EndTurn(state);
}

void Superlogo::Pass(State& state) {
  const bool forced = state.chain == kNoCell;
  if (forced) state.stop_count[state.to_move] = 0;
  ++state.quiet;
  EndTurn(state);
  state.both_pass = forced && TurnActions(Sight(state)).empty();
}

Superlogo::State Superlogo::SeenByMover(const State& state) {
  if (state.to_move == 0) return state;
  State seen = state;
  seen.supers = state.supers.HalfTurnedAndSwapped();
  seen.lows = state.lows.HalfTurnedAndSwapped();
  for (const int player : {0, 1}) {
    seen.stop[player] = HalfTurned<Board>(state.stop[1 - player]);
    seen.stop_count[player] = state.stop_count[1 - player];
  }
  seen.chain = HalfTurned<Board>(state.chain);
  seen.to_move = 0;
  return seen;
}

void Superlogo::Observe(const Rules& rules, const State& state, const Position<Legal>& position,
                        const History& history, ObservationRow row) {
  const State seen = SeenByMover(state);
  PlaneWriter planes(row.planes);
  for (const Player side : {Player{0}, Player{1}}) {
    planes.Add(seen.supers[side], Board::kSquares);
    planes.Add(seen.lows[side], Board::kSquares);
    planes.Add(CellBoard(seen.stop[side]), Board::kSquares);
  }
  planes.Add(CellBoard(seen.chain), Board::kSquares);
  planes.Finish();

  const DrawCounters counters = Counters(rules, state, history);
  row.scalars[0] = ShareOfLimit(seen.stop_count[0], 2);
  row.scalars[1] = ShareOfLimit(seen.stop_count[1], 2);
  row.scalars[2] = seen.chain_step ? 1.0f : 0.0f;
  row.scalars[3] = ShareOfLimit(counters.DecidingQuiet(), rules.no_capture_limit);
  row.scalars[4] = ShareOfLimit(counters.DecidingPly(CapturesLeft(state)), rules.max_plies);
  row.scalars[5] = ShareOfLimit(static_cast<std::uint32_t>(position.earlier_occurrences), 2);
}

}  // namespace qirkat
