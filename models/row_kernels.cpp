#include "models/row_kernels.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace qirkat {
namespace {

float Load(float x) { return x; }
float Load(Bf16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<std::uint16_t>(x)) << 16);
}

void Store(float x, float& to) { to = x; }
// To the nearest, ties to even. (A NaN may become infinite.)
void Store(float x, Bf16& to) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  to = static_cast<Bf16>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// Clamps by their bits have no branches, so that the compiler turns them into vectors: floats from
// 0 on are ordered as their bits are, and the bits of the others are negative numbers.
float Relu(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return std::bit_cast<float>(bits > 0 ? bits : 0);
}

// x >= 0. Adding 2^23 leaves no bits behind the point: rounds to the nearest, ties to even.
void Store(float x, std::uint8_t& to) {
  constexpr auto kMost = std::bit_cast<std::int32_t>(0x1.0p23f + 255);
  const auto bits = std::bit_cast<std::int32_t>(x + 0x1.0p23f);
  to = static_cast<std::uint8_t>(std::min(bits, kMost));
}

}  // namespace

template <class T>
void PoolRelu(const ChannelSlice<T>& x, T* out) {
  const std::int64_t channels = x.channels;
  std::vector<float> pooled(2 * channels);
  float* const sum = pooled.data();
  float* const top = sum + channels;
  const float scale = 1.0f / static_cast<float>(x.squares);
  for (std::int64_t row = 0; row < x.rows; ++row, out += 2 * channels) {
    std::fill(pooled.begin(), pooled.end(), 0.0f);
    const T* square = x.data + row * x.squares * x.stride;
    for (std::int64_t s = 0; s < x.squares; ++s, square += x.stride) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const float value = Relu(Load(square[c]));
        sum[c] += value;
        top[c] = value > top[c] ? value : top[c];
      }
    }
    for (std::int64_t c = 0; c < channels; ++c) sum[c] *= scale;
    for (std::int64_t c = 0; c < 2 * channels; ++c) Store(pooled[c], out[c]);
  }
}

// Bytes may alias anything: without __restrict the compiler would not use vectors.
template <class In, class Out>
void AddBiasRelu(const ChannelSlice<In>& x, const In* __restrict bias, Out* __restrict out) {
  const In* __restrict square = x.data;
  const std::int64_t channels = x.channels;
  for (std::int64_t row = 0; row < x.rows; ++row, bias += channels) {
    for (std::int64_t s = 0; s < x.squares; ++s, square += x.stride, out += channels) {
      for (std::int64_t c = 0; c < channels; ++c) {
        Store(Relu(Load(square[c]) + Load(bias[c])), out[c]);
      }
    }
  }
}

template void PoolRelu(const ChannelSlice<float>&, float*);
template void PoolRelu(const ChannelSlice<Bf16>&, Bf16*);
template void AddBiasRelu(const ChannelSlice<float>&, const float*, float*);
template void AddBiasRelu(const ChannelSlice<float>&, const float*, Bf16*);
template void AddBiasRelu(const ChannelSlice<float>&, const float*, std::uint8_t*);
template void AddBiasRelu(const ChannelSlice<Bf16>&, const Bf16*, Bf16*);

}  // namespace qirkat
