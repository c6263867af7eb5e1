#include <algorithm>
#include <utility>

#include "tests/envs/reference/support.h"

namespace qirkat::reference {
namespace {

constexpr char kStart[] =
    "d2,d3,d4,d5,d5,d4,d3,d2/d1,d1,d1,d1,d1,d1,d1,d1/8/8/8/8/8/8/"
    "l1,l1,l1,l1,l1,l1,l1,l1/l2,l3,l4,l5,l5,l4,l3,l2 l 0";
constexpr char kSide[2] = {'l', 'd'};
constexpr int kPass = 5760;

struct Piece {
  int owner = -1;  // -1: an empty cell
  int number = 0;
  int points = 0;
  bool super = false;
};

class SlowSuper1al5 : public SlowGame {
 public:
  SlowSuper1al5(SlowOptions options, const std::string& position) : SlowGame(8) {
    const std::string start = TakeText(options, "start", kStart);
    ReadMarked(TakeText(options, "marked", "d5,e5,d6,e6"));
    unlimited_quiet =
        TakeChoice(options, "super_quiet_range", {"number", "unlimited"}) == "unlimited";
    few_pieces = TakeInteger(options, "few_pieces", 4, 16);
    no_capture_limit = TakeInteger(options, "no_capture_limit", 80, 1000000);
    max_plies = TakeInteger(options, "max_plies", 600, 1000000);
    RefuseUnknown(options);
    Parse(position == "start" ? start : position);
    positions.push_back(Key());
    CheckEnd(/*is_text=*/true, /*was_pass=*/false);
  }

  std::unique_ptr<SlowGame> Copy() const override { return std::make_unique<SlowSuper1al5>(*this); }

  std::string PositionText() const override { return Key() + ' ' + std::to_string(since_capture); }

 private:
  Piece board[80];
  int to_move;
  int since_capture;
  std::vector<std::string> positions;  // the keys of all positions so far
  bool marked[80] = {};
  bool unlimited_quiet;
  int few_pieces;
  int no_capture_limit;
  int max_plies;

  void ReadMarked(const std::string& text) {
    if (text == "none") return;
    for (const std::string& name : Split(text, ',')) marked[ParseSquare(name, 8, 10)] = true;
  }

  void Parse(const std::string& text) {
    const auto fields = Split(text, ' ');
    Require(fields.size() == 3, "not three fields");
    const auto cells = ParseBoard(fields[0], 8, 10, ",");
    for (int square = 0; square < 80; ++square) {
      if (cells[square].empty()) continue;
      board[square] = ParsePiece(cells[square]);
      Require(!marked[square], "a piece on a marked cell");
    }
    Require(fields[1] == "l" || fields[1] == "d", "no such side to move");
    to_move = fields[1] == "l" ? 0 : 1;
    since_capture = ParseNumber(fields[2], 1000000);
    Require(PositionText() == text, "not canonical");

    Require(Pieces(0) <= 16 && Pieces(1) <= 16, "too many pieces");
    Require(Pieces(0) > 1 || Pieces(1) > 1, "both sides have already lost");
  }

  // "l3", "l3+7", "d5+12*"
  Piece ParsePiece(const std::string& text) const {
    Piece piece;
    Require(text[0] == 'l' || text[0] == 'd', "no such piece: " + text);
    piece.owner = text[0] == 'l' ? 0 : 1;
    std::string rest = text.substr(1);
    piece.super = rest.ends_with('*');
    if (piece.super) rest.pop_back();
    const auto parts = Split(rest, '+');
    Require(parts.size() <= 2, "no such piece: " + text);
    piece.number = ParseNumber(parts[0], 5);
    Require(piece.number >= 1, "no such piece: " + text);
    if (parts.size() == 2) piece.points = ParseNumber(parts[1], 999);
    Require(piece.super || piece.points < 10, "10 or more points without *: " + text);
    return piece;
  }

  std::string PieceText(const Piece& piece) const {
    if (piece.owner < 0) return "";
    std::string text = kSide[piece.owner] + std::to_string(piece.number);
    if (piece.points > 0) text += '+' + std::to_string(piece.points);
    if (piece.super) text += '*';
    return text;
  }

  // What repetition compares.
  std::string Key() const {
    std::vector<std::string> cells;
    for (const Piece& piece : board) cells.push_back(PieceText(piece));
    return BoardText(cells, 8, ",") + ' ' + kSide[to_move];
  }

