// What stands between the convolutions of the network in training, each with its gradient as one
// operation: on a CPU, for channels-last tensors, by models/norm_kernels.h; elsewhere composed of
// LibTorch's own. Includes LibTorch: for models/torch only.
#pragma once

#include <torch/torch.h>

namespace qirkat {

// norm(x) [B, C, rows, columns]; in training by the batch's statistics, updating the running ones.
torch::Tensor Norm(torch::nn::BatchNorm2d& norm, const torch::Tensor& x);
// relu(norm(x)), or relu(norm(x) + residual) if that is defined.
torch::Tensor NormRelu(torch::nn::BatchNorm2d& norm, const torch::Tensor& x,
                       const torch::Tensor& residual = {});

// relu(x + bias): bias [B, C] is added on every square.
torch::Tensor AddBiasRelu(const torch::Tensor& x, const torch::Tensor& bias);

// [B, C, rows, columns] -> [B, 2C]: each channel's mean of relu(x), then each channel's maximum.
torch::Tensor PoolRelu(const torch::Tensor& x);

}  // namespace qirkat
