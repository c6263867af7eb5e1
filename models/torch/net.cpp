#include "models/torch/net.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "envs/core/error.h"
#include "envs/core/random.h"
#include "envs/core/text.h"
#include "models/torch/torch_evaluator.h"

namespace qirkat {
namespace {

namespace nn = torch::nn;

nn::Conv2d MakeConv(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).padding(kernel / 2).bias(bias));
}

}  // namespace

torch::Tensor MeanAndMax(const torch::Tensor& x) {
  return torch::cat({x.mean({2, 3}), x.amax({2, 3})}, 1);
}

ResidualBlockImpl::ResidualBlockImpl(std::int64_t channels, bool pooled)
    : pooled_channels(pooled ? channels / 4 : 0) {
  const std::int64_t plain = channels - pooled_channels;
  conv1 = register_module("conv1", MakeConv(channels, channels, 3, false));
  norm1 = register_module("norm1", nn::BatchNorm2d(channels));
  conv2 = register_module("conv2", MakeConv(plain, channels, 3, false));
  norm2 = register_module("norm2", nn::BatchNorm2d(channels));
  if (pooled) pool = register_module("pool", nn::Linear(2 * pooled_channels, plain));
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x) {
  torch::Tensor y = norm1(conv1(x));
  if (pooled_channels > 0) {
    const std::int64_t plain = y.size(1) - pooled_channels;
    const torch::Tensor pooled = torch::relu(y.narrow(1, plain, pooled_channels));
    y = y.narrow(1, 0, plain) + pool(MeanAndMax(pooled)).unsqueeze(2).unsqueeze(3);
  }
  return torch::relu(x + norm2(conv2(torch::relu(y))));
}

QirkatNetImpl::QirkatNetImpl(const NetSpec& spec) : spec_(spec) {
  const NetOptions& net = spec.net;
  const std::int64_t head = net.head_channels;
  stem = register_module("stem", MakeConv(spec.planes(), net.channels, 3, false));
  stem_norm = register_module("stem_norm", nn::BatchNorm2d(net.channels));
  if (spec.scalars() > 0) {
    scalars_in = register_module("scalars_in", nn::Linear(spec.scalars(), net.channels));
  }
  for (std::int64_t b = 0; b < net.blocks; ++b) {
    const bool pooled = net.pooled_every > 0 && (b + 1) % net.pooled_every == 0;
    blocks.push_back(register_module(StrCat("block", b), ResidualBlock(net.channels, pooled)));
  }
  heads = register_module("heads", MakeConv(net.channels, 3 * head, 1, false));
  heads_norm = register_module("heads_norm", nn::BatchNorm2d(3 * head));
  policy_pool = register_module("policy_pool", nn::Linear(2 * head, head));
  if (spec.policy_planes > 0) {
    policy = register_module("policy", MakeConv(head, spec.policy_planes, 1, true));
  }
  if (spec.policy_extras > 0) {
    extras = register_module("extras", nn::Linear(2 * head, spec.policy_extras));
  }
  value_hidden = register_module("value_hidden", nn::Linear(2 * head, net.value_hidden));
  wdl = register_module("wdl", nn::Linear(net.value_hidden, 3));
  score = register_module("score", nn::Linear(net.value_hidden, 1));
  moves_left = register_module("moves_left", nn::Linear(net.value_hidden, 1));
}

NetOutput QirkatNetImpl::forward(const torch::Tensor& planes, const torch::Tensor& scalars) {
  torch::Tensor x = stem_norm(stem(planes));
  if (scalars_in) x = x + scalars_in(scalars).unsqueeze(2).unsqueeze(3);
  x = torch::relu(x);
  for (ResidualBlock& block : blocks) x = block(x);

  const std::vector<torch::Tensor> head = heads_norm(heads(x)).chunk(3, 1);
  const torch::Tensor policy_pooled = MeanAndMax(torch::relu(head[1]));
  std::vector<torch::Tensor> logits;
  if (policy) {
    const torch::Tensor bias = policy_pool(policy_pooled).unsqueeze(2).unsqueeze(3);
    logits.push_back(policy(torch::relu(head[0] + bias)).flatten(1));
  }
  if (extras) logits.push_back(extras(policy_pooled));
  const torch::Tensor hidden = torch::relu(value_hidden(MeanAndMax(torch::relu(head[2]))));
  return {.policy_logits = torch::cat(logits, 1),
          .wdl_logits = wdl(hidden),
          .score = score(hidden).squeeze(1),
          .moves_left = torch::softplus(moves_left(hidden)).squeeze(1)};
}

