#include "models/onednn/layers.h"

#include <algorithm>

namespace qirkat {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Dims = memory::dims;

constexpr auto kFloat = memory::data_type::f32;

// A copy of `values`, given as `plain` says, in the layout and type of `wanted`.
memory Pack(std::span<const float> values, const memory::desc& plain, const memory::desc& wanted) {
  memory source(plain, CpuEngine());
  std::copy(values.begin(), values.end(), static_cast<float*>(source.get_data_handle()));
  if (plain == wanted) return source;
  memory packed(wanted, CpuEngine());
  dnnl::stream stream(CpuEngine());
  dnnl::reorder(source, packed).execute(stream, source, packed);
  stream.wait();
  return packed;
}

dnnl::primitive_attr Attributes(Layer::Epilogue epilogue, bool scaled) {
  dnnl::post_ops operations;
  if (epilogue.add) operations.append_sum(1.0f);
  if (epilogue.relu) operations.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(operations);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  constexpr int kPerOutput = 1 << 0;
  if (scaled) attributes.set_scales_mask(DNNL_ARG_WEIGHTS, kPerOutput);
  return attributes;
}

}  // namespace

const dnnl::engine& CpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory PackedWeights::Get(std::span<const float> values, const memory::desc& plain,
                          const memory::desc& wanted) {
  std::vector<memory>& packed = packed_[values.data()];
  const auto found = std::ranges::find(packed, wanted, &memory::get_desc);
  return found != packed.end() ? *found : packed.emplace_back(Pack(values, plain, wanted));
}

memory PackedWeights::Get(std::span<const float> values) {
  const memory::desc desc({static_cast<memory::dim>(values.size())}, kFloat, Tag::a);
  return Get(values, desc, desc);
}

Layer::Layer(const BoardShape& board, const Convolution& conv, ElementType source,
             ElementType destination, Epilogue epilogue, PackedWeights& weights) {
  const bool scaled = !conv.scale.empty();
  const Dims dims = {conv.out, conv.in, conv.kernel, conv.kernel};
  const ElementType type = scaled ? memory::data_type::s8 : source;
  const int padding = conv.kernel / 2;
  const dnnl::convolution_forward::primitive_desc desc(
      CpuEngine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      board.Activations(conv.in, scaled ? memory::data_type::u8 : source),
      memory::desc(dims, type, Tag::any), memory::desc({conv.out}, kFloat, Tag::a),
      board.Activations(conv.out, destination), {1, 1}, {padding, padding}, {padding, padding},
      Attributes(epilogue, scaled));
  primitive_ = dnnl::convolution_forward(desc);
  source_ = desc.src_desc();
  destination_ = desc.dst_desc();
  scratchpad_ = desc.scratchpad_desc();
  const memory::desc plain(dims, kFloat, Tag::oihw);
  constants_ = {{DNNL_ARG_WEIGHTS, weights.Get(conv.weight, plain, desc.weights_desc())},
                {DNNL_ARG_BIAS, weights.Get(conv.bias)}};
  if (scaled) constants_[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = weights.Get(conv.scale);
}

Layer::Arguments Layer::Bind(const void* source, void* destination, void* scratchpad) const {
  Arguments arguments = constants_;
  arguments[DNNL_ARG_SRC] = memory(source_, CpuEngine(), const_cast<void*>(source));
  arguments[DNNL_ARG_DST] = memory(destination_, CpuEngine(), destination);
  arguments[DNNL_ARG_SCRATCHPAD] = memory(scratchpad_, CpuEngine(), scratchpad);
  return arguments;
}

}  // namespace qirkat
