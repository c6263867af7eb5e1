// Other possible worlds: what the hidden pieces of a player may be.
#include <algorithm>

#include "envs/stratego/stratego.h"

namespace qirkat::stratego {
namespace {

// The squares of a player's hidden pieces in the order of identities, so that nothing hidden
// decides it: [0] of those that have not moved, [1] of those that have.
std::array<std::vector<int>, 2> HiddenPieces(const State& state, Player owner) {
  std::array<int, kPieces> square_of{};
  std::array<bool, kPieces> stands{};
  ForEachSquare(state.pieces[owner], [&](int square) {
    square_of[state.piece[square]] = square;
    stands[state.piece[square]] = true;
  });
  std::array<std::vector<int>, 2> hidden;
  for (int identity = 0; identity < kPieces; ++identity) {
    if (!stands[identity] || state.IsKnown(identity)) continue;
    hidden[(state.marks[identity] & kMoved) != 0].push_back(square_of[identity]);
  }
  return hidden;
}

void SetRank(State& state, int square, Rank rank) {
  const int identity = state.piece[square];
  state.Remove(square);
  state.Put(square, identity, rank);
}

// Every assignment has the same chance: wherever flags and bombs are, the others can be dealt in
// equally many ways.
State DealRanks(const State& state, Player owner, RandomStream& random) {
  auto [squares, moved] = HiddenPieces(state, owner);
  Shuffle(squares, random);
  squares.insert(squares.end(), moved.begin(), moved.end());

  std::vector<Rank> ranks;
  for (const int square : squares) ranks.push_back(state.rank[state.piece[square]]);
  std::ranges::sort(ranks);  // flags and bombs to the front, for pieces that have not moved
  const auto movable = std::ranges::find_if_not(ranks, IsFixed);
  Shuffle(std::span(movable, ranks.end()), random);

  State world = state;
  for (std::size_t i = 0; i < squares.size(); ++i) SetRank(world, squares[i], ranks[i]);
  return world;
}

}  // namespace

State Stratego::DrawWorld(const Rules&, const State& state, Player player, RandomStream& random) {
  const Player owner = Opponent(player);
  if (state.in_setup() && state.to_move == owner) {
    State world = state;
    const Setup setup = RandomSetup(random);
    for (int n = 0; n < state.placed % kPiecesPerPlayer; ++n) {
      SetRank(world, SetupSquare(owner, n), setup[n]);
    }
    return world;
  }
  // Everybody sees whether the side to move can move.
  const bool is_blocked = Moves(state).empty();
  while (true) {
    const State world = DealRanks(state, owner, random);
    if (Moves(world).empty() == is_blocked) return world;
  }
}

}  // namespace qirkat::stratego
