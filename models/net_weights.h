// The weights of a network, by name: what a model file must hold, and what a new network starts
// with.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tensor_file.h"

namespace qirkat {

// The tensors of such a network without their values, in the order of model files: parameters in
// the order of the layers, then the norms' running statistics. A convolution's weight is [outputs,
// inputs, rows, columns], a linear layer's [outputs, inputs].
std::vector<NamedTensor> NetTensors(const NetSpec& spec);

// Throws UserError if `weights` are not, by name and shape, those of NetTensors.
void CheckWeights(const NetSpec& spec, const std::vector<NamedTensor>& weights);

// A freshly initialized network, drawn from the stream of `seed` alone: normal weights as Kaiming's
// (He et al. 2015), zero biases, norms of gain 1. Two exceptions: the second norm of a block has
// gain 0, so that every block starts as the identity (Goyal et al. 2017), and the last layers of
// the heads are small, so that the first policy is near uniform.
Model InitialModel(const NetSpec& spec, std::uint64_t seed);

}  // namespace qirkat
