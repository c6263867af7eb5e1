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

// Whether the player to move gains nothing by an action with the bounds `action`, both for him, in
// a position where `position` is proven: it loses, or it cannot be better than what another action
// gives for sure. The proven action itself is no such one.
constexpr bool IsFutile(const Bounds& action, const Bounds& position) {
  return action.upper <= position.lower && (position.lower == -1 || action.lower < position.lower);
}

}  // namespace qirkat
