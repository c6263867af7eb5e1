// The learner: a network, its optimizer and its moving average, trained on the replay window.
// No LibTorch type leaks out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "envs/core/game_info.h"
#include "models/net_spec.h"
#include "models/tensor_file.h"
#include "models/torch/torch_evaluator.h"
#include "training/config.h"
#include "training/replay_window.h"

namespace qirkat {

inline constexpr char kOptimizerKind[] = "optimizer";  // TensorFile::kind

// Everything that a learner carries from step to step.
struct LearnerState {
  Model weights;         // as trained
  Model average;         // the moving average: what plays
  TensorFile optimizer;  // holds the step count
};

// Means over a batch, named with their units where there are any (learner/losses.h).
struct StepMetrics {
  double loss = 0;  // the weighted sum that is minimized
  double policy_loss_nats = 0, value_loss_nats = 0, score_loss = 0, moves_left_loss = 0;
  double policy_entropy_nats = 0;  // of the target
  double policy_accuracy = 0, value_accuracy = 0;
  double score_error = 0;             // mean absolute, the game's own unit
  double moves_left_error_plies = 0;  // mean absolute
  double gradient_norm = 0;           // before clipping
  double loader_wait_seconds = 0;     // what the step waited for its batch
};

// What the learner's device and precision resolve to here: one device, the first of several; "fp32"
// or "bf16", as fp16 would need its losses scaled. Throws UserError for what is not there.
TorchOptions ResolveLearnerDevice(const LearnerOptions& options);

// Rate of a step (counted from 0): learning_rate, rising linearly over the first warmup_steps,
// falling along half a cosine to final_learning_rate while `progress` goes from 0 to 1 (Loshchilov
// and Hutter 2017).
double LearningRate(const LearnerOptions& options, std::uint64_t step, double progress);

// Training steps that a run has made once its window has seen `rows_seen` rows.
std::uint64_t StepsAfter(const LearnerOptions& options, std::uint64_t rows_seen);

// Runs `work` in a thread of its own in which LibTorch uses `threads` threads, and waits for it;
// rethrows what it throws. Steps are bit-exact for a fixed number of threads.
void RunWithTorchThreads(std::int64_t threads, const std::function<void()>& work);

class Learner {
 public:
  // A network that starts from `initial`. `seed`: of the run. Throws UserError for a device that is
  // not there.
  Learner(const GameInfo& info, const LearnerOptions& options, std::uint64_t seed,
          const Model& initial);
  ~Learner();

  std::uint64_t step() const;
  // Trains on one batch of the window. The batch and its symmetries depend only on the seed, the
  // step and the window. `more`: another step on the same window follows, and the window does not
  // change before it; its batch is assembled meanwhile. Call it within RunWithTorchThreads.
  StepMetrics Step(const ReplayWindow& window, double learning_rate, bool more);

  LearnerState Save() const;
  // Throws UserError naming `where` if the state is of another network or optimizer.
  void Load(const LearnerState& state, const std::string& where);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace qirkat
