// The network written once more, slowly and obviously, in double precision, from the weights'
// names.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/tensor_file.h"

namespace qirkat {

struct ReferenceOutput {
  std::vector<double> policy_logits, wdl;
  double score = 0, moves_left = 0;
};
// One row: packed planes and scalars as an evaluator gets them.
ReferenceOutput ReferenceForward(const Model& model, std::span<const std::uint8_t> planes,
                                 std::span<const float> scalars);

// A model whose every weight matters: random norms, heads and biases of order one.
Model RandomModel(const NetSpec& spec, std::uint64_t seed);

// The shape of `spec`'s tensors by name, in the net's order, written down independently of
// LibTorch.
std::vector<NamedTensor> ReferenceTensors(const NetSpec& spec);

}  // namespace qirkat
