// [search]: how the tree is searched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envs/core/options.h"

namespace qirkat {

struct SearchOptions {
  std::int64_t visits = 100;    // per move, reused visits included
  double cpuct = 1.5;           // exploration constant, AlphaZero's formula
  double cpuct_base = 19652;    // growth of cpuct with visits (AlphaZero)
  double fpu_reduction = 0.25;  // an unvisited edge: parent value − this × sqrt(visited prior)
  double root_fpu_reduction = 0.0;
  double noise_fraction = 0.25;     // Dirichlet noise in the root prior, self-play only
  double noise_total = 10.0;        // alpha = this / legal actions
  double policy_temperature = 1.0;  // of the net's policy at the root
  double temperature = 1.0;         // of the move choice in the first temperature_plies
  std::int64_t temperature_plies = 20;
  double final_temperature = 0.1;  // from then on; 0: most visits
  double score_weight = 0.0;       // share of the score in the value that the search maximizes
  bool reuse_tree = true;          // keep the subtree of the action played
  std::int64_t worlds = 8;         // searched for each move where information is hidden
  static const std::vector<Option<SearchOptions>>& Table();
};

}  // namespace qirkat
