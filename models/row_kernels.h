// What stands between the convolutions of the network on a CPU, for activations laid out [rows,
// squares, channels] (channels last). A row's result is computed from that row alone, in one order,
// in float32.
#pragma once

#include <cstdint>

#include "models/bf16.h"

namespace qirkat {

// A part of the channels of such an array, which has `stride` channels in all.
template <class T>
struct ChannelSlice {
  const T* data;  // of the slice's first channel in row 0, square 0
  std::int64_t rows, squares, channels, stride;
};

// out [rows, 2 * channels]: mean of relu(x) over the squares, then maximum of relu(x). From float
// or Bf16 to float, or Bf16 to Bf16.
template <class In, class Out>
void PoolRelu(const ChannelSlice<In>& x, Out* out);

// out [rows, squares, channels], its squares `stride` apart, = relu(x + bias), bias [rows,
// channels]. x and bias float, or Bf16 and float, or both Bf16; out as x or, for a float bias,
// std::uint8_t: the nearest whole number, at most 255.
template <class In, class Bias, class Out>
void AddBiasRelu(const ChannelSlice<In>& x, const Bias* bias, Out* out, std::int64_t stride);

}  // namespace qirkat
