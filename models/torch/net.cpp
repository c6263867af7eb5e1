#include "models/torch/net.h"

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/net_weights.h"
#include "models/torch/fused_ops.h"

namespace qirkat {
namespace {

namespace nn = torch::nn;

nn::Conv2d MakeConv(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).padding(kernel / 2).bias(bias));
}

}  // namespace

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
  torch::Tensor y = conv1(x);
  if (pooled_channels > 0) {
    const std::vector<torch::Tensor> parts =
        Norm(norm1, y).split_with_sizes({y.size(1) - pooled_channels, pooled_channels}, 1);
    y = AddBiasRelu(parts[0], pool(PoolRelu(parts[1])));
  } else {
    y = NormRelu(norm1, y);
  }
  return NormRelu(norm2, conv2(y), x);
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
    const ResidualBlock block(net.channels, net.IsPooled(b));
    blocks.push_back(register_module(StrCat("block", b), block));
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
  const torch::Tensor y = stem(planes);
  torch::Tensor x =
      scalars_in ? AddBiasRelu(Norm(stem_norm, y), scalars_in(scalars)) : NormRelu(stem_norm, y);
  for (ResidualBlock& block : blocks) x = block(x);

  const std::vector<torch::Tensor> head = Norm(heads_norm, heads(x)).chunk(3, 1);
  const torch::Tensor policy_pooled = PoolRelu(head[1]);
  std::vector<torch::Tensor> logits;
  if (policy) {
    logits.push_back(policy(AddBiasRelu(head[0], policy_pool(policy_pooled))).flatten(1));
  }
  if (extras) logits.push_back(extras(policy_pooled));
  const torch::Tensor hidden = torch::relu(value_hidden(PoolRelu(head[2])));
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
  CheckWeights(net.spec(), weights);
  const auto state = NetState(net);
  QIRKAT_CHECK(state.size() == weights.size(), state.size(), weights.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    const auto& [name, tensor] = state[i];
    const NamedTensor& from = weights[i];
    QIRKAT_CHECK(from.name == name && tensor.sizes() == c10::IntArrayRef(from.shape), name);
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

}  // namespace qirkat
