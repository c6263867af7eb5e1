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

// For an action with the bounds `action` in a position with the bounds `position`, both as the
// player to move sees them. Settled: nothing can be learned from it, because it cannot be better
// than what is there for sure. A position that is not proven has an action that is not settled.
constexpr bool IsSettled(const Bounds& action, const Bounds& position) {
  return action.upper <= position.lower;
}
// Inferior: not to be played, because another one is better for sure, or as good for sure where
// this one may be worse.
constexpr bool IsInferior(const Bounds& action, const Bounds& position) {
  return IsSettled(action, position) &&
         (action.lower < position.lower || (position.lower == -1 && position.upper > -1));
}

}  // namespace qirkat
