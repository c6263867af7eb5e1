// What a search says, whatever the game: `SearchOf<G>` (selfplay/search/worlds.h) makes it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "envs/core/types.h"
#include "selfplay/search/bounds.h"

namespace qirkat {

enum class SearchStatus {
  kNeedsEvaluation,
  kWaits,  // for leaves that are held; there is no other leaf before they are delivered
  kDone
};

// What a search says about the root.
struct RootResult {
  struct Edge {
    Action action;    // absolute
    float prior = 0;  // after temperature, before noise
    std::uint32_t visits = 0;
    float value = 0;  // for the player to move at the root, in [-1, 1]; 0 if not visited
    std::optional<float> stdev =
        {};  // of its visits' values; only if visited, and not of an average
    float score = 0, moves_left = 0;  // as the root's, 0 if not visited
    double weight = 0;                // in the policy target, which is their share; not all are 0
    Bounds bounds = {};               // of the result for player 0
  };
  std::vector<Edge> edges;  // every legal action, in the order of the legal actions
  Player to_move = 0;
  std::uint32_t visits =
      0;  // of the root: its own evaluation (one in each world) + those of the edges
  float wdl[3] = {0, 0, 0};  // probabilities of win, draw, loss for player 0
  float score = 0;           // expected final score for player 0, the game's unit
  float moves_left = 0;      // expected plies to the end
  Bounds bounds = {};        // of the result for player 0; exact: the position is solved
  // The action that the root policy itself plays; none where it is chosen by weight.
  std::optional<Action> choice;
};

struct SearchStats {
  std::uint64_t evaluations = 0;      // leaves that asked for the evaluator, since construction
  std::uint64_t terminal_visits = 0;  // visits whose value was proven, since construction
  std::uint64_t shared_visits = 0;    // visits whose value another path had brought
  std::uint64_t nodes = 0;            // in the tree now
  std::uint64_t bytes = 0;            // reserved for the tree
  bool full = false;                  // the last search ended because the tree has no more room
};

}  // namespace qirkat
