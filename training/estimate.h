// What a run will need, said before it starts.
#pragma once

#include <cstdint>
#include <string>

#include "envs/core/any_line.h"
#include "models/net_spec.h"
#include "training/config.h"

namespace qirkat {

// Memory of self-play in bytes, at most about, beside the program itself.
struct SelfPlayMemory {
  double trees = 0;    // search trees of all slots
  double caches = 0;   // evaluation caches
  double batches = 0;  // observations, results and activations of all batches
  double games = 0;    // games being played, and finished ones that wait for the writer
  double total() const { return trees + caches + batches + games; }
};
// `network`: a network evaluates; what needs none gets no cache and has no activations.
SelfPlayMemory EstimateSelfPlayMemory(const RunConfig& config, const AnyGame& game, bool network);
// "memory: search trees 99 MiB, caches 128 MiB, …"
std::string MemoryText(const SelfPlayMemory& memory);

// Rough needs of a whole run, from a few random games.
struct RunEstimate {
  double plies_per_game = 0;
  double positions = 0;     // of the run
  double window_bytes = 0;  // at the end of the run
  SelfPlayMemory selfplay;
  double data_bytes = 0;        // shards, compressed
  double checkpoint_bytes = 0;  // kept at the end of the run
};
RunEstimate EstimateRun(const RunConfig& config, const AnyGame& game, std::uint64_t net_parameters);

// One line for RunObserver::OnStart.
std::string EstimateText(const RunEstimate& estimate);

}  // namespace qirkat
