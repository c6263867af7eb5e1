// Games of random moves as self-play would record them, with made-up search targets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "envs/core/any_line.h"
#include "selfplay/data/record.h"

namespace qirkat::test {

// Number `number` of the stream of games of `seed`. Every fifth position has weight 0.
GameRecord RandomGame(const AnyGame& game, std::uint32_t number, std::uint64_t seed);
std::vector<GameRecord> RandomGames(const AnyGame& game, std::uint32_t count, std::uint64_t seed);

}  // namespace qirkat::test
