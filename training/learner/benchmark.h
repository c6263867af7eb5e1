// How fast the learner is, and how fast a plain loop over the same network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "envs/core/any_line.h"
#include "training/config.h"

namespace qirkat {

struct LearnerBenchmark {
  std::string device, precision;  // of the learner
  std::uint64_t parameters = 0;
  double samples_per_s = 0;            // the learner: sampling, augmentation, batch, step, average
  double reference_samples_per_s = 0;  // float32, contiguous, torch::optim::AdamW, a ready batch
};

// Plays games of random moves for data, then measures both in turns for about `seconds` each.
LearnerBenchmark BenchmarkLearner(const std::shared_ptr<const AnyGame>& game, const NetOptions& net,
                                  const LearnerOptions& options, double seconds);

}  // namespace qirkat
