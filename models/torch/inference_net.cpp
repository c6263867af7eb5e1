#include "models/torch/inference_net.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <string_view>

#include "envs/core/error.h"
#include "models/row_kernels.h"
#include "models/torch/fused_ops.h"

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

// The weights of a convolution in the layout that oneDNN wants for an input of this shape.
Tensor Reorder(const Tensor& weight, std::int64_t padding, at::IntArrayRef input) {
  static const auto reorder =
      FindOperator<ReorderWeight>("mkldnn::_reorder_convolution_weight", "");
  const std::int64_t paddings[] = {padding, padding};
  return reorder.call(weight, paddings, kOnes, kOnes, 1, input);
}

Tensor ToSquares(const Tensor& x) { return x.unsqueeze(2).unsqueeze(3); }

template <class T>
ChannelSlice<T> Slice(const Tensor& x, std::int64_t first, std::int64_t channels) {
  QIRKAT_CHECK(x.is_contiguous(at::MemoryFormat::ChannelsLast), x.sizes(), x.strides());
  return {.data = static_cast<const T*>(x.const_data_ptr()) + first,
          .rows = x.size(0),
          .squares = x.size(2) * x.size(3),
          .channels = channels,
          .stride = x.size(1)};
}

// relu(x) of these channels, pooled: [B, C, rows, columns] -> [B, 2 * channels, 1, 1].
Tensor PoolRelu(const Tensor& x, std::int64_t first, std::int64_t channels) {
  if (!x.is_cpu()) return ToSquares(qirkat::PoolRelu(x.narrow(1, first, channels)));
  Tensor out = at::empty({x.size(0), 2 * channels, 1, 1}, x.options());
  if (x.scalar_type() == torch::kFloat32) {
    PoolRelu(Slice<float>(x, first, channels), static_cast<float*>(out.mutable_data_ptr()));
  } else {
    PoolRelu(Slice<Bf16>(x, first, channels), static_cast<Bf16*>(out.mutable_data_ptr()));
  }
  return out;
}

// relu(x + bias) of these channels; bias [B, channels, 1, 1].
Tensor AddBiasRelu(const Tensor& x, std::int64_t first, const Tensor& bias) {
  const std::int64_t channels = bias.size(1);
  if (!x.is_cpu()) return (x.narrow(1, first, channels) + bias).relu_();
  QIRKAT_CHECK(bias.is_contiguous(), bias.strides());
  Tensor out = at::empty({x.size(0), channels, x.size(2), x.size(3)}, x.options(),
                         at::MemoryFormat::ChannelsLast);
  if (x.scalar_type() == torch::kFloat32) {
    AddBiasRelu(Slice<float>(x, first, channels), static_cast<const float*>(bias.const_data_ptr()),
                static_cast<float*>(out.mutable_data_ptr()), channels);
  } else {
    AddBiasRelu(Slice<Bf16>(x, first, channels), static_cast<const Bf16*>(bias.const_data_ptr()),
                static_cast<Bf16*>(out.mutable_data_ptr()), channels);
  }
  return out;
}

}  // namespace

