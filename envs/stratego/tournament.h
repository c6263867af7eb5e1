// The tournament rules two-squares and more-squares: what they remember and what they forbid.
#pragma once

#include <span>

#include "envs/core/types.h"
#include "envs/stratego/state.h"

namespace qirkat::stratego {

// Whether two-squares or more-squares forbids the player to move, who has no other reason not to,
// the move from -> to. `earlier`: the keys of the arrangements before this one, oldest first, as
// far back as a more-squares counter has been running.
bool TournamentForbids(const State& state, std::span<const Key128> earlier, int from, int to);

// Whether TournamentForbids can be true of any move here.
inline bool TournamentMayForbid(const State& state) {
  return state.walk[state.to_move][3] != kNoSquare || state.chase[state.to_move] >= 2;
}

// Takes note of a move that has just been made on the board by state.to_move.
void RememberMove(State& state, int from, int to, bool was_attack);

}  // namespace qirkat::stratego
