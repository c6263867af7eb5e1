// The network in the form that is fastest to evaluate: norms folded into the convolutions, linear
// layers as 1 × 1 convolutions, ReLU and residual sum inside the convolution on a CPU. Includes
// LibTorch: for models/torch only.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "models/torch/net.h"

namespace qirkat {

// Whether LibTorch computes bfloat16 convolutions on this CPU at all (it wants AVX-512 or later).
bool CpuComputesBf16();

// Immutable, so threads share one. On a CPU every layer is a oneDNN convolution, whose rows keep
// their bits whatever else is in the batch (measured; the evaluators' contract test holds it).
class InferenceNet {
 public:
  // What the heads say before softmax and softplus, float32 in plain row-major order, on the
  // network's device.
  struct Output {
    torch::Tensor policy;  // [B, policy_planes, rows, columns], undefined if there are none
    torch::Tensor extras;  // [B, policy_extras], undefined if there are none
    torch::Tensor values;  // [B, 5] win, draw, loss logits, score, moves left (QirkatNet's units)
  };

  // `type` is float32, bfloat16 or float16; the last layer of the values is float32 in either case.
  InferenceNet(QirkatNetImpl& net, torch::Device device, torch::ScalarType type, int batch);

  // planes [batch, planes, rows, columns] of 0 and 1 in any type, and scalars [batch, scalars].
  // Wants InferenceMode.
  Output Forward(const torch::Tensor& planes, const torch::Tensor& scalars) const;

 private:
  struct Layer {
    torch::Tensor weight, bias;
    std::int64_t padding = 0;
  };
  struct Block {
    Layer conv1, conv2;
    std::optional<Layer> pool;
  };

  // A convolution over the board.
  Layer PackConv(const torch::Tensor& weight, const torch::Tensor& bias) const;
  Layer PackConv(const torch::nn::Conv2d& conv, const torch::nn::BatchNorm2d& norm) const;
  // A linear layer, as a convolution over a board of one square.
  Layer PackLinear(const torch::Tensor& weight, const torch::Tensor& bias,
                   torch::ScalarType type) const;
  Layer PackLinear(const torch::nn::Linear& linear) const;
  Layer Pack(const torch::Tensor& weight, const torch::Tensor& bias, torch::ScalarType type,
             std::int64_t rows, std::int64_t columns) const;
  torch::Tensor Apply(const Layer& layer, const torch::Tensor& x, bool relu) const;
  torch::Tensor ApplyAddRelu(const Layer& layer, const torch::Tensor& x,
                             const torch::Tensor& other) const;
  torch::Tensor ApplyBlock(const Block& block, const torch::Tensor& x) const;

  torch::Device device_;
  torch::ScalarType type_;
  std::int64_t batch_, rows_, columns_, head_channels_;
  Layer stem_, heads_, policy_pool_, value_hidden_, values_;
  std::optional<Layer> scalars_in_, policy_, extras_;
  std::vector<Block> blocks_;
};

}  // namespace qirkat
