// Reversi as slowly and plainly as the rules are told: an array of characters, walked square by
// square.
#pragma once

#include <string>
#include <vector>

namespace qirkat {

struct SlowReversi {
  std::string board;  // 64 of 'X', 'O', '-'; a1 b1 … h8
  char to_move = 'X';
  bool winner_takes_empties = false;
  int max_plies = 128;  // 0: no limit
  int plies = 0;

  static SlowReversi FromText(const std::string& text);
  std::string Text() const;

  // Action texts in byte order; empty if the game is over.
  std::vector<std::string> Legal() const;
  void Play(const std::string& action);
  // "result R score S plies N reason X"
  std::string Result() const;

 private:
  bool OnBoard(int file, int row) const { return file >= 0 && file < 8 && row >= 0 && row < 8; }
  std::vector<int> Turned(char side, int file, int row) const;
  std::vector<std::string> Moves(char side) const;
  bool NobodyCanMove() const;
};

}  // namespace qirkat
