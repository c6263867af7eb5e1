// What a batched run of games reports about itself.
#pragma once

#include <cstdint>

namespace qirkat {

struct SelfPlayStats {
  std::uint64_t games = 0;            // written
  std::uint64_t positions = 0;        // recorded in the written games
  std::uint64_t evaluations = 0;      // rows computed by evaluators
  std::uint64_t terminal_visits = 0;  // leaves that the rules judged, of games that are over
  std::uint64_t batches = 0;          // evaluator calls
  double seconds = 0;
  double writer_wait_seconds = 0;  // workers without any game because the writer was behind
  std::uint64_t tree_bytes = 0;    // largest sum over all slots
  // Where the workers' time went, seconds over all workers.
  double select_seconds = 0, evaluate_seconds = 0;
};

}  // namespace qirkat
