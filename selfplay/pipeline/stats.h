// What a batched run of games reports about itself.
#pragma once

#include <cstdint>

#include "selfplay/search/phase_clock.h"

namespace qirkat {

struct SelfPlayStats {
  std::uint64_t games = 0;            // written
  std::uint64_t positions = 0;        // recorded in the written games
  std::uint64_t evaluations = 0;      // rows computed by evaluators
  std::uint64_t cache_hits = 0;       // rows that a cache gave instead
  std::uint64_t terminal_visits = 0;  // leaves that the rules judged, of games that are over
  std::uint64_t batches = 0;          // evaluator calls
  double seconds = 0;
  double writer_seconds = 0;     // in the sink, on the writer's own thread
  std::uint64_t tree_bytes = 0;  // reserved by the searches of all slots

  // Of the rows that searches asked for.
  double cache_hits_share() const {
    const auto rows = static_cast<double>(evaluations + cache_hits);
    return rows > 0 ? static_cast<double>(cache_hits) / rows : 0;
  }

  // Where the workers' time went, sums over all workers.
  PhaseTimes phases;
};

}  // namespace qirkat
