// A game of envs/ against its slow reference (reference/reference.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/options.h"
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

// The start of game number `game` of a comparison: a position text, which may be wrong, or "start".
using StartText = std::function<std::string(int game, RandomStream& random)>;
// The weight of the actions of game number `game`, or nothing.
using WeightOfGame = std::function<ActionWeight(int game)>;

// Plays random games on both under each of these rule options and expects that both refuse the same
// starts: 20,000 plies in all, or as many as the environment variable QIRKAT_REFERENCE_PLIES says
// (scripts/test --long).
void CompareWithReference(const std::string& name, const std::vector<OptionTexts>& variants,
                          const StartText& start_of, const WeightOfGame& weight_of = nullptr);

}  // namespace qirkat
