// Which action is played after a search.
#pragma once

#include <cstdint>
#include <span>

#include "envs/core/random.h"
#include "selfplay/search/options.h"
#include "selfplay/search/search.h"

namespace qirkat {

// The temperature of the move at this ply of a game (AlphaGo Zero's schedule in two steps).
double MoveTemperature(const SearchOptions& options, std::uint32_t ply);

// Draws an action with probability ∝ visits^(1 / temperature). Temperature 0: the most visits, ties
// by value, then prior, then the earlier edge; draws no random number. If no edge was visited, the
// priors stand for the visits. `edges` is not empty.
Action ChooseByVisits(std::span<const RootResult::Edge> edges, double temperature,
                      RandomStream& random);

}  // namespace qirkat
