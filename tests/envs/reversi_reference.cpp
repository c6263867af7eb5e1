#include "tests/envs/reversi_reference.h"

#include <algorithm>

namespace qirkat {
namespace {
char Other(char side) { return side == 'X' ? 'O' : 'X'; }
}  // namespace

SlowReversi SlowReversi::FromText(const std::string& text) {
  SlowReversi game;
  game.board = text.substr(0, 64);
  game.to_move = text[65];
  return game;
}

std::string SlowReversi::Text() const { return board + ' ' + to_move; }

std::vector<int> SlowReversi::Turned(char side, int file, int row) const {
  std::vector<int> turned;
  if (board[row * 8 + file] != '-') return turned;
  for (int file_step = -1; file_step <= 1; ++file_step) {
    for (int row_step = -1; row_step <= 1; ++row_step) {
      if (file_step == 0 && row_step == 0) continue;
      std::vector<int> line;
      int f = file + file_step;
      int r = row + row_step;
      while (OnBoard(f, r) && board[r * 8 + f] == Other(side)) {
        line.push_back(r * 8 + f);
        f += file_step;
        r += row_step;
      }
      if (OnBoard(f, r) && board[r * 8 + f] == side) {
        turned.insert(turned.end(), line.begin(), line.end());
      }
    }
  }
  return turned;
}

std::vector<std::string> SlowReversi::Moves(char side) const {
  std::vector<std::string> moves;
  for (int file = 0; file < 8; ++file) {
    for (int row = 0; row < 8; ++row) {
      if (Turned(side, file, row).empty()) continue;
      moves.push_back({static_cast<char>('a' + file), static_cast<char>('1' + row)});
    }
  }
  return moves;
}

bool SlowReversi::NobodyCanMove() const { return Moves('X').empty() && Moves('O').empty(); }

std::vector<std::string> SlowReversi::Legal() const {
  if (NobodyCanMove() || (max_plies > 0 && plies >= max_plies)) return {};
  const auto moves = Moves(to_move);
  return moves.empty() ? std::vector<std::string>{"pass"} : moves;
}

void SlowReversi::Play(const std::string& action) {
  if (action != "pass") {
    const int file = action[0] - 'a';
    const int row = action[1] - '1';
    for (const int square : Turned(to_move, file, row)) board[square] = to_move;
    board[row * 8 + file] = to_move;
  }
  to_move = Other(to_move);
  ++plies;
}

std::string SlowReversi::Result() const {
  const auto count = [&](char c) { return static_cast<int>(std::ranges::count(board, c)); };
  const int black = count('X');
  const int white = count('O');
  const std::string end = " plies " + std::to_string(plies) + " reason ";
  if (NobodyCanMove()) {
    int score = black - white;
    if (winner_takes_empties && score > 0) score += count('-');
    if (winner_takes_empties && score < 0) score -= count('-');
    const std::string result = black > white ? "+1" : black < white ? "-1" : "0";
    return "result " + result + " score " + std::to_string(score) + end + "discs";
  }
  if (max_plies > 0 && plies >= max_plies) {
    return "result 0 score " + std::to_string(black - white) + end + "max-plies";
  }
  return "result * score 0" + end + "unfinished";
}

}  // namespace qirkat
