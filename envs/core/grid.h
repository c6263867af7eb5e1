// Squares, directions and action planes of a board, all known at compile time.
#pragma once

#include <array>
#include <cstdint>

#include "envs/core/types.h"

namespace qirkat {

// The eight directions N, NE, E, SE, S, SW, W, NW. Games of four directions use every second one.
inline constexpr std::array<int, 8> kFileStep = {0, 1, 1, 1, 0, -1, -1, -1};
inline constexpr std::array<int, 8> kRankStep = {1, 1, 0, -1, -1, -1, 0, 1};

// A board of kColumnCount files and kRowCount ranks; square = rank index * columns + file index.
//
// Symmetries are numbered in bits: 1 mirrors left and right, 2 mirrors top and bottom, 4 (square
// boards only) then swaps files and ranks. So 3 is the half turn.
template <int kColumnCount, int kRowCount>
struct Grid {
  static constexpr int kColumns = kColumnCount;
  static constexpr int kRows = kRowCount;
  static constexpr int kSquares = kColumns * kRows;

  // How many squares on one step in each of the eight directions leads.
  static constexpr std::array<int, 8> kStep = [] {
    std::array<int, 8> steps{};
    for (int d = 0; d < 8; ++d) steps[d] = kRankStep[d] * kColumns + kFileStep[d];
    return steps;
  }();

  // The square `distance` steps away in one of the eight directions; -1 off the board.
  static constexpr int Step(int square, int direction, int distance = 1) {
    const int file = square % kColumns + distance * kFileStep[direction];
    const int rank = square / kColumns + distance * kRankStep[direction];
    const bool on_board = file >= 0 && file < kColumns && rank >= 0 && rank < kRows;
    return on_board ? rank * kColumns + file : -1;
  }

  // Where a square is when the board is turned by half a turn.
  static constexpr int HalfTurn(int square) { return kSquares - 1 - square; }

  static constexpr int MapSquare(int symmetry, int square) {
    int file = square % kColumns;
    int rank = square / kColumns;
    if (symmetry & 1) file = kColumns - 1 - file;
    if (symmetry & 2) rank = kRows - 1 - rank;
    return symmetry & 4 ? file * kColumns + rank : rank * kColumns + file;
  }

  // Where one of the eight directions points to.
  static constexpr int MapDirection(int symmetry, int direction) {
    int file_step = kFileStep[direction];
    int rank_step = kRankStep[direction];
    if (symmetry & 1) file_step = -file_step;
    if (symmetry & 2) rank_step = -rank_step;
    if (symmetry & 4) {
      const int swapped = file_step;
      file_step = rank_step;
      rank_step = swapped;
    }
    int mapped = 0;
    while (kFileStep[mapped] != file_step || kRankStep[mapped] != rank_step) ++mapped;
    return mapped;
  }
};

// What an action that moves a piece says. Directions count from N clockwise: 0 … 7, or 0 … 3 in
// games of four directions.
struct MoveAction {
  int kind;
  int direction;
  int distance;  // 1 …
  int from;      // square
};

// The action layout of games whose planes are kind, direction and distance:
// index = ((kind * directions + direction) * distances + distance - 1) * squares + from, and extra
// actions (pass, placements), which no turn of the board changes, after them.
template <class Board, int kKindCount, int kDirectionCount, int kDistanceCount, int kExtraCount>
struct ActionLayout {
  static_assert(kDirectionCount == 4 || kDirectionCount == 8);
  static constexpr int kSquares = Board::kSquares;
  static constexpr int kDirections = kDirectionCount;
  static constexpr int kDistances = kDistanceCount;
  static constexpr int kPlanes = kKindCount * kDirections * kDistances;
  static constexpr int kExtras = kExtraCount;
  static constexpr int kFirstExtra = kPlanes * Board::kSquares;
  static constexpr int kPolicySize = kFirstExtra + kExtras;

  static constexpr Action Encode(const MoveAction& move) {
    const int plane = (move.kind * kDirections + move.direction) * kDistances + move.distance - 1;
    return static_cast<Action>(plane * Board::kSquares + move.from);
  }
  // action < kFirstExtra.
  static constexpr MoveAction Decode(Action action) {
    const int plane = action / Board::kSquares;
    return {plane / (kDirections * kDistances), plane / kDistances % kDirections,
            plane % kDistances + 1, action % Board::kSquares};
  }
  // A direction of the layout among the eight.
  static constexpr int Compass(int direction) { return direction * (8 / kDirections); }

  static constexpr Action Map(int symmetry, Action action) {
    if (action >= kFirstExtra) return action;
    MoveAction move = Decode(action);
    move.direction = Board::MapDirection(symmetry, Compass(move.direction)) / (8 / kDirections);
    move.from = Board::MapSquare(symmetry, move.from);
    return Encode(move);
  }

  // Player 1 sees the board turned by half a turn.
  static constexpr Action MoverView(Action action, Player player) {
    return player == 0 ? action : kHalfTurned[action];
  }

 private:
  static constexpr int kHalfTurnSymmetry = 3;
  static constexpr std::array<Action, kPolicySize> kHalfTurned = [] {
    std::array<Action, kPolicySize> turned{};
    for (int action = 0; action < kPolicySize; ++action) {
      turned[action] = Map(kHalfTurnSymmetry, static_cast<Action>(action));
    }
    return turned;
  }();
};

}  // namespace qirkat
