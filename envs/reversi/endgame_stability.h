// Discs of Reversi that nobody can turn any more. The first call makes a table for all edges; later
// ones allocate nothing.
#pragma once

#include "envs/reversi/bitboard.h"

namespace qirkat::reversi {

// Discs of `own` on the four edges that no play on them can turn. Exact as far as each edge is
// looked at alone, with discs of both colours put on its empty squares in any order.
Bitboard StableEdgeDiscs(Bitboard own, Bitboard enemy);

// A set of discs of `own` that are never turned again (not always all of them): stable on an edge,
// or on each of the four lines either no square is empty or a neighbour is in this set.
Bitboard StableDiscs(Bitboard own, Bitboard enemy);

}  // namespace qirkat::reversi
