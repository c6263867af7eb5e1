// A position of Stratego: which piece stands where, what each of them is, and what the rules and
// the players remember of the past.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "envs/core/grid.h"
#include "envs/core/types.h"
#include "envs/core/wide_board.h"
#include "envs/stratego/ranks.h"

namespace qirkat::stratego {

using Board = Grid<10, 10>;
using Squares = WideBoard;
using Lines = WideLines<Board>;

inline constexpr std::uint8_t kNoPiece = 0xFF;
inline constexpr std::uint8_t kNoSquare = 0xFF;
inline constexpr int kPieces = 2 * kPiecesPerPlayer;

// c5 d5 c6 d6 g5 h5 g6 h6.
inline constexpr Squares kLakes = [] {
  Squares lakes = 0;
  for (const int square : {42, 43, 52, 53, 46, 47, 56, 57}) lakes |= WideBit(square);
  return lakes;
}();

// What both players have seen of a piece.
enum Mark : std::uint8_t {
  kMoved = 1,     // "+" in texts
  kShown = 2,     // "!" in texts: it fought
  kMovedFar = 4,  // more than one cell at once, so it is a scout; no text tells that
};

// A physical piece is a number, its identity: player 0's are 0 … 39, player 1's 40 … 79. Both
// players can tell pieces apart, so identities are public; only ranks are hidden. Another possible
// world differs in `rank`, and in what follows from it (`fixed`, `scouts`).
struct State {
  std::array<Squares, 2> pieces{};  // where each player's pieces stand
  Squares fixed = 0;                // where flags and bombs of both players stand
  Squares scouts = 0;               // where scouts of both players stand
  // Under the tournament rules, where each player's pieces have left since the chase began.
  std::array<Squares, 2> trail{};
  Key128 arrangement;                    // key of which piece stands where (PlaceKey)
  std::array<std::uint32_t, 2> chase{};  // the counters of more-squares; 0 under classic rules
  std::uint32_t quiet = 0;               // moves since the last attack
  std::array<std::uint8_t, Board::kSquares> piece = NoPieces();  // by square; kNoPiece: empty
  std::array<Rank, kPieces> rank{};                              // by identity
  std::array<std::uint8_t, kPieces> marks{};                     // by identity, of Mark
  std::array<std::array<std::uint8_t, kRanks>, 2> count{};       // pieces of each rank on the board
  // Under the tournament rules, the squares of each player's piece that moved last: where its last
  // move led to, where it and the moves before it came from. kNoSquare: no such move.
  std::array<std::array<std::uint8_t, 4>, 2> walk = {NoWalk(), NoWalk()};
  Player to_move = 0;
  std::uint8_t placed = 0;                // pieces placed in the setup; kPieces: the play phase
  std::uint8_t placements = 0;            // plies of this record that were placements
  std::array<std::uint8_t, 13> unused{};  // no padding: equal states have equal bytes

  bool in_setup() const { return placed < kPieces; }
  Squares occupied() const { return pieces[0] | pieces[1]; }
  Squares empty() const { return Lines::kFull & ~(occupied() | kLakes); }
  // Whether a more-squares counter runs: only then the past arrangements matter.
  bool chase_runs() const { return (chase[0] | chase[1]) != 0; }

  // Whether both players know what a piece is.
  bool IsKnown(int identity) const { return (marks[identity] & (kShown | kMovedFar)) != 0; }

  // Puts a piece of this identity on an empty square.
  void Put(int square, int identity, Rank new_rank);
  // Takes the piece off a square for good.
  void Remove(int square);
  // Moves a piece to an empty square.
  void Move(int from, int to);

  static constexpr Player OwnerOf(int identity) {
    return identity < kPiecesPerPlayer ? Player{0} : Player{1};
  }

 private:
  static constexpr std::array<std::uint8_t, Board::kSquares> NoPieces() {
    std::array<std::uint8_t, Board::kSquares> none{};
    none.fill(kNoPiece);
    return none;
  }
  static constexpr std::array<std::uint8_t, 4> NoWalk() {
    return {kNoSquare, kNoSquare, kNoSquare, kNoSquare};
  }
};
static_assert(sizeof(State) <= 512);
static_assert(std::is_trivially_copyable_v<State>);
static_assert(std::has_unique_object_representations_v<State>);

// The identity of the piece that is placed on a home square in the setup.
constexpr int HomeIdentity(int square) {
  return square < kPiecesPerPlayer ? square : square - (Board::kSquares - kPieces);
}

// The key of one piece on one square; an arrangement's key is the exclusive or over its pieces.
constexpr Key128 PlaceKey(int identity, int square) {
  const auto place = static_cast<std::uint64_t>(identity * Board::kSquares + square + 1);
  const std::uint64_t mixed = Mix64(place * 0x9E3779B97F4A7C15);
  return {mixed, Mix64(mixed + 0x632BE59BD9B4E019)};
}

inline void State::Put(int square, int identity, Rank new_rank) {
  const Player owner = OwnerOf(identity);
  piece[square] = static_cast<std::uint8_t>(identity);
  rank[identity] = new_rank;
  pieces[owner] |= WideBit(square);
  if (IsFixed(new_rank)) fixed |= WideBit(square);
  if (new_rank == kScout) scouts |= WideBit(square);
  ++count[owner][new_rank];
  arrangement = arrangement ^ PlaceKey(identity, square);
}

inline void State::Remove(int square) {
  const int identity = piece[square];
  const Player owner = OwnerOf(identity);
  const Squares others = ~WideBit(square);
  piece[square] = kNoPiece;
  pieces[owner] &= others;
  fixed &= others;
  scouts &= others;
  --count[owner][rank[identity]];
  arrangement = arrangement ^ PlaceKey(identity, square);
}

inline void State::Move(int from, int to) {
  const int identity = piece[from];
  piece[from] = kNoPiece;
  piece[to] = static_cast<std::uint8_t>(identity);
  const Squares way = WideBit(from) | WideBit(to);
  pieces[OwnerOf(identity)] ^= way;
  if (rank[identity] == kScout) scouts ^= way;
  arrangement = arrangement ^ PlaceKey(identity, from) ^ PlaceKey(identity, to);
}

}  // namespace qirkat::stratego
