// The numbers that a run reports, by name with the unit in the name.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "selfplay/data/record.h"
#include "selfplay/pipeline/self_play.h"
#include "training/learner/learner.h"
#include "training/replay_window.h"

namespace qirkat {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// Counts over the games of a generation.
struct GameCounts {
  std::uint64_t games = 0, positions = 0, plies = 0;
  std::uint64_t wins_0 = 0, draws = 0, wins_1 = 0;  // of player 0, of player 1
  void Add(const GameRecord& game);
};

// "selfplay/…" and "window/…". Rates only if games were played (stats.games > 0).
NamedNumbers SelfPlayMetrics(const GameCounts& counts, const SelfPlayStats& stats,
                             const ReplayWindow& window);

// Means of training steps: "learner/…".
class LearnerMetrics {
 public:
  void Add(const StepMetrics& step);
  std::uint64_t steps() const { return steps_; }
  // Means since the last call, which starts over.
  NamedNumbers Take(double learning_rate, double samples_per_s);

 private:
  std::vector<double> sums_;
  std::uint64_t steps_ = 0;
};

}  // namespace qirkat
