// What a run will need, said before it starts.
#pragma once

#include <cstdint>
#include <string>

#include "envs/core/any_line.h"
#include "models/net_spec.h"
#include "training/config.h"

namespace qirkat {

// Rough needs of a whole run, from a few random games.
struct RunEstimate {
  double plies_per_game = 0;
  double positions = 0;         // of the run
  double window_bytes = 0;      // at the end of the run
  double tree_bytes = 0;        // search trees of all slots, `workers` threads
  double data_bytes = 0;        // shards, compressed
  double checkpoint_bytes = 0;  // kept at the end of the run
};
RunEstimate EstimateRun(const RunConfig& config, const AnyGame& game, int workers,
                        std::uint64_t net_parameters);

// One line for RunObserver::OnStart.
std::string EstimateText(const RunEstimate& estimate);

}  // namespace qirkat
