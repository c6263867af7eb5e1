// A checkpoint: everything that a run needs to go on, one directory renamed into place.
#pragma once

#include <cstdint>
#include <filesystem>

#include "training/learner/learner.h"
#include "training/replay_window.h"

namespace qirkat {

// The counters of a run. Random streams are keyed by (seed, generation, game, purpose) and (seed,
// step, purpose), so generation and step are their whole state.
struct RunState {
  std::uint64_t seed = 0;
  std::uint64_t generation = 0;  // finished generations = the number of the net that plays next
  bool learning = false;         // the window already holds the next generation's games
  std::uint64_t step = 0;        // training steps made
  std::uint64_t first_step = 0;  // at which the last generation's learning began
  std::uint64_t games = 0, positions = 0;  // played so far
  WindowManifest window;
  friend bool operator==(const RunState&, const RunState&) = default;
};

struct Checkpoint {
  RunState run;
  LearnerState learner;
};

// Writes `directory` (model.qkt, weights.qkt, optimizer.qkt, state.json) under a temporary name,
// syncs it and renames it into place; a directory that is already there is replaced. Equal
// checkpoints give equal bytes. Throws UserError if it cannot be written.
void WriteCheckpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint);

// Throws UserError that names the file that is missing, truncated, damaged or of another
// checkpoint, and says how to go on.
Checkpoint ReadCheckpoint(const std::filesystem::path& directory);

}  // namespace qirkat
