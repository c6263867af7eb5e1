#include "models/norm_kernels.h"

#include <algorithm>
#include <vector>

// The arrays of the loop that follows do not overlap.
#ifdef __clang__
#define QIRKAT_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#else
#define QIRKAT_VECTORIZE _Pragma("GCC ivdep")
#endif

namespace qirkat {
namespace {

// Points whose terms are added before the sum in memory is touched.
constexpr std::int64_t kTogether = 4;

// a[c] = sum over the points of the first number of term(i, c), b[c] = of the second, i being the
// element of point and channel.
template <class Term>
void SumPairs(NormSize size, float* __restrict a, float* __restrict b, const Term& term) {
  const std::int64_t channels = size.channels;
  std::fill_n(a, channels, 0.0f);
  std::fill_n(b, channels, 0.0f);
  std::int64_t point = 0;
  for (; point + kTogether <= size.points; point += kTogether) {
    const std::int64_t at = point * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      float first[kTogether], second[kTogether];
      for (std::int64_t k = 0; k < kTogether; ++k) {
        term(at + k * channels + c, c, first[k], second[k]);
      }
      a[c] += (first[0] + first[1]) + (first[2] + first[3]);
      b[c] += (second[0] + second[1]) + (second[2] + second[3]);
    }
  }
  for (; point < size.points; ++point) {
    for (std::int64_t c = 0; c < channels; ++c) {
      float first, second;
      term(point * channels + c, c, first, second);
      a[c] += first;
      b[c] += second;
    }
  }
}

// out[i] = value(i, c) for every point and channel.
template <class T, class Value>
void Fill(NormSize size, T* __restrict out, const Value& value) {
  const std::int64_t channels = size.channels;
  for (std::int64_t point = 0; point < size.points; ++point) {
    const std::int64_t at = point * channels;
    QIRKAT_VECTORIZE
    for (std::int64_t c = 0; c < channels; ++c) Store(value(at + c, c), out[at + c]);
  }
}

float Relu(float x) { return x > 0 ? x : 0; }

// The gradient in front of a ReLU with this result.
template <class T>
float Masked(T gradient, T out) {
  return Load(out) > 0 ? Load(gradient) : 0;
}

}  // namespace

template <class T>
void SumMoments(NormSize size, const T* x, const float* shift, float* sum, float* squares) {
  SumPairs(size, sum, squares, [=](std::int64_t i, std::int64_t c, float& value, float& square) {
    value = Load(x[i]) - shift[c];
    square = value * value;
  });
}

template <class T>
void Normalize(NormSize size, const T* x, const float* scale, const float* offset,
               const T* residual, bool relu, T* out) {
  if (residual) {
    Fill(size, out, [=](std::int64_t i, std::int64_t c) {
      return Relu(Load(x[i]) * scale[c] + offset[c] + Load(residual[i]));
    });
  } else if (relu) {
    Fill(size, out,
         [=](std::int64_t i, std::int64_t c) { return Relu(Load(x[i]) * scale[c] + offset[c]); });
  } else {
    Fill(size, out,
         [=](std::int64_t i, std::int64_t c) { return Load(x[i]) * scale[c] + offset[c]; });
  }
}

template <class T>
void SumGradient(NormSize size, const T* gradient, const T* out, const T* x, const float* mean,
                 float* sum, float* product) {
  if (out) {
    SumPairs(size, sum, product, [=](std::int64_t i, std::int64_t c, float& value, float& moment) {
      value = Masked(gradient[i], out[i]);
      moment = value * (Load(x[i]) - mean[c]);
    });
  } else {
    SumPairs(size, sum, product, [=](std::int64_t i, std::int64_t c, float& value, float& moment) {
      value = Load(gradient[i]);
      moment = value * (Load(x[i]) - mean[c]);
    });
  }
}

