#include "models/onednn/network.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "envs/core/error.h"
#include "models/row_kernels.h"

namespace qirkat {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr auto kFloat = ElementType::f32;

std::size_t Bytes(ElementType type) { return dnnl::memory::data_type_size(type); }

}  // namespace

Network::Network(FoldedNet net, ElementType tower, ElementType edges)
    : net_(std::move(net)), tower_(tower), edges_(edges) {}

std::shared_ptr<const Network::Layers> Network::For(int rows) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Layers>& layers = layers_[rows];
  if (!layers) layers = Make(rows);
  return layers;
}

std::shared_ptr<const Network::Layers> Network::Make(int rows) const {
  const BoardShape board = Board(rows);
  auto layers = std::make_shared<Layers>();
  const auto note = [&](Layer layer) {
    layers->scratchpad_bytes = std::max(layers->scratchpad_bytes, layer.scratchpad_bytes());
    return layer;
  };
  const auto conv = [&](const Convolution& convolution, ElementType source, ElementType destination,
                        Layer::Epilogue epilogue) {
    return note(Layer(board, convolution, source, destination, epilogue, weights_));
  };
  const auto linear = [&](const Convolution& layer, bool relu = false) {
    return note(Layer({1, rows, 1}, layer, kFloat, kFloat, {.relu = relu}, weights_));
  };
  layers->stem = stem_feeds_tower() ? conv(net_.stem, edges_, tower_, {.relu = true})
                                    : conv(net_.stem, edges_, edges_, {});
  if (net_.scalars_in) layers->scalars_in = linear(*net_.scalars_in);
  for (const FoldedBlock& block : net_.blocks) {
    layers->blocks.push_back(
        {.conv1 = block.pool ? conv(block.conv1, tower_, edges_, {})
                             : conv(block.conv1, tower_, tower_, {.relu = true}),
         .conv2 = conv(block.conv2, tower_, tower_, {.add = true, .relu = true}),
         .pool = {}});
    if (block.pool) layers->blocks.back().pool = linear(*block.pool);
  }
  layers->heads = conv(net_.heads, tower_, edges_, {});
  layers->policy_pool = linear(net_.policy_pool);
  if (net_.policy) layers->policy = conv(*net_.policy, edges_, kFloat, {});
  if (net_.extras) layers->extras = linear(*net_.extras);
  layers->value_hidden = linear(net_.value_hidden, true);
  layers->values = linear(net_.values);
  return layers;
}

Buffer::Buffer(std::size_t bytes) : data_(nullptr, std::free) {
  const std::size_t size = (bytes + kAlignment) / kAlignment * kAlignment;  // never nothing
  data_.reset(std::aligned_alloc(kAlignment, size));
  if (!data_) throw std::bad_alloc();
  std::memset(data_.get(), 0, size);
}

Activations::Activations(const Network& network, int rows)
    : Activations(network.net().spec, network.tower(), network.edges(),
                  static_cast<std::size_t>(rows)) {}

Activations::Activations(const NetSpec& spec, ElementType tower, ElementType edges,
                         std::size_t rows)
    : input(rows * spec.squares() * spec.planes() * Bytes(edges)),
      scalars(rows * spec.scalars() * sizeof(float)),
      stream(rows * spec.squares() * spec.net.channels * Bytes(tower)),
      inner(rows * spec.squares() * spec.net.channels * Bytes(tower)),
      wide(rows * spec.squares() * std::max(spec.net.channels, 3 * spec.net.head_channels) *
           Bytes(edges)),
      pooled(rows * 2 * std::max(spec.net.channels, spec.net.head_channels) * sizeof(float)),
      bias(rows * std::max(spec.net.channels, spec.net.head_channels) * sizeof(float)),
      hidden(rows * spec.net.value_hidden * sizeof(float)),
      no_bias(rows * spec.net.channels * sizeof(float)),
      policy_input(rows * spec.squares() * spec.net.head_channels * Bytes(edges)),
      policy(rows * spec.squares() * spec.policy_planes * sizeof(float)),
      extras(rows * spec.policy_extras * sizeof(float)),
      values(rows * 5 * sizeof(float)) {}

