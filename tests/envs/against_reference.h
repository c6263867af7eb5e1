// A game of envs/ against its slow reference (reference/reference.h).
#pragma once

#include "envs/core/any_line.h"
#include "envs/core/random.h"
#include "tests/envs/reference/reference.h"

namespace qirkat {

// Plays one random game on both from the position they are at and expects the same positions, legal
// actions with their indices, and result. Returns its plies; ends early at the first difference.
int PlayBoth(AnyLine& line, reference::SlowGame& slow, RandomStream& random);

}  // namespace qirkat
