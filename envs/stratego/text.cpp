// Stratego's texts: positions, views, actions.
#include <algorithm>

#include "envs/core/error.h"
#include "envs/core/position_text.h"
#include "envs/stratego/stratego.h"

namespace qirkat::stratego {
namespace {

constexpr std::string_view kSides = "rb";
constexpr std::string_view kForm =
    "a board of pieces such as r9, b1+! (owner r or b, a letter of FBS123456789, + if moved, ! if "
    "shown) and runs of empty cells, all separated by commas, r or b to move, setup or play, moves "
    "since the last attack, as in 'bF,9/10/10/10/10/10/10/10/r9+,9/rF,9 r play 0'";

struct TextPiece {
  std::string_view text;  // empty: an empty cell
  Player owner = 0;
  Rank rank = kFlag;
  std::uint8_t marks = 0;
};
using TextBoard = std::array<TextPiece, Board::kSquares>;

// "r9", "b1+!"
TextPiece ReadPiece(const PositionReader& reader, std::string_view text) {
  TextPiece piece = {text};
  const auto owner = kSides.find(text[0]);
  const auto rank = text.size() > 1 ? kRankLetters.find(text[1]) : std::string_view::npos;
  std::string_view marks = text.substr(std::min<std::size_t>(text.size(), 2));
  for (const auto& [sign, mark] : {std::pair('+', kMoved), std::pair('!', kShown)}) {
    if (!marks.starts_with(sign)) continue;
    piece.marks |= mark;
    marks.remove_prefix(1);
  }
  if (owner == std::string_view::npos || rank == std::string_view::npos || !marks.empty()) {
    reader.Fail(text, Quoted(text), " is not a piece");
  }
  piece.owner = static_cast<Player>(owner);
  piece.rank = static_cast<Rank>(rank);
  return piece;
}

TextBoard ReadBoard(const PositionReader& reader) {
  TextBoard board{};
  std::array<std::array<int, kRanks>, 2> count{};
  for (const auto& [square, text] : reader.Board(reader.field(0), 10, 10, ',')) {
    if (Holds(kLakes, square)) reader.Fail(text, "a piece on the lake ", SquareName(square, 10));
    const TextPiece piece = ReadPiece(reader, text);
    if (IsFixed(piece.rank) && (piece.marks & kMoved) != 0) {
      reader.Fail(text, "a flag or bomb that has moved");
    }
    if (++count[piece.owner][piece.rank] > kSupply[piece.rank]) {
      reader.Fail(text, "more than ", int{kSupply[piece.rank]}, " pieces ", text.substr(0, 2));
    }
    board[square] = piece;
  }
  return board;
}

// Refuses all but the first cells of the placement order of the side to move, filled with unmoved
// and unshown pieces, and before it red's whole setup. Returns how many pieces are placed.
int CheckSetup(const PositionReader& reader, const TextBoard& board, Player to_move) {
  std::array<int, 2> filled = {0, 0};
  for (const TextPiece& piece : board) {
    if (piece.text.empty()) continue;
    if (piece.marks != 0) reader.Fail(piece.text, "a moved or shown piece in the setup");
    ++filled[piece.owner];
  }
  if (filled[to_move] == kPiecesPerPlayer) {
    reader.Fail(reader.field(1), "the side to move has placed all its pieces");
  }
  const Player other = Opponent(to_move);
  if (const int wanted = to_move == 0 ? 0 : kPiecesPerPlayer; filled[other] != wanted) {
    reader.Fail(reader.field(0), "the side that is not to move has placed ", filled[other],
                " pieces instead of ", wanted);
  }
  for (const Player player : {Player{0}, Player{1}}) {
    for (int n = 0; n < filled[player]; ++n) {
      const int square = SetupSquare(player, n);
      if (board[square].text.empty() || board[square].owner != player) {
        reader.Fail(reader.field(0), "not the first ", filled[player], " cells of ", kSides[player],
                    "'s placement order are filled: not ", SquareName(square, 10));
      }
    }
  }
  return filled[0] + filled[1];
}

// Whether a player's texts leave out what this piece is.
bool IsHidden(const State& state, int identity, Player player) {
  return State::OwnerOf(identity) != player && (state.marks[identity] & kShown) == 0;
}

std::string PieceText(const State& state, int square, bool is_hidden) {
  const int identity = state.piece[square];
  if (identity == kNoPiece) return "";
  std::string text = {kSides[State::OwnerOf(identity)],
                      is_hidden ? '?' : kRankLetters[state.rank[identity]]};
  if ((state.marks[identity] & kMoved) != 0) text += '+';
  if ((state.marks[identity] & kShown) != 0) text += '!';
  return text;
}

// The position's text with '?' for the pieces for which is_hidden(identity).
template <class IsHidden>
std::string TextOf(const State& state, IsHidden is_hidden) {
  std::vector<std::string> cells;
  for (int square = 0; square < Board::kSquares; ++square) {
    const int identity = state.piece[square];
    cells.push_back(PieceText(state, square, identity != kNoPiece && is_hidden(identity)));
  }
  return StrCat(BoardText(cells, Board::kColumns, ','), ' ', kSides[state.to_move],
                state.in_setup() ? " setup " : " play ", state.quiet);
}

}  // namespace

State Stratego::ParsePosition(const Rules&, std::string_view text) {
  const PositionReader reader("stratego", text, 4, kForm);
  const TextBoard board = ReadBoard(reader);
  State state;
  state.to_move = reader.Side(reader.field(1), kSides);
  const bool is_setup = reader.field(2) == "setup";
  if (!is_setup && reader.field(2) != "play") {
    reader.Fail(reader.field(2), "the phase is ", Quoted(reader.field(2)),
                " instead of setup or play");
  }
  state.quiet = reader.Number(reader.field(3), kMaxCounter, "the attack counter");
  state.placed = kPieces;
  if (is_setup) {
    if (state.quiet != 0) reader.Fail(reader.field(3), "an attack counter above 0 in the setup");
    state.placed = static_cast<std::uint8_t>(CheckSetup(reader, board, state.to_move));
  }

  // The identities that the setup gives, if every piece stands where it was placed.
  std::array<int, 2> next_identity = {0, kPiecesPerPlayer};
  for (int square = 0; square < Board::kSquares; ++square) {
    const TextPiece& piece = board[square];
    if (piece.text.empty()) continue;
    const int identity = is_setup ? HomeIdentity(square) : next_identity[piece.owner]++;
    state.Put(square, identity, piece.rank);
    state.marks[identity] = piece.marks;
  }
  if (!is_setup && state.count[0][kFlag] + state.count[1][kFlag] == 0) {
    reader.Fail(reader.field(0), "both sides have already lost: there is no flag");
  }
  return state;
}

std::string Stratego::PositionText(const Rules&, const State& state) {
  return TextOf(state, [](int) { return false; });
}

std::string Stratego::ViewText(const Rules&, const State& state, Player player) {
  return TextOf(state, [&](int identity) { return IsHidden(state, identity, player); });
}

std::string Stratego::SquareText(const Rules&, const State& state, int square) {
  return PieceText(state, square, /*is_hidden=*/false);
}

std::string Stratego::ViewSquareText(const Rules&, const State& state, Player player, int square) {
  const int identity = state.piece[square];
  return PieceText(state, square, identity != kNoPiece && IsHidden(state, identity, player));
}

std::string Stratego::ActionText(const Rules&, const State& state, Action action) {
  QIRKAT_CHECK(action < Layout::kPolicySize, action);
  if (action >= Layout::kFirstExtra) return {kRankLetters[action - Layout::kFirstExtra]};
  const MoveAction move = Layout::Decode(action);
  const int to = Board::Step(move.from, Layout::Compass(move.direction), move.distance);
  const bool is_attack = to >= 0 && state.piece[to] != kNoPiece;
  return SquareName(move.from, 10) + (is_attack ? 'x' : '-') + SquareName(to, 10);
}

}  // namespace qirkat::stratego