Program::Program(const Network& network, int rows, Activations& activations,
                 ActivationRanges* ranges)
    : network_(network),
      rows_(rows),
      squares_(network.net().spec.squares()),
      at_(activations),
      ranges_(ranges),
      layers_(network.For(rows)),
      scratchpad_(layers_->scratchpad_bytes),
      stream_(CpuEngine()) {
  const FoldedNet& net = network_.net();
  if (ranges_ != nullptr) {
    QIRKAT_CHECK(network_.tower() == kFloat);
    ranges_->stream.resize(net.spec.net.channels);
    ranges_->inner.resize(net.blocks.size());
  }
  AddStem();
  for (std::size_t b = 0; b < net.blocks.size(); ++b) {
    AddBlock(layers_->blocks[b], net.blocks[b]);
    if (ranges_ == nullptr) continue;
    ranges_->inner[b].resize(net.blocks[b].conv2.in);
    Record(at_.inner, ranges_->inner[b]);
    Record(at_.stream, ranges_->stream);
  }
  AddHeads();
}

void Program::Run() {
  for (const auto& step : steps_) step();
}

void Program::Add(const Layer& layer, const Buffer& source, const Buffer& destination) {
  steps_.emplace_back(
      [this, &layer,
       arguments = layer.Bind(source.data(), destination.data(), scratchpad_.data())] {
        layer.Run(stream_, arguments);
      });
}

void Program::AddBias(int stride, int channels, const Buffer& bias, const Buffer& destination,
                      int to_stride, ElementType type) {
  const auto add = [&]<class T>(auto* to, const T* from) {
    const ChannelSlice<T> slice{from, rows_, squares_, channels, stride};
    steps_.emplace_back([slice, bias = bias.as<float>(), to, to_stride] {
      AddBiasRelu(slice, bias, to, to_stride);
    });
  };
  const auto to_type = [&](const auto* from) {
    if (type == ElementType::u8) return add(destination.as<std::uint8_t>(), from);
    add(destination.as<std::remove_cvref_t<decltype(*from)>>(), from);
  };
  if (network_.edges() == ElementType::bf16) return to_type(at_.wide.as<Bf16>());
  to_type(at_.wide.as<float>());
}

void Program::Pool(int stride, int first, int channels) {
  const auto pool = [&]<class T>(const T* from) {
    const ChannelSlice<T> slice{from + first, rows_, squares_, channels, stride};
    steps_.emplace_back([slice, to = at_.pooled.as<float>()] { PoolRelu(slice, to); });
  };
  if (network_.edges() == ElementType::bf16) return pool(at_.wide.as<Bf16>());
  pool(at_.wide.as<float>());
}

void Program::AddStem() {
  const int channels = network_.net().stem.out;
  if (network_.stem_feeds_tower()) {
    Add(layers_->stem, at_.input, at_.stream);
  } else {
    Add(layers_->stem, at_.input, at_.wide);
    if (layers_->scalars_in) Add(*layers_->scalars_in, at_.scalars, at_.bias);
    AddBias(channels, channels, layers_->scalars_in ? at_.bias : at_.no_bias, at_.stream, channels,
            network_.tower());
  }
  if (ranges_ != nullptr) Record(at_.stream, ranges_->stream);
}

void Program::AddBlock(const Network::Block& block, const FoldedBlock& shape) {
  if (block.pool) {
    const int channels = shape.conv1.out, plain = shape.pool->out;
    Add(block.conv1, at_.stream, at_.wide);
    Pool(channels, plain, channels - plain);
    Add(*block.pool, at_.pooled, at_.bias);
    AddBias(channels, plain, at_.bias, at_.inner, shape.conv2.in, network_.tower());
  } else {
    Add(block.conv1, at_.stream, at_.inner);
  }
  Add(block.conv2, at_.inner, at_.stream);
}

void Program::AddHeads() {
  const int head = static_cast<int>(network_.net().spec.net.head_channels), all = 3 * head;
  Add(layers_->heads, at_.stream, at_.wide);
  // What the policy pools, then what the values pool.
  Pool(all, head, head);
  Add(layers_->policy_pool, at_.pooled, at_.bias);
  if (layers_->policy) {
    AddBias(all, head, at_.bias, at_.policy_input, head, network_.edges());
    Add(*layers_->policy, at_.policy_input, at_.policy);
  }
  if (layers_->extras) Add(*layers_->extras, at_.pooled, at_.extras);
  Pool(all, 2 * head, head);
  Add(layers_->value_hidden, at_.pooled, at_.hidden);
  Add(layers_->values, at_.hidden, at_.values);
}

void Program::Record(const Buffer& activations, std::vector<float>& largest) {
  steps_.emplace_back([this, from = activations.as<float>(), &largest] {
    const float* value = from;
    for (std::int64_t square = 0; square < std::int64_t{rows_} * squares_; ++square) {
      for (float& most : largest) most = std::max(most, *value++);
    }
  });
}

}  // namespace qirkat
