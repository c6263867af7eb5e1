#include "models/row_kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace qirkat {
namespace {

// Clamps by their bits have no branches, so that the compiler turns them into vectors: floats from
// 0 on are ordered as their bits are, and the bits of the others are negative numbers.
float Relu(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return std::bit_cast<float>(bits > 0 ? bits : 0);
}

using qirkat::Store;
// x >= 0. Adding 2^23 leaves no bits behind the point: rounds to the nearest, ties to even.
void Store(float x, std::uint8_t& to) {
  constexpr auto kMost = std::bit_cast<std::int32_t>(0x1.0p23f + 255);
  const auto bits = std::bit_cast<std::int32_t>(x + 0x1.0p23f);
  to = static_cast<std::uint8_t>(std::min(bits, kMost));
}

// Eight floats in a register, and eight channels read into one.
using Floats = float __attribute__((vector_size(32)));
constexpr int kLanes = 8;

Floats LoadVector(const float* from) {
  Floats vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
Floats LoadVector(const Bf16* from) {
  using Halves = std::uint16_t __attribute__((vector_size(16)));
  using Words = std::uint32_t __attribute__((vector_size(32)));
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  return std::bit_cast<Floats>(__builtin_convertvector(halves, Words) << 16);
}

// Pools kVectors × kLanes channels of one row, whose sums and maxima stay in registers.
template <int kVectors, class In, class Out>
void PoolVectors(const ChannelSlice<In>& x, const In* square, Out* mean, Out* most) {
  Floats sum[kVectors] = {}, top[kVectors] = {};
  for (std::int64_t s = 0; s < x.squares; ++s, square += x.stride) {
    for (int v = 0; v < kVectors; ++v) {
      const Floats read = LoadVector(square + v * kLanes), value = read > 0 ? read : Floats{};
      sum[v] += value;
      top[v] = value > top[v] ? value : top[v];
    }
  }
  const float scale = 1.0f / static_cast<float>(x.squares);
  for (int c = 0; c < kVectors * kLanes; ++c) {
    Store(sum[c / kLanes][c % kLanes] * scale, mean[c]);
    Store(top[c / kLanes][c % kLanes], most[c]);
  }
}

template <class In, class Out>
void PoolChannel(const ChannelSlice<In>& x, const In* square, Out& mean, Out& most) {
  float sum = 0, top = 0;
  for (std::int64_t s = 0; s < x.squares; ++s, square += x.stride) {
    const float value = Relu(Load(*square));
    sum += value;
    top = std::max(top, value);
  }
  Store(sum * (1.0f / static_cast<float>(x.squares)), mean);
  Store(top, most);
}

}  // namespace

template <class In, class Out>
void PoolRelu(const ChannelSlice<In>& x, Out* out) {
  constexpr int kVectors = 4;
  for (std::int64_t row = 0; row < x.rows; ++row, out += 2 * x.channels) {
    const In* const square = x.data + row * x.squares * x.stride;
    Out* const most = out + x.channels;
    std::int64_t c = 0;
    for (; c + kVectors * kLanes <= x.channels; c += kVectors * kLanes) {
      PoolVectors<kVectors>(x, square + c, out + c, most + c);
    }
    for (; c + kLanes <= x.channels; c += kLanes) {
      PoolVectors<1>(x, square + c, out + c, most + c);
    }
    for (; c < x.channels; ++c) PoolChannel(x, square + c, out[c], most[c]);
  }
}

// Bytes may alias anything: without __restrict the compiler would not use vectors.
template <class In, class Bias, class Out>
void AddBiasRelu(const ChannelSlice<In>& x, const Bias* __restrict bias, Out* __restrict out,
                 std::int64_t stride) {
  const In* __restrict square = x.data;
  const std::int64_t channels = x.channels;
  for (std::int64_t row = 0; row < x.rows; ++row, bias += channels) {
    for (std::int64_t s = 0; s < x.squares; ++s, square += x.stride, out += stride) {
      for (std::int64_t c = 0; c < channels; ++c) {
        Store(Relu(Load(square[c]) + Load(bias[c])), out[c]);
      }
    }
  }
}

template void PoolRelu(const ChannelSlice<float>&, float*);
template void PoolRelu(const ChannelSlice<Bf16>&, float*);
template void PoolRelu(const ChannelSlice<Bf16>&, Bf16*);
template void AddBiasRelu(const ChannelSlice<float>&, const float*, float*, std::int64_t);
template void AddBiasRelu(const ChannelSlice<float>&, const float*, std::uint8_t*, std::int64_t);
template void AddBiasRelu(const ChannelSlice<Bf16>&, const float*, Bf16*, std::int64_t);
template void AddBiasRelu(const ChannelSlice<Bf16>&, const float*, std::uint8_t*, std::int64_t);
template void AddBiasRelu(const ChannelSlice<Bf16>&, const Bf16*, Bf16*, std::int64_t);

}  // namespace qirkat
