// Training batches, assembled one step ahead. Includes LibTorch.
#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <future>

#include "envs/core/game_info.h"
#include "training/batch.h"
#include "training/config.h"
#include "training/learner/losses.h"
#include "training/replay_window.h"

namespace qirkat {

// A batch in CPU tensors, allocated once; page-locked if a GPU will read them.
struct HostBatch {
  HostBatch(const GameInfo& info, std::int64_t rows, bool pinned);
  BatchArrays Arrays();

  torch::Tensor planes;   // [B, planes, rows, columns], channels last
  torch::Tensor scalars;  // [B, scalars]
  LossTargets targets;
};

// The batch of a step depends on the seed, the step and the window alone; a thread of its own
// assembles the next one while the step computes.
class BatchLoader {
 public:
  BatchLoader(const GameInfo& info, const LearnerOptions& options, std::uint64_t seed, bool pinned);

  // The batch of `step`, valid until the call after the next. With `more` it starts on step + 1,
  // which must be asked for from the same window, unchanged until then; if another step is asked
  // for, that work is thrown away. Throws what assembling threw.
  const HostBatch& Load(const ReplayWindow& window, std::uint64_t step, bool more);
  // How long the last Load had to wait, or to assemble the batch itself.
  double wait_seconds() const { return wait_seconds_; }

 private:
  void Assemble(const ReplayWindow& window, std::uint64_t step);
  HostBatch& BatchOf(std::uint64_t step) { return batches_[step % batches_.size()]; }

  GameInfo info_;
  LearnerOptions options_;
  std::uint64_t seed_;
  Augmenter augmenter_;
  std::array<HostBatch, 2> batches_;
  // Valid while the batch of next_step_ is made ahead. Its destructor waits, before that of what
  // the thread works on.
  std::future<void> next_;
  std::uint64_t next_step_ = 0;
  double wait_seconds_ = 0;
};

}  // namespace qirkat
