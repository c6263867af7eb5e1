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

// The same network for activations that are whole numbers in 0 .. 255: a channel's unit is 1/255 of
// its range, folded into the layers that write and read it, so that nothing but the weights needs a
// scale and other weights need no other program. The weights of the tower and of the heads'
// convolution become whole numbers in -max_weight .. max_weight with a scale for each output; the
// stem and what follows the heads keep float weights.
FoldedNet QuantizeNet(FoldedNet net, const ActivationRanges& ranges, int max_weight);

}  // namespace qirkat
