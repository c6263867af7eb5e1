#include "envs/alquerque/alquerque.h"

#include "envs/core/error.h"
#include "envs/core/position_text.h"

namespace qirkat {
namespace {

constexpr std::string_view kSides = "ld";
constexpr int kMaxStones = 12;
constexpr std::string_view kStartText = "ddddd/ddddd/dd1ll/lllll/lllll l - 0";
constexpr std::string_view kForm =
    "a board of l, d and runs of empty points, l or d to move, the point that goes on jumping or "
    "-, plies since the last capture, as in 'ddddd/ddddd/dd1ll/lllll/lllll l - 0'";

std::string ChainText(const Alquerque::State& state) {
  return state.chain == Alquerque::kNoChain ? "-" : SquareName(state.chain, 5);
}

}  // namespace

const std::vector<Option<AlquerqueOptions>>& AlquerqueOptions::Table() {
  static const std::vector<Option<AlquerqueOptions>> table = {
      {"no_capture_limit", &AlquerqueOptions::no_capture_limit,
       LimitFacts("So many plies without a capture are a draw; 0: no limit.")},
      {"max_plies", &AlquerqueOptions::max_plies,
       LimitFacts("A game of this many plies is a draw; 0: no limit.")},
  };
  return table;
}

std::span<const std::string_view> Alquerque::PlaneNames() {
  static constexpr std::array<std::string_view, 4> kNames = {"own", "enemy", "chain", "strong"};
  return kNames;
}

std::span<const std::string_view> Alquerque::ScalarNames() {
  static constexpr std::array<std::string_view, 3> kNames = {"no_capture", "plies", "repetition"};
  return kNames;
}

Alquerque::State Alquerque::Start(const Rules& rules, RandomStream&) {
  static const State start = ParsePosition(rules, kStartText);
  return start;
}

Alquerque::State Alquerque::ParsePosition(const Rules&, std::string_view text) {
  const PositionReader reader("alquerque", text, 4, kForm);
  State state = {};
  for (const auto& [square, piece] : reader.Board(reader.field(0), 5, 5, 0)) {
    const auto player = kSides.find(piece);
    if (player == std::string_view::npos) reader.Fail(piece, "no piece is called ", Quoted(piece));
    state.stones.Toggle(static_cast<Player>(player), BitOf(square));
    if (std::popcount(state.stones[static_cast<Player>(player)]) > kMaxStones) {
      reader.Fail(piece, "more than ", kMaxStones, " stones of ", piece);
    }
  }
  if (state.stones.both() == 0) reader.Fail(reader.field(0), "both sides have already lost");
  state.to_move = reader.Side(reader.field(1), kSides);
  state.quiet = reader.Number(reader.field(3), kMaxCounter, "the capture counter");

  const std::string_view chain = reader.field(2);
  state.chain = kNoChain;
  if (chain == "-") return state;
  state.chain = static_cast<std::uint8_t>(reader.Square(chain, 5, 5));
  const SmallBoard stone = BitOf(state.chain);
  const SmallBoard empty = kFull & ~state.stones.both();
  if ((state.stones[state.to_move] & stone) == 0) {
    reader.Fail(chain, "the chain point ", chain, " holds no stone of the side to move");
  }
  if (Any(Jumps(stone, state.stones[Opponent(state.to_move)], empty)) == 0) {
    reader.Fail(chain, "the stone on the chain point ", chain, " cannot jump");
  }
  if (state.quiet != 0) reader.Fail(reader.field(3), "a chain with a capture counter above 0");
  return state;
}

std::string Alquerque::PositionText(const Rules& rules, const State& state) {
  std::vector<std::string> points;
  for (int q = 0; q < Board::kSquares; ++q) points.push_back(SquareText(rules, state, q));
  return StrCat(BoardText(points, Board::kColumns, 0), ' ', kSides[state.to_move], ' ',
                ChainText(state), ' ', state.quiet);
}

std::string Alquerque::SquareText(const Rules&, const State& state, int square) {
  if (state.stones[0] & BitOf(square)) return "l";
  return state.stones[1] & BitOf(square) ? "d" : "";
}

std::string Alquerque::ActionText(const Rules&, const State&, Action action) {
  QIRKAT_CHECK(action < Layout::kPolicySize, action);
  const MoveAction move = Layout::Decode(action);
  const int to = Board::Step(move.from, move.direction, move.kind + 1);
  return SquareName(move.from, 5) + (move.kind == 0 ? '-' : 'x') + SquareName(to, 5);
}

}  // namespace qirkat
