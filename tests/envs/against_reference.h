// A game of envs/ against its slow reference (reference/reference.h).
#pragma once

#include "envs/core/any_line.h"
#include "envs/core/random.h"
#include "tests/envs/reference/reference.h"

namespace qirkat {

// Plays one random game on both from the position they are at and expects the same positions, legal
// actions with their indices, and result. Returns its plies; ends early at the first difference.
int PlayBoth(AnyLine& line, reference::SlowGame& slow, RandomStream& random);

// How many plies of a game to compare: 20,000, or what the environment variable
// QIRKAT_REFERENCE_PLIES says (scripts/test --long).
int ReferencePlies();

}  // namespace qirkat
