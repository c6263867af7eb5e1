// From a folded network to one of whole numbers.
#pragma once

#include <vector>

#include "models/folded_net.h"

namespace qirkat {

// The largest activation of every channel, over positions and squares. Activations behind a ReLU
// start at 0.
struct ActivationRanges {
  std::vector<float> stream;              // [channels] of the residual stream, over all blocks
  std::vector<std::vector<float>> inner;  // of each block: the inputs of its second convolution
};

// The same network for activations that are whole numbers in 0 .. 255: in the tower a channel's
// unit is 1/255 of its range, and nothing but the weights needs a scale, so that other weights need
// no other program. The tower's weights become whole numbers in -max_weight .. max_weight with a
// scale for each output; stem and heads keep float weights, in the units of what they write or
// read. Units are mixed from the channel's range and the whole tensor's, which keeps both
// activations and weights exact (as SmoothQuant does; Xiao et al. 2023).
FoldedNet QuantizeNet(FoldedNet net, const ActivationRanges& ranges, int max_weight);

}  // namespace qirkat
