#include <algorithm>
#include <utility>

#include "tests/envs/reference/support.h"

namespace qirkat::reference {
namespace {

constexpr char kStart[] = "---------------------------OX------XO--------------------------- X";
constexpr char kSide[2] = {'X', 'O'};
constexpr int kPass = 64;

class SlowReversi : public SlowGame {
 public:
  SlowReversi(SlowOptions options, const std::string& position) : SlowGame(8) {
    winner_takes_empties = TakeChoice(options, "winner_takes_empties", {"off", "on"}) == "on";
    max_plies = TakeInteger(options, "max_plies", 128, 1000000);
    RefuseUnknown(options);
    Parse(position == "start" ? kStart : position.substr(0, position.find(';')));
    CheckEnd(/*is_text=*/true);
  }

  std::unique_ptr<SlowGame> Copy() const override { return std::make_unique<SlowReversi>(*this); }

  std::string PositionText() const override {
    return std::string(board, board + 64) + ' ' + kSide[to_move];
  }

 private:
  char board[64];  // 'X', 'O' or '-'; a1 b1 … h1 a2 … h8
  int to_move;
  bool winner_takes_empties;
  int max_plies;

  void Parse(const std::string& text) {
    Require(text.size() == 66, "not 66 characters");
    std::copy(text.begin(), text.begin() + 64, board);
    for (const char disc : board) Require(disc == 'X' || disc == 'O' || disc == '-', "no disc");
    to_move = text[65] == 'X' ? 0 : 1;
    Require(PositionText() == text, "no such side to move");
  }

  int Discs(char disc) const { return static_cast<int>(std::count(board, board + 64, disc)); }

  int Score() const override {
    const int empties = winner_takes_empties ? Discs('-') : 0;
    return Discs('X') - Discs('O') + result() * empties;
  }

  // The discs that a player's disc on an empty square turns.
  std::vector<int> Turned(int player, int square) const {
    std::vector<int> turned;
    if (board[square] != '-') return turned;
    for (int direction = 0; direction < 8; ++direction) {
      std::vector<int> line;
      int next = Go(square, direction, 1, 8, 8);
      while (next >= 0 && board[next] == kSide[1 - player]) {
        line.push_back(next);
        next = Go(next, direction, 1, 8, 8);
      }
      if (next >= 0 && board[next] == kSide[player]) {
        turned.insert(turned.end(), line.begin(), line.end());
      }
    }
    return turned;
  }

  std::vector<SlowAction> Moves(int player) const {
    std::vector<SlowAction> moves;
    for (int square = 0; square < 64; ++square) {
      const auto turned = Turned(player, square);
      if (!turned.empty()) moves.push_back({Name(square), square, -1, square, turned});
    }
    return moves;
  }

  std::vector<SlowAction> Actions() const override {
    const auto moves = Moves(to_move);
    if (!moves.empty()) return moves;
    return {{"pass", kPass}};
  }

  void Do(const SlowAction& action) override {
    if (action.index != kPass) {
      board[action.to] = kSide[to_move];
      for (const int square : action.taken) board[square] = kSide[to_move];
    }
    to_move = 1 - to_move;
    CheckEnd(/*is_text=*/false);
  }

  bool CheckEnd(bool is_text) {
    if (Moves(0).empty() && Moves(1).empty()) {
      const int difference = Discs('X') - Discs('O');
      return End("discs", difference > 0 ? +1 : difference < 0 ? -1 : 0);
    }
    if (!is_text && Reached(plies(), max_plies)) return End("max-plies", 0);
    return false;
  }
};

}  // namespace

std::unique_ptr<SlowGame> MakeSlowReversi(SlowOptions options, const std::string& position) {
  return std::make_unique<SlowReversi>(std::move(options), position);
}

}  // namespace qirkat::reference
