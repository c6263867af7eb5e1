#include "models/onednn/quantize.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "envs/core/error.h"

namespace qirkat {
namespace {

constexpr float kLevels = 255;

// What 1 stands for in each channel. A channel that is hardly ever used gets no unit of nearly 0:
// the positions of calibration may have missed where it is.
std::vector<float> Units(std::span<const float> ranges) {
  const float largest = *std::ranges::max_element(ranges);
  const float least = largest > 0 ? largest / 100 : 1;
  std::vector<float> units;
  for (const float range : ranges) units.push_back(std::max(range, least) / kLevels);
  return units;
}

void MultiplyInputs(Convolution& conv, std::span<const float> units) {
  QIRKAT_CHECK(static_cast<std::size_t>(conv.in) == units.size(), conv.in, units.size());
  const int squares = conv.kernel * conv.kernel;
  float* weight = conv.weight.data();
  for (int o = 0; o < conv.out; ++o) {
    for (int i = 0; i < conv.in; ++i, weight += squares) {
      for (int s = 0; s < squares; ++s) weight[s] *= units[i];
    }
  }
}

// Writes the first outputs of a layer, as many as there are units, in these units.
void DivideOutputs(Convolution& layer, std::span<const float> units) {
  const std::size_t row = layer.weight.size() / layer.bias.size();
  for (std::size_t o = 0; o < units.size(); ++o) {
    for (std::size_t i = 0; i < row; ++i) layer.weight[o * row + i] /= units[o];
    layer.bias[o] /= units[o];
  }
}

void RoundWeights(Convolution& conv, int max_weight) {
  const std::size_t row = conv.weight.size() / conv.bias.size();
  for (int o = 0; o < conv.out; ++o) {
    const auto weights = std::span(conv.weight).subspan(o * row, row);
    float largest = 0;
    for (const float weight : weights) largest = std::max(largest, std::abs(weight));
    const float scale = largest > 0 ? largest / static_cast<float>(max_weight) : 1;
    for (float& weight : weights) weight = std::round(weight / scale);
    conv.scale.push_back(scale);
  }
}

}  // namespace

FoldedNet QuantizeNet(FoldedNet net, const ActivationRanges& ranges, int max_weight) {
  QIRKAT_CHECK(ranges.inner.size() == net.blocks.size(), ranges.inner.size(), net.blocks.size());
  const std::vector<float> stream = Units(ranges.stream);
  DivideOutputs(net.stem, stream);
  if (net.scalars_in) DivideOutputs(*net.scalars_in, stream);
  for (std::size_t b = 0; b < net.blocks.size(); ++b) {
    FoldedBlock& block = net.blocks[b];
    const std::vector<float> inner = Units(ranges.inner[b]);
    MultiplyInputs(block.conv1, stream);
    DivideOutputs(block.conv1, inner);
    if (block.pool) DivideOutputs(*block.pool, inner);
    MultiplyInputs(block.conv2, inner);
    DivideOutputs(block.conv2, stream);
    RoundWeights(block.conv1, max_weight);
    RoundWeights(block.conv2, max_weight);
  }
  MultiplyInputs(net.heads, stream);
  RoundWeights(net.heads, max_weight);
  return net;
}

}  // namespace qirkat
