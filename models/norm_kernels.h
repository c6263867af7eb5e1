// Batch normalization and what follows it, for training on a CPU: one pass over memory where single
// operators take one each. Arrays are [points, channels] (channels last; a point is a square of a
// row), T is float or Bf16, sums are float32 over the points of one call: a caller that splits the
// points into equal parts, on however many threads, gets equal bits.
#pragma once

#include <cstdint>

#include "models/row_kernels.h"

namespace qirkat {

struct NormSize {
  std::int64_t points, channels;
};

// sum [channels] = sum of (x - shift), squares [channels] = sum of (x - shift)². A shift [channels]
// near the mean keeps the variance's digits.
template <class T>
void SumMoments(NormSize size, const T* x, const float* shift, float* sum, float* squares);

// out = x * scale + offset, scale and offset [channels]; with `relu` its ReLU; with `residual`, if
// it is not null, the ReLU of the sum with it.
template <class T>
void Normalize(NormSize size, const T* x, const float* scale, const float* offset,
               const T* residual, bool relu, T* out);

// The gradients of Normalize need, with g = `gradient` where its result `out` is > 0, else 0 (`out`
// null: there was no ReLU): sum [channels] = sum of g, product [channels] = sum of g * (x - mean).
template <class T>
void SumGradient(NormSize size, const T* gradient, const T* out, const T* x, const float* mean,
                 float* sum, float* product);

// result = g * by.gradient + x * by.x + by.constant, and residual = g if it is not null.
struct NormGradientFactors {
  const float *gradient, *x, *constant;  // [channels]
};
template <class T>
void NormGradient(NormSize size, const T* gradient, const T* out, const T* x,
                  const NormGradientFactors& by, T* result, T* residual);

// The gradients of AddBiasRelu, out [rows, squares, channels] being its result: result = gradient
// where out > 0, else 0; bias [rows, channels] = its sum over the squares.
template <class T>
void AddBiasReluGradient(std::int64_t rows, std::int64_t squares, std::int64_t channels,
                         const T* gradient, const T* out, T* result, T* bias);

// The gradient of PoolRelu: from [rows, 2 * channels] to [rows, squares, channels]. Equal maxima
// share theirs equally.
template <class T>
void PoolReluGradient(const ChannelSlice<T>& x, const T* gradient, T* result);

}  // namespace qirkat
