// Counters, their limits, and the draws that they and repetition make: the same in every game.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "envs/core/game.h"
#include "envs/core/options.h"
#include "envs/core/types.h"

namespace qirkat {

// The largest counter that a position text may hold, and the largest limit.
inline constexpr std::uint32_t kMaxCounter = 1000000;

// A limit as the rules compare it: reached when a counter is ≥ it.
using Limit = std::uint32_t;
inline constexpr Limit kNoLimit = 0xFFFFFFFF;
// The option's value 0 means no limit.
constexpr Limit MakeLimit(std::int64_t option) {
  return option > 0 ? static_cast<Limit>(option) : kNoLimit;
}

inline OptionFacts LimitFacts(std::string help) {
  return {.min = 0, .max = kMaxCounter, .unit = "plies", .help = std::move(help)};
}

// A counter as a scalar of an observation, 0 … 1; 0 without a limit.
inline float ShareOfLimit(std::uint32_t counter, Limit limit) {
  if (limit == kNoLimit) return 0.0f;
  return static_cast<float>(std::min(counter, limit)) / static_cast<float>(limit);
}

// How often a position in which a turn starts has stood before. `keys` are those of all earlier
// turns since the last irreversible action: the sides alternate, and it takes two turns of both
// players to come back, since every turn but a forced pass changes the board and two forced passes
// in a row end the game.
inline int EarlierOccurrences(std::span<const Key128> keys, const Key128& key) {
  int count = 0;
  for (auto i = static_cast<std::ptrdiff_t>(keys.size()) - 4; i >= 0; i -= 2) {
    count += keys[static_cast<std::size_t>(i)] == key;
  }
  return count;
}

// The key with all earlier turns mixed into it, whatever their order: the full-state key of games
// with repetition. The key itself if there are none.
inline Key128 WithHistory(Key128 key, std::span<const Key128> keys) {
  Key128 past;
  for (const Key128& earlier : keys) {
    const std::uint64_t mixed = HashKey(earlier);
    past.lo += mixed;
    past.hi += Mix64(mixed);
  }
  return key ^ past;
}

// The counters that can end a game as a draw.
struct DrawCounters {
  std::uint32_t quiet;  // plies since the last capture or attack
  Limit quiet_limit;
  std::uint32_t ply;  // plies since the start of the record
  Limit max_plies;

  // Whether play from here can reach max_plies before it ends otherwise, if at most `captures`
  // more captures or attacks can happen: each allows at most quiet_limit plies more.
  bool MaxPliesCanDecide(std::uint32_t captures) const {
    if (max_plies == kNoLimit) return false;
    if (quiet_limit == kNoLimit) return true;
    const std::int64_t quiet_plies = std::int64_t{quiet_limit} * (captures + 1) - quiet;
    return max_plies < ply + quiet_plies;
  }
  // The counters as far as they can decide anything, else 0: what keys and observations hold.
  std::uint32_t DecidingQuiet() const { return quiet_limit == kNoLimit ? 0 : quiet; }
  std::uint32_t DecidingPly(std::uint32_t captures) const {
    return MaxPliesCanDecide(captures) ? ply : 0;
  }
  std::uint64_t DecidingBits(std::uint32_t captures) const {
    return std::uint64_t{DecidingPly(captures)} << 32 | DecidingQuiet();
  }
  // A key with them mixed in.
  Key128 MixedInto(const Key128& key, std::uint32_t captures) const {
    const std::uint64_t mixed = Mix64(DecidingBits(captures) + 0x9E3779B97F4A7C15);
    return key ^ Key128 { mixed, Mix64(mixed) };
  }
};

// The draw that repetition or a counter makes, in the order of the rules; kNone if none does.
// `earlier_occurrences`: of the key that repetition compares, 0 where no turn starts.
inline EndReason DrawReason(int earlier_occurrences, EndReason quiet_reason,
                            const DrawCounters& counters) {
  if (earlier_occurrences >= 2) return EndReason::kRepetition;
  if (counters.quiet >= counters.quiet_limit) return quiet_reason;
  if (counters.ply >= counters.max_plies) return EndReason::kMaxPlies;
  return EndReason::kNone;
}

}  // namespace qirkat