template <class T>
void NormGradient(NormSize size, const T* gradient, const T* out, const T* x,
                  const NormGradientFactors& by, T* result, T* residual) {
  const float *by_gradient = by.gradient, *by_x = by.x, *constant = by.constant;
  if (out) {
    Fill(size, result, [=](std::int64_t i, std::int64_t c) {
      return Masked(gradient[i], out[i]) * by_gradient[c] + Load(x[i]) * by_x[c] + constant[c];
    });
  } else {
    Fill(size, result, [=](std::int64_t i, std::int64_t c) {
      return Load(gradient[i]) * by_gradient[c] + Load(x[i]) * by_x[c] + constant[c];
    });
  }
  if (residual) {
    Fill(size, residual, [=](std::int64_t i, std::int64_t) { return Masked(gradient[i], out[i]); });
  }
}

template <class T>
void AddBiasReluGradient(std::int64_t rows, std::int64_t squares, std::int64_t channels,
                         const T* gradient, const T* out, T* result, T* bias) {
  std::vector<float> sums(static_cast<std::size_t>(channels));
  float* __restrict sum = sums.data();
  for (std::int64_t row = 0; row < rows; ++row, bias += channels) {
    std::fill_n(sum, channels, 0.0f);
    for (std::int64_t s = 0; s < squares; ++s) {
      QIRKAT_VECTORIZE
      for (std::int64_t c = 0; c < channels; ++c) {
        const float value = Masked(gradient[c], out[c]);
        sum[c] += value;
        Store(value, result[c]);
      }
      gradient += channels, out += channels, result += channels;
    }
    for (std::int64_t c = 0; c < channels; ++c) Store(sum[c], bias[c]);
  }
}

template <class T>
void PoolReluGradient(const ChannelSlice<T>& x, const T* gradient, T* result) {
  const std::int64_t channels = x.channels;
  std::vector<float> numbers(static_cast<std::size_t>(3 * channels));
  float* __restrict top = numbers.data();
  float* __restrict top_share = top + channels;  // first how many squares have the maximum
  float* __restrict mean_share = top_share + channels;
  const float share = 1.0f / static_cast<float>(x.squares);
  for (std::int64_t row = 0; row < x.rows; ++row, gradient += 2 * channels) {
    const T* const first = x.data + row * x.squares * x.stride;
    std::fill_n(top, 2 * channels, 0.0f);
    for (std::int64_t s = 0; s < x.squares; ++s) {
      const T* const square = first + s * x.stride;
      for (std::int64_t c = 0; c < channels; ++c) {
        const float value = Load(square[c]);
        top[c] = value > top[c] ? value : top[c];
      }
    }
    for (std::int64_t s = 0; s < x.squares; ++s) {
      const T* const square = first + s * x.stride;
      for (std::int64_t c = 0; c < channels; ++c) {
        top_share[c] += Load(square[c]) == top[c] ? 1.0f : 0.0f;
      }
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      // Squares whose maximum is 0 have none of it: ReLU stopped them all.
      const float maximum = top[c] > 0 ? Load(gradient[channels + c]) : 0.0f;
      top_share[c] = maximum / (top_share[c] > 1 ? top_share[c] : 1.0f);
      mean_share[c] = Load(gradient[c]) * share;
    }
    for (std::int64_t s = 0; s < x.squares; ++s, result += channels) {
      const T* const square = first + s * x.stride;
      QIRKAT_VECTORIZE
      for (std::int64_t c = 0; c < channels; ++c) {
        const float value = Load(square[c]), mean = mean_share[c], maximum = top_share[c];
        Store((value > 0 ? mean : 0.0f) + (value == top[c] ? maximum : 0.0f), result[c]);
      }
    }
  }
}

#define QIRKAT_NORM_KERNELS(T)                                                                     \
  template void SumMoments(NormSize, const T*, const float*, float*, float*);                      \
  template void Normalize(NormSize, const T*, const float*, const float*, const T*, bool, T*);     \
  template void SumGradient(NormSize, const T*, const T*, const T*, const float*, float*, float*); \
  template void NormGradient(NormSize, const T*, const T*, const T*, const NormGradientFactors&,   \
                             T*, T*);                                                              \
  template void AddBiasReluGradient(std::int64_t, std::int64_t, std::int64_t, const T*, const T*,  \
                                    T*, T*);                                                       \
  template void PoolReluGradient(const ChannelSlice<T>&, const T*, T*)
QIRKAT_NORM_KERNELS(float);
QIRKAT_NORM_KERNELS(Bf16);
#undef QIRKAT_NORM_KERNELS

}  // namespace qirkat
