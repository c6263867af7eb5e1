// What a network is trained to say, as one number. Includes LibTorch.
#pragma once

#include <torch/torch.h>

#include "models/torch/net.h"
#include "training/config.h"

namespace qirkat {

// A batch on the learner's device; mover's view, for the player to move.
struct LossTargets {
  torch::Tensor legal;          // bool [B, policy_size]
  torch::Tensor policy;         // [B, policy_size] shares that sum to 1
  torch::Tensor wdl;            // [B, 3] win, draw, loss, sum 1
  torch::Tensor result;         // int64 [B] 0 win, 1 draw, 2 loss
  torch::Tensor score;          // [B] the game's own unit
  torch::Tensor moves_left;     // [B] plies
  torch::Tensor weight;         // [B] of value, score and moves left
  torch::Tensor policy_weight;  // [B]
};

// Means over the batch, weighted by the rows' weights.
struct Losses {
  torch::Tensor total;             // the weighted sum that is minimized
  torch::Tensor policy;            // cross-entropy over the legal actions, nats
  torch::Tensor value;             // cross-entropy of W/D/L, nats
  torch::Tensor score;             // Huber, of score / score scale
  torch::Tensor moves_left;        // Huber, of plies / moves-left scale
  torch::Tensor policy_entropy;    // of the target, nats: the least that `policy` can be
  torch::Tensor policy_accuracy;   // share of rows whose best legal action is the target's best
  torch::Tensor value_accuracy;    // share of rows whose likeliest result is the game's
  torch::Tensor score_error;       // mean absolute error, the game's own unit
  torch::Tensor moves_left_error;  // mean absolute error, plies
};

// The four losses: policy and W/D/L cross-entropy (AlphaZero), score (KataGo) and moves left (Lc0)
// as Huber losses in the net's scaled units with delta 0.5. `output` is float32.
Losses ComputeLosses(const NetOutput& output, const LossTargets& targets, const NetSpec& spec,
                     const LearnerOptions& options);

}  // namespace qirkat
