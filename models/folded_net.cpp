#include "models/folded_net.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/net_weights.h"

namespace qirkat {
namespace {

constexpr float kNormEpsilon = 1e-5f;  // LibTorch's default

class WeightTable {
 public:
  explicit WeightTable(const std::vector<NamedTensor>& weights) {
    for (const NamedTensor& tensor : weights) by_name_[tensor.name] = &tensor;
  }

  // A convolution or linear layer; without a bias of its own, zeros stand in.
  Convolution Conv(const std::string& name) const {
    const NamedTensor& weight = Get(name + ".weight");
    return {.in = static_cast<int>(weight.shape[1]),
            .out = static_cast<int>(weight.shape[0]),
            .kernel = weight.shape.size() > 2 ? static_cast<int>(weight.shape[2]) : 1,
            .weight = weight.values,
            .bias = by_name_.contains(name + ".bias")
                        ? Get(name + ".bias").values
                        : std::vector<float>(static_cast<std::size_t>(weight.shape[0])),
            .scale = {}};
  }

  // A convolution without bias, with the norm behind it.
  Convolution Conv(const std::string& name, const std::string& norm) const {
    Convolution conv = Conv(name);
    const auto& gain = Get(norm + ".weight").values;
    const auto& shift = Get(norm + ".bias").values;
    const auto& mean = Get(norm + ".running_mean").values;
    const auto& variance = Get(norm + ".running_var").values;
    const std::size_t row = conv.weight.size() / static_cast<std::size_t>(conv.out);
    for (std::size_t o = 0; o < conv.bias.size(); ++o) {
      const float factor = gain[o] / std::sqrt(variance[o] + kNormEpsilon);
      for (std::size_t i = 0; i < row; ++i) conv.weight[o * row + i] *= factor;
      conv.bias[o] = shift[o] - mean[o] * factor;
    }
    return conv;
  }

 private:
  const NamedTensor& Get(const std::string& name) const {
    const auto found = by_name_.find(name);
    QIRKAT_CHECK(found != by_name_.end(), name);
    return *found->second;
  }
  std::map<std::string, const NamedTensor*> by_name_;
};

// Layers with the same input, one below the other.
Convolution Stack(Convolution first, const Convolution& second) {
  first.weight.insert(first.weight.end(), second.weight.begin(), second.weight.end());
  first.bias.insert(first.bias.end(), second.bias.begin(), second.bias.end());
  first.out += second.out;
  return first;
}

}  // namespace

FoldedNet FoldNet(const Model& model) {
  CheckWeights(model.spec, model.weights);
  const WeightTable weights(model.weights);
  const NetSpec& spec = model.spec;
  FoldedNet net;
  net.spec = spec;
  net.stem = weights.Conv("stem", "stem_norm");
  if (spec.scalars() > 0) net.scalars_in = weights.Conv("scalars_in");
  for (std::int64_t b = 0; b < spec.net.blocks; ++b) {
    const std::string block = StrCat("block", b);
    net.blocks.push_back({.conv1 = weights.Conv(block + ".conv1", block + ".norm1"),
                          .conv2 = weights.Conv(block + ".conv2", block + ".norm2"),
                          .pool = {}});
    if (spec.net.IsPooled(b)) net.blocks.back().pool = weights.Conv(block + ".pool");
  }
  net.heads = weights.Conv("heads", "heads_norm");
  net.policy_pool = weights.Conv("policy_pool");
  if (spec.policy_planes > 0) net.policy = weights.Conv("policy");
  if (spec.policy_extras > 0) net.extras = weights.Conv("extras");
  net.value_hidden = weights.Conv("value_hidden");
  net.values = Stack(Stack(weights.Conv("wdl"), weights.Conv("score")), weights.Conv("moves_left"));
  return net;
}

void WidenPooledBlocks(FoldedNet& net) {
  for (FoldedBlock& block : net.blocks) {
    if (!block.pool) continue;
    Convolution& conv = block.conv2;
    const std::size_t squares = static_cast<std::size_t>(conv.kernel * conv.kernel);
    std::vector<float> weight(squares * conv.out * block.conv1.out);
    for (int o = 0; o < conv.out; ++o) {
      std::copy_n(conv.weight.begin() + static_cast<std::ptrdiff_t>(squares * conv.in * o),
                  squares * conv.in,
                  weight.begin() + static_cast<std::ptrdiff_t>(squares * block.conv1.out * o));
    }
    conv.weight = std::move(weight);
    conv.in = block.conv1.out;
  }
}

}  // namespace qirkat