bool CpuComputesBf16() {
  try {
    Reorder(torch::zeros({16, 16, 1, 1}, torch::kBFloat16), 0, {1, 16, 1, 1});
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

InferenceNet::Layer InferenceNet::Pack(const Tensor& weight, const Tensor& bias,
                                       torch::ScalarType type, std::int64_t rows,
                                       std::int64_t columns) const {
  Layer layer{.weight = weight.to(device_, type).contiguous(at::MemoryFormat::ChannelsLast),
              .bias = bias.to(device_, type),
              .padding = weight.size(2) / 2};
  if (device_.is_cpu()) {
    const std::int64_t input[] = {batch_, weight.size(1), rows, columns};
    layer.weight = Reorder(layer.weight, layer.padding, input);
  }
  return layer;
}

InferenceNet::Layer InferenceNet::PackConv(const Tensor& weight, const Tensor& bias) const {
  return Pack(weight, bias, type_, rows_, columns_);
}

InferenceNet::Layer InferenceNet::PackConv(const torch::nn::Conv2d& conv,
                                           const torch::nn::BatchNorm2d& norm) const {
  const Tensor gain = norm->weight / torch::sqrt(norm->running_var + norm->options.eps());
  return PackConv(conv->weight * gain.view({-1, 1, 1, 1}), norm->bias - norm->running_mean * gain);
}

InferenceNet::Layer InferenceNet::PackLinear(const Tensor& weight, const Tensor& bias,
                                             torch::ScalarType type) const {
  return Pack(ToSquares(weight), bias, type, 1, 1);
}

InferenceNet::Layer InferenceNet::PackLinear(const torch::nn::Linear& linear) const {
  return PackLinear(linear->weight, linear->bias, type_);
}

InferenceNet::InferenceNet(QirkatNetImpl& net, torch::Device device, torch::ScalarType type,
                           int batch)
    : device_(device),
      type_(type),
      batch_(batch),
      rows_(net.spec().rows),
      columns_(net.spec().columns),
      head_channels_(net.spec().net.head_channels) {
  const torch::NoGradGuard no_grad;
  stem_ = PackConv(net.stem, net.stem_norm);
  if (net.scalars_in) scalars_in_ = PackLinear(net.scalars_in);
  for (const ResidualBlock& block : net.blocks) {
    blocks_.push_back({.conv1 = PackConv(block->conv1, block->norm1),
                       .conv2 = PackConv(block->conv2, block->norm2),
                       .pool = std::nullopt});
    if (block->pool) blocks_.back().pool = PackLinear(block->pool);
  }
  heads_ = PackConv(net.heads, net.heads_norm);
  policy_pool_ = PackLinear(net.policy_pool);
  if (net.policy) policy_ = PackConv(net.policy->weight, net.policy->bias);
  if (net.extras) extras_ = PackLinear(net.extras);
  value_hidden_ = PackLinear(net.value_hidden);
  values_ = PackLinear(torch::cat({net.wdl->weight, net.score->weight, net.moves_left->weight}),
                       torch::cat({net.wdl->bias, net.score->bias, net.moves_left->bias}),
                       torch::kFloat32);
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
  const Tensor bias = Apply(*block.pool, PoolRelu(y, plain, y.size(1) - plain), false);
  return ApplyAddRelu(block.conv2, AddBiasRelu(y, 0, bias), x);
}

InferenceNet::Output InferenceNet::Forward(const Tensor& planes, const Tensor& scalars) const {
  const auto options = torch::TensorOptions(device_).dtype(type_);
  Tensor x =
      Apply(stem_, planes.to(options, false, false, at::MemoryFormat::ChannelsLast), !scalars_in_);
  if (scalars_in_) {
    x = AddBiasRelu(x, 0, Apply(*scalars_in_, ToSquares(scalars.to(options)), false));
  }
  for (const Block& block : blocks_) x = ApplyBlock(block, x);

  // The three parts of the heads' channels: the policy on each square, what it pools, what the
  // values pool.
  const Tensor heads = Apply(heads_, x, false);
  const Tensor policy_pooled = PoolRelu(heads, head_channels_, head_channels_);
  const Tensor value_pooled = PoolRelu(heads, 2 * head_channels_, head_channels_);
  Output output;
  if (policy_) {
    const Tensor bias = Apply(policy_pool_, policy_pooled, false);
    output.policy =
        Apply(*policy_, AddBiasRelu(heads, 0, bias), false).to(torch::kFloat32).contiguous();
  }
  if (extras_)
    output.extras = Apply(*extras_, policy_pooled, false).to(torch::kFloat32).contiguous();
  const Tensor hidden = Apply(value_hidden_, value_pooled, true);
  output.values =
      Apply(values_, hidden.to(torch::kFloat32), false).to(torch::kFloat32).contiguous();
  return output;
}

}  // namespace qirkat
