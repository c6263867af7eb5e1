// Monte-Carlo tree search of one game as a resumable machine: it says "evaluate these leaves" or
// "done", and never waits. One thread a search, many searches a thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "envs/core/line.h"
#include "envs/core/random.h"
#include "envs/core/typed_line.h"
#include "models/evaluator.h"
#include "selfplay/search/options.h"

namespace qirkat {

enum class SearchStatus { kNeedsEvaluation, kDone };

// What a finished search says about the root, actions absolute.
struct RootResult {
  struct Edge {
    Action action;
    float prior;          // after temperature, before noise
    std::uint32_t visits;
    float value;          // for the player to move at the root, in [-1, 1]; of visited edges
  };
  std::vector<Edge> edges;
  std::uint32_t visits = 0;   // of the root
  float wdl[3] = {0, 0, 0};   // for player 0
  float score = 0;            // for player 0
};

// The interface that `Search<G>` (selfplay/search/mcts.h) fulfils; the documentation of its calls:
//
//   Search(const SearchOptions&, bool needs_lines)
//   void SetRoot(const Line<G>&)             forget the tree, search this position
//   void Begin(visits, RandomStream* noise)  start a search; noise == nullptr: none (play)
//   SearchStatus Advance()                   select until a leaf needs the evaluator, or done
//   void WriteLeaf(ObservationRow)           the pending leaf's observation
//   const AnyLine* leaf_line(); uint64_t leaf_seed()
//   void Deliver(logits, wdl, score, moves_left)   expand and back up the pending leaf
//   RootResult Result() const
//   Action ChooseAction(temperature, RandomStream&) const
//   void Play(Action)                        move the root, keeping the subtree if reuse_tree
//   SearchStats: evaluations, terminal visits, nodes, bytes

struct SearchStats {
  std::uint64_t evaluations = 0;      // leaves that asked for the evaluator
  std::uint64_t terminal_visits = 0;  // leaves whose value the rules gave
  std::uint64_t nodes = 0;            // in the tree now
  std::uint64_t bytes = 0;            // reserved by the arena
};

}  // namespace qirkat
