// What a search says, whatever the game: `SearchOf<G>` (selfplay/search/worlds.h) makes it.
#pragma once

#include <cstdint>
#include <vector>

#include "envs/core/types.h"

namespace qirkat {

enum class SearchStatus { kNeedsEvaluation, kDone };

// What a search says about the root.
struct RootResult {
  struct Edge {
    Action action;    // absolute
    float prior = 0;  // after temperature, before noise
    std::uint32_t visits = 0;
    float value = 0;  // for the player to move at the root, in [-1, 1]; 0 if not visited
  };
  std::vector<Edge> edges;   // every legal action, in the order of the legal actions
  std::uint32_t visits = 0;  // of the root: 1 (its own evaluation) + those of the edges
  float wdl[3] = {0, 0, 0};  // probabilities of win, draw, loss for player 0
  float score = 0;           // expected final score for player 0, the game's unit
  float moves_left = 0;      // expected plies to the end
};

struct SearchStats {
  std::uint64_t evaluations = 0;      // leaves that asked for the evaluator, since construction
  std::uint64_t terminal_visits = 0;  // visits whose value the rules gave, since construction
  std::uint64_t nodes = 0;            // in the tree now
  std::uint64_t bytes = 0;            // reserved for the tree
};

}  // namespace qirkat
