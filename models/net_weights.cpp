#include "models/net_weights.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/random.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

// Writes down the tensors of one layer after another.
class TensorList {
 public:
  // A convolution and the norm behind it.
  void NormedConv(const std::string& conv, const std::string& norm, std::int64_t in,
                  std::int64_t out, std::int64_t kernel) {
    Add(parameters_, conv + ".weight", {out, in, kernel, kernel});
    Add(parameters_, norm + ".weight", {out});
    Add(parameters_, norm + ".bias", {out});
    Add(statistics_, norm + ".running_mean", {out});
    Add(statistics_, norm + ".running_var", {out});
  }
  void Conv(const std::string& name, std::int64_t in, std::int64_t out) {
    Add(parameters_, name + ".weight", {out, in, 1, 1});
    Add(parameters_, name + ".bias", {out});
  }
  void Linear(const std::string& name, std::int64_t in, std::int64_t out) {
    Add(parameters_, name + ".weight", {out, in});
    Add(parameters_, name + ".bias", {out});
  }
  std::vector<NamedTensor> Take() {
    std::move(statistics_.begin(), statistics_.end(), std::back_inserter(parameters_));
    return std::move(parameters_);
  }

 private:
  static void Add(std::vector<NamedTensor>& list, std::string name,
                  std::vector<std::int64_t> shape) {
    list.push_back({std::move(name), std::move(shape), {}});
  }
  std::vector<NamedTensor> parameters_, statistics_;
};

std::size_t Elements(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

std::string TensorText(const NamedTensor& tensor) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : tensor.shape) sizes.push_back(std::to_string(size));
  return StrCat(Quoted(tensor.name), " [", Join(sizes, ", "), ']');
}

}  // namespace

std::vector<NamedTensor> NetTensors(const NetSpec& spec) {
  const auto [blocks, channels, pooled_every, head, hidden] = spec.net;
  TensorList list;
  list.NormedConv("stem", "stem_norm", spec.planes(), channels, 3);
  if (spec.scalars() > 0) list.Linear("scalars_in", spec.scalars(), channels);
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::string block = StrCat("block", b);
    const std::int64_t pooled = spec.net.IsPooled(b) ? channels / 4 : 0;
    list.NormedConv(block + ".conv1", block + ".norm1", channels, channels, 3);
    list.NormedConv(block + ".conv2", block + ".norm2", channels - pooled, channels, 3);
    if (pooled > 0) list.Linear(block + ".pool", 2 * pooled, channels - pooled);
  }
  list.NormedConv("heads", "heads_norm", channels, 3 * head, 1);
  list.Linear("policy_pool", 2 * head, head);
  if (spec.policy_planes > 0) list.Conv("policy", head, spec.policy_planes);
  if (spec.policy_extras > 0) list.Linear("extras", 2 * head, spec.policy_extras);
  list.Linear("value_hidden", 2 * head, hidden);
  list.Linear("wdl", hidden, 3);
  list.Linear("score", hidden, 1);
  list.Linear("moves_left", hidden, 1);
  return list.Take();
}

void CheckWeights(const NetSpec& spec, const std::vector<NamedTensor>& weights) {
  const std::vector<NamedTensor> expected = NetTensors(spec);
  if (weights.size() != expected.size()) {
    throw UserError(
        StrCat("the network has ", expected.size(), " tensors, the weights ", weights.size()));
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (weights[i].name != expected[i].name || weights[i].shape != expected[i].shape) {
      throw UserError(StrCat("tensor ", i, " of the weights is ", TensorText(weights[i]),
                             "; the network has ", TensorText(expected[i])));
    }
    QIRKAT_CHECK(weights[i].values.size() == Elements(weights[i].shape), weights[i].name);
  }
}

Model InitialModel(const NetSpec& spec, std::uint64_t seed) {
  constexpr const char* kLastLayers[] = {"policy.weight", "extras.weight", "wdl.weight",
                                         "score.weight", "moves_left.weight"};
  RandomStream random(seed, 0, 0, StreamPurpose::kInitialWeights);
  Model model{.spec = spec, .weights = NetTensors(spec)};
  for (NamedTensor& tensor : model.weights) {
    const std::string& name = tensor.name;
    const std::size_t count = Elements(tensor.shape);
    if (tensor.shape.size() == 1) {
      const bool one = name.ends_with(".running_var") ||
                       (name.ends_with(".weight") && !name.ends_with("norm2.weight"));
      tensor.values.assign(count, one ? 1.0f : 0.0f);
      continue;
    }
    const double fan_in = static_cast<double>(count) / static_cast<double>(tensor.shape[0]);
    const bool last = std::ranges::find(kLastLayers, name) != std::end(kLastLayers);
    const double deviation = (last ? 0.1 : std::sqrt(2.0)) / std::sqrt(fan_in);
    tensor.values.resize(count);
    for (float& value : tensor.values) value = static_cast<float>(deviation * random.Normal());
  }
  return model;
}

}  // namespace qirkat
