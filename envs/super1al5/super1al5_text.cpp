// Options and texts.
#include "envs/core/error.h"
#include "envs/core/position_text.h"
#include "envs/super1al5/super1al5.h"

namespace qirkat {
namespace {

constexpr std::string_view kSides = "ld";
constexpr std::uint32_t kMaxTextPoints = 999;
constexpr std::string_view kForm =
    "a board of 10 ranks, each a comma list of runs of empty cells and pieces (l or d, a number "
    "1 … 5, + and the points if it has any, * if it is a Super), l or d to move, plies since the "
    "last capture, as in 'd2,6,d1/8/8/8/8/8/8/8/8/l3+7,3,l5+12*,3 l 0'";

// "d5,e5", or "none".
WideBoard ParseMarked(const std::string& text) {
  WideBoard marked = 0;
  if (text == "none") return marked;
  for (const std::string_view name : Split(text, ',')) {
    const int cell = SquareNamed(name, Super1al5::Board::kColumns, Super1al5::Board::kRows);
    if (cell < 0) {
      throw UserError(StrCat("marked: ", Quoted(text), ", and ", Quoted(name),
                             " is no cell; accepted: none, or cells from a1 to h10 as in "
                             "'d5,e5,d6,e6'"));
    }
    marked |= WideBit(cell);
  }
  return marked;
}

std::string CellName(int cell) { return SquareName(cell, Super1al5::Board::kColumns); }

struct ParsedPiece {
  Super1al5::Kind kind;
  std::uint32_t points;
};

// "l3", "l3+7", "d5+12*".
ParsedPiece ParsePiece(const PositionReader& reader, std::string_view text) {
  const auto player = kSides.find(text[0]);
  const char number = text.size() > 1 ? text[1] : '0';
  if (player == std::string_view::npos || number < '1' || number > '5') {
    reader.Fail(text, "no piece is called ", Quoted(text));
  }
  std::string_view rest = text.substr(2);
  const bool is_super = rest.ends_with('*');
  if (is_super) rest.remove_suffix(1);
  std::uint32_t points = 0;
  if (!rest.empty()) {
    if (rest[0] != '+') reader.Fail(text, "no piece is called ", Quoted(text));
    points = reader.Number(rest.substr(1), kMaxTextPoints, "the points of a piece");
    if (points == 0) reader.Fail(rest, "not canonical: a piece with +0 points");
  }
  if (points >= Super1al5::kSuperPoints && !is_super) {
    reader.Fail(text, Quoted(text), " has ", Super1al5::kSuperPoints, " or more points without *");
  }
  return {static_cast<Super1al5::Kind>(static_cast<unsigned>(number - '0') |
                                       player << Super1al5::kDark |
                                       std::size_t{is_super} << Super1al5::kSuper),
          points};
}

}  // namespace

const std::vector<Option<Super1al5Options>>& Super1al5Options::Table() {
  static const std::vector<Option<Super1al5Options>> table = {
      {"start", &Super1al5Options::start, {.help = "The start position: any position text."}},
      {"marked",
       &Super1al5Options::marked,
       {.help = "The cells on which no piece may stop, as in d5,e5; or none."}},
      {"super_quiet_range",
       &Super1al5Options::super_quiet_range,
       {.choices = {"number", "unlimited"},
        .help = "How far a Super may move without taking: its number, or any distance."}},
      {"few_pieces",
       &Super1al5Options::few_pieces,
       {.min = 0,
        .max = Super1al5::kMaxPieces,
        .unit = "pieces",
        .help = "A stalled game in which both players have equally many pieces, at most this many "
                "each, is decided by points; 0: never."}},
      {"no_capture_limit", &Super1al5Options::no_capture_limit,
       LimitFacts("So many plies without a capture stall the game; 0: no limit.")},
      {"max_plies", &Super1al5Options::max_plies,
       LimitFacts("A game of this many plies is stalled; 0: no limit.")},
  };
  return table;
}

Super1al5::Rules Super1al5::MakeRules(const Options& options) {
  Rules rules = {options.super_quiet_range == "unlimited",
                 static_cast<int>(options.few_pieces),
                 MakeLimit(options.no_capture_limit),
                 MakeLimit(options.max_plies),
                 {}};
  // Before there are marks: only the start that is used must keep off them.
  rules.start = InContext("start", [&] { return ParsePosition(rules, options.start); });
  const WideBoard marked = ParseMarked(options.marked);
  rules.marked = {marked, HalfTurnedBoard<Board::kSquares>(marked)};
  for (int symmetry = 0; symmetry < kSpec.symmetries; ++symmetry) {
    WideBoard image = 0;
    ForEachSquare(marked, [&](int cell) { image |= WideBit(Board::MapSquare(symmetry, cell)); });
    if (image == marked) rules.symmetries |= static_cast<std::uint8_t>(1u << symmetry);
  }
  return rules;
}

Super1al5::State Super1al5::Start(const Rules& rules, RandomStream&) {
  if (const WideBoard wrong = Occupied(rules.start.layers) & rules.marked[0]; wrong != 0) {
    throw UserError(StrCat("super1al5: a piece of the start stands on the marked cell ",
                           CellName(LowestSquare(wrong)),
                           "; accepted: a start without pieces on marked cells"));
  }
  return rules.start;
}

Super1al5::State Super1al5::ParsePosition(const Rules& rules, std::string_view text) {
  const PositionReader reader("super1al5", text, 3, kForm);
  State state;
  std::array<int, 2> pieces = {};
  for (const BoardPiece& place :
       reader.Board(reader.field(0), Board::kColumns, Board::kRows, ',')) {
    const ParsedPiece piece = ParsePiece(reader, place.text);
    const Player player = piece.kind >> kDark & 1;
    if (pieces[player] == kMaxPieces) {
      reader.Fail(place.text, "more than ", kMaxPieces, " pieces ", kSides[player]);
    }
    if (Holds(rules.marked[0], place.square)) {
      reader.Fail(place.text, "a piece on the marked cell ", CellName(place.square));
    }
    Place(state, pieces[0] + pieces[1], place.square, piece.kind, piece.points);
    ++pieces[player];
  }
  if (pieces[0] <= 1 && pieces[1] <= 1) {
    reader.Fail(reader.field(0), "both sides have already lost");
  }
  state.to_move = reader.Side(reader.field(1), kSides);
  state.quiet = reader.Number(reader.field(2), kMaxCounter, "the capture counter");
  return state;
}

std::string Super1al5::PositionText(const Rules& rules, const State& state) {
  std::vector<std::string> cells;
  for (int cell = 0; cell < Board::kSquares; ++cell) {
    cells.push_back(SquareText(rules, state, cell));
  }
  return StrCat(BoardText(cells, Board::kColumns, ','), ' ', kSides[state.to_move], ' ',
                state.quiet);
}

std::string Super1al5::SquareText(const Rules&, const State& state, int square) {
  const Kind kind = KindOn(state, square);
  if (kind == 0) return "";
  std::string text = kSides[kind >> kDark & 1] + std::to_string(NumberOf(kind));
  if (const auto points = state.points[PieceOn(state, square)]; points > 0) {
    text += '+' + std::to_string(points);
  }
  if (kind >> kSuper & 1) text += '*';
  return text;
}

std::string Super1al5::ActionText(const Rules&, const State& state, Action action) {
  QIRKAT_CHECK(action < Layout::kPolicySize, action);
  if (action == kPass) return "pass";
  const MoveAction move = Layout::Decode(action);
  const int to = Board::Step(move.from, move.direction, move.distance);
  const bool takes = to >= 0 && Taken(state, action) != 0;
  return CellName(move.from) + (takes ? 'x' : '-') + SquareName(to, Board::kColumns);
}

}  // namespace qirkat
