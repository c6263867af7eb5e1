// A game of envs/ against its slow reference (reference/reference.h).
#pragma once

#include <cstdint>
#include <functional>

#include "envs/core/any_line.h"
#include "envs/core/random.h"
#include "tests/envs/reference/reference.h"

namespace qirkat {

// How much more often than one of weight 1 a legal action is to be played.
using ActionWeight = std::function<std::uint32_t(const AnyLine&, const reference::SlowAction&)>;

// Plays one random game on both from the position they are at and expects the same positions,
// views, legal actions with their indices, and result. Returns its plies; ends early at the first
// difference. Without a weight all legal actions are equally likely.
int PlayBoth(AnyLine& line, reference::SlowGame& slow, RandomStream& random,
             const ActionWeight& weight = nullptr);

// How many plies of a game to compare: 20,000, or what the environment variable
// QIRKAT_REFERENCE_PLIES says (scripts/test --long).
int ReferencePlies();

}  // namespace qirkat
