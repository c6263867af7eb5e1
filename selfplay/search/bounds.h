// What is proven about the result of a position.
#pragma once

#include <cstdint>

#include "envs/core/types.h"

namespace qirkat {

// The result under best play, +1, 0 or -1, lies in [lower, upper] (score bounded search; Cazenave
// and Saffidine 2011). For player 0 unless another player is named.
struct Bounds {
  std::int8_t lower = -1, upper = 1;

  static constexpr Bounds Exactly(std::int8_t result) { return {result, result}; }
  constexpr bool exact() const { return lower == upper; }
  // The same as `player` sees it, and back.
  constexpr Bounds For(Player player) const {
    if (player == 0) return *this;
    return {static_cast<std::int8_t>(-upper), static_cast<std::int8_t>(-lower)};
  }
  friend constexpr bool operator==(const Bounds&, const Bounds&) = default;
};

// Of an action with the bounds `action` in a position with the bounds `position`, both for the
// player to move. Nothing can be learned from an action that cannot be better than what he has for
// sure; where the position is not proven there is another one.
constexpr bool IsSettled(const Bounds& action, const Bounds& position) {
  return action.upper <= position.lower;
}
// And it should not be played if another one is better for sure, or as good for sure where this one
// may be worse.
constexpr bool IsInferior(const Bounds& action, const Bounds& position) {
  return IsSettled(action, position) &&
         (action.lower < position.lower || (position.lower == -1 && position.upper > -1));
}

}  // namespace qirkat
