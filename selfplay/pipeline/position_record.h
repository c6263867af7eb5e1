// How a position of a game being played becomes a training row.
#pragma once

#include "envs/core/any_line.h"
#include "envs/core/game_info.h"
#include "selfplay/data/record.h"
#include "selfplay/search/search.h"

namespace qirkat {

inline constexpr std::uint16_t kAllShares = 65535;  // what a row's policy shares sum to

// Observation, legal mask, player, ply and symmetries of the position where `line` stands.
PositionRecord DescribePosition(const AnyLine& line, const GameInfo& info);

// Policy target and root W/D/L from a finished search of the position where `line` stands: the
// shares of the result's weights.
void SetSearchTarget(const RootResult& root, const AnyLine& line, bool full_search,
                     PositionRecord& position);

// Gives every forced position of a game that is over the W/D/L of the position that follows it: the
// next searched one, else the game's result.
void FillForcedValues(GameRecord& game);

}  // namespace qirkat
