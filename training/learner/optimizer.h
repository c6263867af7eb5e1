// SGD or AdamW and the moving average of the weights, over one flat array. Includes LibTorch.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/tensor_file.h"
#include "models/torch/net.h"
#include "training/config.h"

namespace qirkat {

// Moves the net's parameters, gradients and running statistics into flat arrays, so that an update
// is a few operations whatever the number of layers. The net must outlive the optimizer.
class FlatOptimizer {
 public:
  FlatOptimizer(QirkatNetImpl& net, const LearnerOptions& options);

  void ZeroGradients();
  // Clips the gradient's norm, updates the weights (AdamW: Loshchilov and Hutter 2019; SGD with
  // momentum and L2 decay; only matrices and convolutions decay) and then the moving average of
  // weights and running statistics. Returns the norm before clipping.
  double Step(double learning_rate);

  std::uint64_t step() const { return step_; }
  // The moving average, as NetState names it.
  std::vector<NamedTensor> Average() const;
  void LoadAverage(const std::vector<NamedTensor>& average);
  // Step count and moments, by parameter name. Load throws UserError naming `where` if `file` is of
  // another optimizer or another net.
  TensorFile Save() const;
  void Load(const TensorFile& file, const std::string& where);

 private:
  struct Slice {
    std::string name;
    std::vector<std::int64_t> shape;
    std::int64_t offset, size;  // in the flat arrays
  };
  // The moments that this optimizer keeps: a name and a flat array.
  std::vector<std::pair<std::string, torch::Tensor>> Moments() const;
  NamedTensor Read(const torch::Tensor& flat, const Slice& slice) const;
  void AdamW(double learning_rate);
  void Sgd(double learning_rate);

  LearnerOptions options_;
  std::vector<Slice> slices_;   // parameters first
  std::size_t parameters_ = 0;  // how many slices are parameters
  torch::Tensor state_;         // parameters, then running statistics
  torch::Tensor average_;       // of state_
  torch::Tensor weights_;       // the part of state_ that holds parameters
  torch::Tensor gradients_, decay_;
  torch::Tensor first_, second_;  // moments; second_ only for AdamW
  std::uint64_t step_ = 0;
};

}  // namespace qirkat
