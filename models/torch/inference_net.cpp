#include "models/torch/inference_net.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <string_view>

namespace qirkat {
namespace {

using torch::Tensor;
using Scalars = c10::List<std::optional<at::Scalar>>;

// LibTorch's oneDNN convolutions with what follows them fused in: what torch.compile emits on a
// CPU. They have no C++ declaration, only a name with the dispatcher.
using FusedConv = Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&,
                         at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, std::int64_t,
                         std::string_view, Scalars, std::optional<std::string_view>);
using FusedConvBinary = Tensor(const Tensor&, const Tensor&, const Tensor&,
                               const std::optional<Tensor>&, at::IntArrayRef, at::IntArrayRef,
                               at::IntArrayRef, std::int64_t, std::string_view,
                               std::optional<at::Scalar>, std::optional<std::string_view>, Scalars,
                               std::optional<std::string_view>);
using ReorderWeight = Tensor(const Tensor&, at::IntArrayRef, at::IntArrayRef, at::IntArrayRef,
                             std::int64_t, at::OptionalIntArrayRef);

template <class Signature>
c10::TypedOperatorHandle<Signature> FindOperator(const char* name, const char* overload) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

constexpr std::int64_t kOnes[] = {1, 1};

// The weights of a convolution in oneDNN's own layout.
Tensor Reorder(const Tensor& weight, std::int64_t padding) {
  static const auto reorder =
      FindOperator<ReorderWeight>("mkldnn::_reorder_convolution_weight", "");
  const std::int64_t paddings[] = {padding, padding};
  return reorder.call(weight, paddings, kOnes, kOnes, 1, std::nullopt);
}

Tensor ToSquares(const Tensor& x) { return x.unsqueeze(2).unsqueeze(3); }

}  // namespace

bool CpuComputesBf16() {
  try {
    Reorder(torch::zeros({16, 16, 1, 1}, torch::kBFloat16), 0);
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

InferenceNet::Layer InferenceNet::Pack(const Tensor& weight, const Tensor& bias,
                                       torch::ScalarType type) const {
  Layer layer{.weight = weight.to(device_, type).contiguous(at::MemoryFormat::ChannelsLast),
              .bias = bias.to(device_, type),
              .padding = weight.size(2) / 2};
  if (device_.is_cpu()) layer.weight = Reorder(layer.weight, layer.padding);
  return layer;
}

InferenceNet::Layer InferenceNet::Pack(const torch::nn::Conv2d& conv,
                                       const torch::nn::BatchNorm2d& norm) const {
  const Tensor gain = norm->weight / torch::sqrt(norm->running_var + norm->options.eps());
  return Pack(conv->weight * gain.view({-1, 1, 1, 1}), norm->bias - norm->running_mean * gain,
              type_);
}

InferenceNet::Layer InferenceNet::Pack(const torch::nn::Linear& linear) const {
  return Pack(ToSquares(linear->weight), linear->bias, type_);
}

InferenceNet::InferenceNet(QirkatNetImpl& net, torch::Device device, torch::ScalarType type)
    : device_(device), type_(type), head_channels_(net.spec().net.head_channels) {
  const torch::NoGradGuard no_grad;
  stem_ = Pack(net.stem, net.stem_norm);
  if (net.scalars_in) scalars_in_ = Pack(net.scalars_in);
  for (const ResidualBlock& block : net.blocks) {
    blocks_.push_back({.conv1 = Pack(block->conv1, block->norm1),
                       .conv2 = Pack(block->conv2, block->norm2),
                       .pool = std::nullopt});
    if (block->pool) blocks_.back().pool = Pack(block->pool);
  }
  heads_ = Pack(net.heads, net.heads_norm);
  policy_pool_ = Pack(net.policy_pool);
  if (net.policy) policy_ = Pack(net.policy->weight, net.policy->bias, type_);
  if (net.extras) extras_ = Pack(net.extras);
  value_hidden_ = Pack(net.value_hidden);
  values_ =
      Pack(ToSquares(torch::cat({net.wdl->weight, net.score->weight, net.moves_left->weight})),
           torch::cat({net.wdl->bias, net.score->bias, net.moves_left->bias}), torch::kFloat32);
}

Tensor InferenceNet::Apply(const Layer& layer, const Tensor& x, bool relu) const {
  const std::int64_t padding[] = {layer.padding, layer.padding};
  if (!device_.is_cpu()) {
    Tensor y = at::conv2d(x, layer.weight, layer.bias, kOnes, padding);
    return relu ? y.relu_() : y;
  }
  static const auto conv = FindOperator<FusedConv>("mkldnn::_convolution_pointwise", "");
  return conv.call(x, layer.weight, layer.bias, padding, kOnes, kOnes, 1, relu ? "relu" : "none",
                   Scalars(), "");
}

Tensor InferenceNet::ApplyAddRelu(const Layer& layer, const Tensor& x, const Tensor& other) const {
  if (!device_.is_cpu()) return Apply(layer, x, false).add_(other).relu_();
  static const auto conv =
      FindOperator<FusedConvBinary>("mkldnn::_convolution_pointwise", "binary");
  const std::int64_t padding[] = {layer.padding, layer.padding};
  return conv.call(x, other, layer.weight, layer.bias, padding, kOnes, kOnes, 1, "add", 1.0, "relu",
                   Scalars(), "");
}

Tensor InferenceNet::ApplyBlock(const Block& block, const Tensor& x) const {
  if (!block.pool) return ApplyAddRelu(block.conv2, Apply(block.conv1, x, true), x);
  const Tensor y = Apply(block.conv1, x, false);
  const std::int64_t plain = block.pool->bias.size(0);
  const Tensor pooled = MeanAndMax(y.narrow(1, plain, y.size(1) - plain).relu());
  const Tensor bias = Apply(*block.pool, ToSquares(pooled), false);
  return ApplyAddRelu(block.conv2, (y.narrow(1, 0, plain) + bias).relu_(), x);
}

InferenceNet::Output InferenceNet::Forward(const Tensor& planes, const Tensor& scalars) const {
  const auto options = torch::TensorOptions(device_).dtype(type_);
  Tensor x =
      Apply(stem_, planes.to(options, false, false, at::MemoryFormat::ChannelsLast), !scalars_in_);
  if (scalars_in_) x.add_(Apply(*scalars_in_, ToSquares(scalars.to(options)), false)).relu_();
  for (const Block& block : blocks_) x = ApplyBlock(block, x);

  const Tensor heads = Apply(heads_, x, false);
  const auto head = [&](int k) { return heads.narrow(1, k * head_channels_, head_channels_); };
  const Tensor policy_pooled = ToSquares(MeanAndMax(head(1).relu()));
  const auto host = torch::TensorOptions(torch::kCPU).dtype(torch::kFloat32);
  Output output;
  if (policy_) {
    const Tensor bias = Apply(policy_pool_, policy_pooled, false);
    output.policy = Apply(*policy_, (head(0) + bias).relu_(), false).to(host).contiguous();
  }
  if (extras_) output.extras = Apply(*extras_, policy_pooled, false).to(host).contiguous();
  const Tensor hidden = Apply(value_hidden_, ToSquares(MeanAndMax(head(2).relu())), true);
  output.values = Apply(values_, hidden.to(torch::kFloat32), false).to(host).contiguous();
  return output;
}

}  // namespace qirkat
