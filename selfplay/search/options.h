// [search]: how the tree is searched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envs/core/options.h"

namespace qirkat {

struct SearchOptions {
  std::int64_t visits = 100;    // per move
  std::string root = "puct";    // puct, gumbel: how the root is searched
  double cpuct = 1.5;           // exploration constant, AlphaZero's formula
  double cpuct_base = 19652;    // growth of cpuct with visits (AlphaZero)
  double fpu_reduction = 0.25;  // an unvisited edge: parent value − this × sqrt(visited prior)
  double root_fpu_reduction = 0.0;
  double cpuct_stdev_scale = 0.0;  // how much the spread of the values scales cpuct; 0: not at all
  double cpuct_stdev_prior = 0.4;  // the spread that leaves cpuct as it is
  double cpuct_stdev_prior_weight = 2.0;
  std::int64_t gumbel_actions = 16;   // of the root, drawn by prior and Gumbel noise
  double gumbel_visit_offset = 50.0;  // c_visit
  double gumbel_value_scale = 1.0;    // c_scale
  bool gumbel_inner = false;          // the improved policy selects below the root, too
  double noise_fraction = 0.25;       // Dirichlet noise in the root prior, self-play only
  double noise_total = 10.0;          // sum of the Dirichlet parameters
  double noise_shape = 0.0;           // share of them that the prior shapes
  double forced_playouts = 0.0;       // k of KataGo's forced playouts; 0: none
  double policy_temperature = 1.0;    // of the net's policy at the root
  double temperature = 1.0;           // of the move choice in the first temperature_plies
  std::int64_t temperature_plies = 20;
  double final_temperature = 0.1;  // from then on; 0: the best
  double lcb_stdevs = 5.0;  // at temperature 0: of the lower confidence bound; 0: visits decide
  double lcb_min_visits = 0.15;    // of the most visited action's, to be chosen by its bound
  double score_weight = 0.0;       // share of the score in the value that the search maximizes
  bool solve = true;               // proven results travel up
  std::int64_t solve_empties = 8;  // from here on the game's endgame solver answers; 0: never
  bool graph = false;              // equal positions share a node
  bool reuse_tree = true;          // keep the subtree of the action played
  std::int64_t tree_mib = 4096;    // of nodes and edges
  std::int64_t worlds = 8;         // searched for each move where information is hidden
  static const std::vector<Option<SearchOptions>>& Table();
};

}  // namespace qirkat