std::vector<std::pair<std::string, torch::Tensor>> NetState(QirkatNetImpl& net) {
  std::vector<std::pair<std::string, torch::Tensor>> state;
  for (const auto& item : net.named_parameters()) state.emplace_back(item.key(), item.value());
  for (const auto& item : net.named_buffers()) {
    if (item.value().is_floating_point()) state.emplace_back(item.key(), item.value());
  }
  return state;
}

Model ModelFromNet(QirkatNetImpl& net) {
  Model model{.spec = net.spec(), .weights = {}};
  for (const auto& [name, tensor] : NetState(net)) {
    const torch::Tensor flat = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
    const float* data = flat.const_data_ptr<float>();
    model.weights.push_back({name, tensor.sizes().vec(), {data, data + flat.numel()}});
  }
  return model;
}

void LoadWeights(const std::vector<NamedTensor>& weights, QirkatNetImpl& net) {
  const torch::NoGradGuard no_grad;
  const auto state = NetState(net);
  if (weights.size() != state.size()) {
    throw UserError(
        StrCat("the network has ", state.size(), " tensors, the weights ", weights.size()));
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    const auto& [name, tensor] = state[i];
    const NamedTensor& from = weights[i];
    if (from.name != name || tensor.sizes() != c10::IntArrayRef(from.shape)) {
      throw UserError(StrCat("tensor ", i, " of the weights is ", Quoted(from.name), ' ',
                             c10::IntArrayRef(from.shape), "; the network has ", Quoted(name), ' ',
                             tensor.sizes()));
    }
    QIRKAT_CHECK(static_cast<std::int64_t>(from.values.size()) == tensor.numel(), name);
    // The view's strides are those of a plain row-major array, whatever the tensor's are.
    tensor.copy_(torch::from_blob(const_cast<float*>(from.values.data()), tensor.sizes()));
  }
}

QirkatNet NetFromModel(const Model& model) {
  QirkatNet net(model.spec);
  LoadWeights(model.weights, *net);
  net->eval();
  return net;
}

// Kaiming's normal weights (He et al. 2015), zero biases, norms of gain 1. Two exceptions: the
// second norm of a block has gain 0, so that every block starts as the identity (Goyal et al.
// 2017), and the last layers of the heads are small, so that the first policy is near uniform.
Model InitialModel(const NetSpec& spec, std::uint64_t seed) {
  QirkatNet net(spec);
  const torch::NoGradGuard no_grad;
  RandomStream random(seed, 0, 0, StreamPurpose::kInitialWeights);
  constexpr const char* kLastLayers[] = {"policy.weight", "extras.weight", "wdl.weight",
                                         "score.weight", "moves_left.weight"};
  for (const auto& item : net->named_parameters()) {
    torch::Tensor tensor = item.value();
    const std::string& name = item.key();
    if (tensor.dim() == 1) {
      const bool gain = name.ends_with(".weight");
      tensor.fill_(gain && !name.ends_with("norm2.weight") ? 1.0 : 0.0);
      continue;
    }
    const double fan_in = static_cast<double>(tensor.numel() / tensor.size(0));
    const bool last = std::ranges::find(kLastLayers, name) != std::end(kLastLayers);
    const double deviation = (last ? 0.1 : std::sqrt(2.0)) / std::sqrt(fan_in);
    float* values = tensor.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      values[i] = static_cast<float>(deviation * random.Normal());
    }
  }
  return ModelFromNet(*net);
}

}  // namespace qirkat
