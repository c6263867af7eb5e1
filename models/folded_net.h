// The network as its layers, ready to compute: norms folded into the convolutions before them. What
// backends without LibTorch start from.
#pragma once

#include <optional>
#include <vector>

#include "models/tensor_file.h"

namespace qirkat {

// A convolution over the board with a square kernel and zero padding; or, with a kernel of 1, a
// linear layer of what belongs to no square.
struct Convolution {
  int in = 0, out = 0, kernel = 1;
  std::vector<float> weight;  // [out, in, kernel, kernel]
  std::vector<float> bias;    // [out]
  // [out] if the weights are whole numbers of int8: what 1 stands for. Empty: they are as they are.
  std::vector<float> scale;
};

// relu(x + conv2(relu(conv1(x)))); in a pooled block conv1 has more outputs than conv2 has inputs,
// and what `pool` makes of their mean and maximum is added to the others before the inner ReLU.
struct FoldedBlock {
  Convolution conv1, conv2;
  std::optional<Convolution> pool;
};

// models/torch/net.h says what the layers are for.
struct FoldedNet {
  NetSpec spec;
  Convolution stem;
  std::optional<Convolution> scalars_in;
  std::vector<FoldedBlock> blocks;
  Convolution heads;  // [policy, pooled for the policy, pooled for the values], head_channels each
  Convolution policy_pool;
  std::optional<Convolution> policy;
  std::optional<Convolution> extras;
  Convolution value_hidden;
  Convolution values;  // win, draw, loss, score, moves left, as the net's units are
};

// Gives the second convolution of every pooled block as many inputs as the tower has channels; the
// weights of the additional ones are 0. Where an even width is faster than a smaller one.
void WidenPooledBlocks(FoldedNet& net);

// Throws UserError if the weights do not fit the spec.
FoldedNet FoldNet(const Model& model);

}  // namespace qirkat
