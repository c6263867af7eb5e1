// What stands between the convolutions of the network on a CPU, for activations laid out [rows,
// squares, channels] (channels last). A row's result is computed from that row alone, in one order,
// in float32.
#pragma once

#include <cstdint>

namespace qirkat {

// A bfloat16 by its bits.
enum class Bf16 : std::uint16_t {};

// A part of the channels of such an array, which has `stride` channels in all.
template <class T>
struct ChannelSlice {
  const T* data;  // of the slice's first channel in row 0, square 0
  std::int64_t rows, squares, channels, stride;
};

// out [rows, 2 * channels]: mean of relu(x) over the squares, then maximum of relu(x). From float
// to float, or Bf16 to Bf16.
template <class T>
void PoolRelu(const ChannelSlice<T>& x, T* out);

// out [rows, squares, channels] = relu(x + bias), bias [rows, channels]. From float to float, Bf16
// or std::uint8_t, or Bf16 to Bf16. A byte is the nearest whole number, at most 255.
template <class In, class Out>
void AddBiasRelu(const ChannelSlice<In>& x, const In* bias, Out* out);

}  // namespace qirkat
