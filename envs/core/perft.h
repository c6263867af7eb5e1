// Counts action sequences: the classic test of move generation.
#pragma once

#include <cstdint>

#include "envs/core/line.h"

namespace qirkat {

namespace internal {

// Without history a position is its state and its ply: nothing is taken back, states are copied.
template <Game G>
std::uint64_t PerftOfState(const typename G::Rules& rules, const typename G::State& state,
                           std::uint32_t ply, int depth) {
  const auto position = G::Examine(rules, state, History{.ply = ply});
  const int size = position.legal.size();
  if (depth == 1) return static_cast<std::uint64_t>(size);
  std::uint64_t count = 0;
  for (int k = 0; k < size; ++k) {
    typename G::State next = state;
    G::Apply(rules, next, position.legal[k]);
    count += PerftOfState<G>(rules, next, ply + 1, depth - 1);
  }
  return count;
}

template <Game G>
std::uint64_t PerftOfLine(Line<G>& line, int depth) {
  const int size = line.legal().size();
  if (depth == 1) return static_cast<std::uint64_t>(size);
  std::uint64_t count = 0;
  for (int k = 0; k < size; ++k) {
    line.Push(line.legal()[k]);
    count += PerftOfLine(line, depth - 1);
    line.Pop();
  }
  return count;
}

}  // namespace internal

// The number of action sequences of exactly `depth` plies from here (1 for depth 0); a game that
// ends earlier adds nothing. The last ply is counted, not played. Leaves the line as it was.
template <Game G>
std::uint64_t Perft(Line<G>& line, int depth) {
  if (depth == 0) return 1;
  if constexpr (G::kSpec.uses_history) {
    return internal::PerftOfLine(line, depth);
  } else {
    return internal::PerftOfState<G>(line.rules(), line.state(), line.ply(), depth);
  }
}

}  // namespace qirkat
