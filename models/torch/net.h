// The network as a LibTorch module, for the evaluator and the learner. Includes LibTorch: include
// it only from models/torch and training/learner.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/net_spec.h"
#include "models/tensor_file.h"

namespace qirkat {

// What the heads say, for the player to move.
struct NetOutput {
  torch::Tensor policy_logits;  // [B, policy_size], plane * squares + square, then the extras
  torch::Tensor wdl_logits;     // [B, 3] win, draw, loss
  torch::Tensor score;          // [B] expected final score / spec.score_scale()
  torch::Tensor moves_left;     // [B] expected plies to the end / NetSpec::kMovesLeftScale, >= 0
};

// A residual block: conv, norm, ReLU, conv, norm, plus the input, ReLU (He et al. 2016). A pooled
// block spends a quarter of its first convolution's channels on global pooling: their mean and
// maximum over the board go through a linear layer and are added to the other channels (Wu 2019,
// §3.3).
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(std::int64_t channels, bool pooled);
  torch::Tensor forward(const torch::Tensor& x);  // [B, channels, rows, columns] -> the same

  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr};
  torch::nn::BatchNorm2d norm1{nullptr}, norm2{nullptr};
  torch::nn::Linear pool{
      nullptr};  // of pooled blocks: [mean, max] of pooled_channels -> the others
  std::int64_t pooled_channels = 0;
};
TORCH_MODULE(ResidualBlock);

// Stem (3 × 3 convolution of the planes, plus a linear layer of the scalars on every square),
// tower, and one 1 × 1 convolution for all heads, whose 3 × head_channels are: what the policy says
// on each square, what it pools over the board, what the values pool.
class QirkatNetImpl : public torch::nn::Module {
 public:
  explicit QirkatNetImpl(const NetSpec& spec);
  // planes [B, planes, rows, columns] of 0 and 1, scalars [B, scalars].
  NetOutput forward(const torch::Tensor& planes, const torch::Tensor& scalars);
  const NetSpec& spec() const { return spec_; }

  torch::nn::Conv2d stem{nullptr}, heads{nullptr}, policy{nullptr};
  torch::nn::BatchNorm2d stem_norm{nullptr}, heads_norm{nullptr};
  torch::nn::Linear scalars_in{nullptr}, policy_pool{nullptr}, extras{nullptr};
  torch::nn::Linear value_hidden{nullptr}, wdl{nullptr}, score{nullptr}, moves_left{nullptr};
  std::vector<ResidualBlock> blocks;

 private:
  NetSpec spec_;
};
TORCH_MODULE(QirkatNet);

// Parameters, then the norms' running means and variances, by name in the net's fixed order: all
// that a model file holds, and what EMA averages. (The norms' batch counters decide nothing.)
std::vector<std::pair<std::string, torch::Tensor>> NetState(QirkatNetImpl& net);

Model ModelFromNet(QirkatNetImpl& net);
// Copies the weights into a net of the same spec. Throws UserError if a name or shape differs.
void LoadWeights(const std::vector<NamedTensor>& weights, QirkatNetImpl& net);
// In evaluation mode. Throws UserError if the weights do not fit the spec.
QirkatNet NetFromModel(const Model& model);

}  // namespace qirkat