  int Pieces(int player) const {
    int count = 0;
    for (const Piece& piece : board) count += piece.owner == player ? 1 : 0;
    return count;
  }
  int Points(int player) const {
    int points = 0;
    for (const Piece& piece : board) points += piece.owner == player ? piece.points : 0;
    return points;
  }
  int Score() const override { return Points(0) - Points(1); }

  // An action of the piece on `from` that stops `distance` cells away and takes `taken`.
  SlowAction MakeAction(int from, int direction, int distance,
                        const std::vector<int>& taken) const {
    const int to = Go(from, direction, distance, 8, 10);
    const int index = (direction * 9 + distance - 1) * 80 + from;
    return {Name(from) + (taken.empty() ? '-' : 'x') + Name(to), index, from, to, taken};
  }

  // A Super that can take on its line has that one move there: everything up to the first own piece
  // or the edge. Returns false if it can take nothing.
  bool AddSuperCapture(int from, int direction, std::vector<SlowAction>& actions) const {
    std::vector<int> taken;
    int last_distance = 0;
    for (int distance = 1; Go(from, direction, distance, 8, 10) >= 0; ++distance) {
      const int square = Go(from, direction, distance, 8, 10);
      if (board[square].owner == to_move) break;
      if (board[square].owner == 1 - to_move) {
        taken.push_back(square);
        last_distance = distance;
      }
    }
    if (taken.empty()) return false;
    actions.push_back(MakeAction(from, direction, last_distance, taken));
    return true;
  }

  void AddPlainMoves(int from, int direction, std::vector<SlowAction>& actions) const {
    const Piece& piece = board[from];
    const int range = piece.super && unlimited_quiet ? 9 : piece.number;
    for (int distance = 1; distance <= range; ++distance) {
      const int square = Go(from, direction, distance, 8, 10);
      if (square < 0 || board[square].owner == to_move) break;
      if (board[square].owner == 1 - to_move) {
        actions.push_back(MakeAction(from, direction, distance, {square}));
        break;
      }
      if (!marked[square]) actions.push_back(MakeAction(from, direction, distance, {}));
    }
  }

  // Without the forced pass.
  std::vector<SlowAction> Moves() const {
    std::vector<SlowAction> actions;
    for (int from = 0; from < 80; ++from) {
      if (board[from].owner != to_move) continue;
      for (int direction = 0; direction < 8; ++direction) {
        if (board[from].super && AddSuperCapture(from, direction, actions)) continue;
        AddPlainMoves(from, direction, actions);
      }
    }
    return actions;
  }

  std::vector<SlowAction> Actions() const override {
    auto actions = Moves();
    if (actions.empty()) actions.push_back({"pass", kPass});
    return actions;
  }

  void Do(const SlowAction& action) override {
    ++since_capture;
    const bool is_pass = action.index == kPass;
    if (!is_pass) {
      Piece mover = board[action.from];
      board[action.from] = Piece();
      for (const int square : action.taken) {
        const Piece& taken = board[square];
        mover.points += taken.number + taken.points;
        if (taken.super) mover.super = true;
        board[square] = Piece();
        since_capture = 0;
      }
      if (mover.points >= 10) mover.super = true;
      board[action.to] = mover;
    }
    to_move = 1 - to_move;
    positions.push_back(Key());
    CheckEnd(/*is_text=*/false, is_pass);
  }

  bool CheckEnd(bool is_text, bool was_pass) {
    if (Pieces(0) <= 1) return End("one-piece", -1);
    if (Pieces(1) <= 1) return End("one-piece", +1);
    if (was_pass && Moves().empty()) return Stalled("both-pass");
    if (std::ranges::count(positions, Key()) >= 3) return Stalled("repetition");
    if (Reached(since_capture, no_capture_limit)) return Stalled("no-capture");
    if (!is_text && Reached(plies(), max_plies)) return Stalled("max-plies");
    return false;
  }

  bool Stalled(const std::string& reason) {
    if (Pieces(0) != Pieces(1) || Pieces(0) > few_pieces) return End(reason, 0);
    const int difference = Points(0) - Points(1);
    return End(reason + "+points", difference > 0 ? +1 : difference < 0 ? -1 : 0);
  }
};

}  // namespace

std::unique_ptr<SlowGame> MakeSlowSuper1al5(SlowOptions options, const std::string& position) {
  return std::make_unique<SlowSuper1al5>(std::move(options), position);
}

}  // namespace qirkat::reference
