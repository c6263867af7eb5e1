#include "models/torch/fused_ops.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "envs/core/error.h"
#include "models/norm_kernels.h"

namespace qirkat {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Points of one part of the work: the parts, and so the sums, do not depend on the thread count.
constexpr std::int64_t kPart = 1024;

// Calls work(T()) with the kernels' type for the tensor's.
template <class Work>
void WithType(const Tensor& tensor, Work&& work) {
  if (tensor.scalar_type() == torch::kBFloat16) {
    work(Bf16{});
  } else {
    QIRKAT_CHECK(tensor.scalar_type() == torch::kFloat32, tensor.scalar_type());
    work(float{});
  }
}

// A tensor's numbers from `element` on; null if it is undefined.
template <class T>
const T* At(const Tensor& tensor, std::int64_t element) {
  return tensor.defined() ? static_cast<const T*>(tensor.const_data_ptr()) + element : nullptr;
}
template <class T>
T* MutableAt(const Tensor& tensor, std::int64_t element) {
  return tensor.defined() ? static_cast<T*>(tensor.mutable_data_ptr()) + element : nullptr;
}

// A gradient as the kernels take it.
Tensor Gradient(const Tensor& gradient, const Tensor& like) {
  return gradient.to(like.options(), false, false, at::MemoryFormat::ChannelsLast);
}

Tensor EmptyLike(const Tensor& x) {
  return at::empty(x.sizes(), x.options(), at::MemoryFormat::ChannelsLast);
}

// Whether `x` is [B, C, rows, columns] laid out as [B, rows, columns, C], or some channels of that.
bool IsChannelsLast(const Tensor& x) {
  return x.stride(1) == 1 && x.stride(2) == x.size(3) * x.stride(3) &&
         x.stride(0) == x.size(2) * x.stride(2);
}

bool UsesKernels(const Tensor& x) {
  return x.is_cpu() && IsChannelsLast(x) &&
         (x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kBFloat16);
}

NormSize SizeOf(const Tensor& x) { return {x.numel() / x.size(1), x.size(1)}; }
std::int64_t Parts(NormSize all) { return (all.points + kPart - 1) / kPart; }

// Rows begin … end of `x`, which IsChannelsLast.
template <class T>
ChannelSlice<T> Slice(const Tensor& x, std::int64_t begin, std::int64_t end) {
  return {.data = At<T>(x, begin * x.stride(0)),
          .rows = end - begin,
          .squares = x.size(2) * x.size(3),
          .channels = x.size(1),
          .stride = x.stride(3)};
}

// Calls work(part, size, at) for the parts of `all`, in parallel: `at` is a part's first element.
template <class Work>
void ForEachPart(NormSize all, const Work& work) {
  at::parallel_for(0, Parts(all), 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t part = from; part < to; ++part) {
      const std::int64_t begin = part * kPart, points = std::min(kPart, all.points - begin);
      work(part, NormSize{points, all.channels}, begin * all.channels);
    }
  });
}

// Two sums per channel over all points, [2][C]: sum(size, at, first, second) gives those of a part,
// which are added in order.
template <class Sum>
std::vector<double> SumParts(NormSize all, const Sum& sum) {
  const std::int64_t channels = all.channels;
  std::vector<float> sums(static_cast<std::size_t>(Parts(all) * 2 * channels));
  ForEachPart(all, [&](std::int64_t part, NormSize size, std::int64_t at) {
    float* const first = sums.data() + part * 2 * channels;
    sum(size, at, first, first + channels);
  });
  std::vector<double> total(static_cast<std::size_t>(2 * channels));
  for (std::size_t i = 0; i < sums.size(); ++i) total[i % total.size()] += sums[i];
  return total;
}

// Mean and variance of a channel.
struct Statistics {
  std::vector<float> mean, variance;
};

template <class T>
Statistics BatchStatistics(const Tensor& x) {
  const NormSize size = SizeOf(x);
  const auto channels = static_cast<std::size_t>(size.channels);
  const T* const data = At<T>(x, 0);
  std::vector<float> shift(channels);  // the first point, which is not far from the mean
  for (std::size_t c = 0; c < channels; ++c) shift[c] = Load(data[c]);
  const std::vector<double> sums =
      SumParts(size, [&](NormSize part, std::int64_t at, float* sum, float* squares) {
        SumMoments(part, data + at, shift.data(), sum, squares);
      });
  Statistics statistics{std::vector<float>(channels), std::vector<float>(channels)};
  const auto points = static_cast<double>(size.points);
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = sums[c] / points;
    statistics.mean[c] = static_cast<float>(shift[c] + mean);
    statistics.variance[c] =
        static_cast<float>(std::max(0.0, sums[channels + c] / points - mean * mean));
  }
  return statistics;
}

void Follow(const Tensor& running, const std::vector<float>& batch, double scale, double momentum) {
  float* const values = running.mutable_data_ptr<float>();
  for (std::size_t c = 0; c < batch.size(); ++c) {
    values[c] = static_cast<float>((1 - momentum) * values[c] + momentum * scale * batch[c]);
  }
}

// Batch normalization by the batch's own statistics (Ioffe and Szegedy 2015), with the residual sum
// and the ReLU behind it.
struct NormFunction : torch::autograd::Function<NormFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gain,
                        const Tensor& bias, const std::optional<Tensor>& residual_or_none,
                        const Tensor& running_mean, const Tensor& running_variance, double momentum,
                        double epsilon, bool relu) {
    const Tensor residual = residual_or_none.value_or(Tensor());
    const NormSize size = SizeOf(x);
    const Tensor out = EmptyLike(x);
    // Per channel: mean, gain / deviation, deviation.
    const Tensor saved = at::empty({3, size.channels}, gain.options().requires_grad(false));
    WithType(x, [&]<class T>(T) {
      const Statistics batch = BatchStatistics<T>(x);
      const auto points = static_cast<double>(size.points);
      Follow(running_mean, batch.mean, 1, momentum);
      Follow(running_variance, batch.variance, points / std::max(points - 1, 1.0), momentum);
      float* const mean = saved.mutable_data_ptr<float>();
      float* const scale = mean + size.channels;
      float* const deviation = scale + size.channels;
      std::vector<float> offset(static_cast<std::size_t>(size.channels));
      for (std::int64_t c = 0; c < size.channels; ++c) {
        mean[c] = batch.mean[c];
        deviation[c] = static_cast<float>(std::sqrt(batch.variance[c] + epsilon));
        scale[c] = *At<float>(gain, c) / deviation[c];
        offset[c] = *At<float>(bias, c) - mean[c] * scale[c];
      }
      ForEachPart(size, [&](std::int64_t, NormSize part, std::int64_t at) {
        Normalize(part, At<T>(x, at), scale, offset.data(), At<T>(residual, at), relu,
                  MutableAt<T>(out, at));
      });
    });
    context->saved_data["residual"] = residual.defined();
    context->save_for_backward({x, saved, relu ? out : Tensor()});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &out = saved[2], gradient = Gradient(gradients[0], x);
    const NormSize size = SizeOf(x);
    const float* const mean = At<float>(saved[1], 0);
    const float* const scale = mean + size.channels;
    const float* const deviation = scale + size.channels;
    const Tensor by_x = EmptyLike(x);
    const Tensor by_residual = context->saved_data["residual"].toBool() ? EmptyLike(x) : Tensor();
    const Tensor by_gain = at::empty({size.channels}, saved[1].options());
    const Tensor by_bias = at::empty_like(by_gain);
    WithType(x, [&]<class T>(T) {
      const std::vector<double> sums = SumParts(size, [&](NormSize part, std::int64_t at,
                                                          float* sum, float* product) {
        SumGradient(part, At<T>(gradient, at), At<T>(out, at), At<T>(x, at), mean, sum, product);
      });
      const auto channels = static_cast<std::size_t>(size.channels);
      std::vector<float> x_factor(channels), constant(channels);
      for (std::size_t c = 0; c < channels; ++c) {
        const double sum = sums[c], product = sums[channels + c] / deviation[c];
        const auto points = static_cast<double>(size.points);
        by_bias.mutable_data_ptr<float>()[c] = static_cast<float>(sum);
        by_gain.mutable_data_ptr<float>()[c] = static_cast<float>(product);
        const double slope = -scale[c] * product / (points * deviation[c]);
        x_factor[c] = static_cast<float>(slope);
        constant[c] = static_cast<float>(-scale[c] * sum / points - slope * mean[c]);
      }
      ForEachPart(size, [&](std::int64_t, NormSize part, std::int64_t at) {
        NormGradient(part, At<T>(gradient, at), At<T>(out, at), At<T>(x, at),
                     {scale, x_factor.data(), constant.data()}, MutableAt<T>(by_x, at),
                     MutableAt<T>(by_residual, at));
      });
    });
    return {by_x, by_gain, by_bias, by_residual, {}, {}, {}, {}, {}};
  }
};

// Rows of one part of the work where each row stands alone.
constexpr std::int64_t kRows = 16;

struct AddBiasReluFunction : torch::autograd::Function<AddBiasReluFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& bias) {
    const Tensor out = at::empty(x.sizes(), x.options(), at::MemoryFormat::ChannelsLast);
    const Tensor plain = bias.to(x.scalar_type()).contiguous();
    const std::int64_t channels = x.size(1);
    WithType(x, [&]<class T>(T) {
      at::parallel_for(0, x.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
        AddBiasRelu(Slice<T>(x, begin, end), At<T>(plain, begin * channels),
                    MutableAt<T>(out, begin * out.stride(0)), channels);
      });
    });
    context->saved_data["bias_type"] = bias.scalar_type();
    context->save_for_backward({out});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor out = context->get_saved_variables()[0], gradient = Gradient(gradients[0], out);
    const std::int64_t channels = out.size(1), squares = out.size(2) * out.size(3);
    const Tensor by_x = EmptyLike(out), by_bias = at::empty({out.size(0), channels}, out.options());
    WithType(out, [&]<class T>(T) {
      at::parallel_for(0, out.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t at = begin * squares * channels;
        AddBiasReluGradient(end - begin, squares, channels, At<T>(gradient, at), At<T>(out, at),
                            MutableAt<T>(by_x, at), MutableAt<T>(by_bias, begin * channels));
      });
    });
    return {by_x, by_bias.to(context->saved_data["bias_type"].toScalarType())};
  }
};

struct PoolReluFunction : torch::autograd::Function<PoolReluFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& x) {
    const Tensor out = at::empty({x.size(0), 2 * x.size(1)}, x.options());
    WithType(x, [&]<class T>(T) {
      at::parallel_for(0, x.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
        PoolRelu(Slice<T>(x, begin, end), MutableAt<T>(out, begin * out.size(1)));
      });
    });
    context->save_for_backward({x});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor x = context->get_saved_variables()[0];
    const Tensor gradient = gradients[0].to(x.scalar_type()).contiguous();
    const Tensor by_x = EmptyLike(x);
    WithType(x, [&]<class T>(T) {
      at::parallel_for(0, x.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
        PoolReluGradient(Slice<T>(x, begin, end), At<T>(gradient, begin * gradient.size(1)),
                         MutableAt<T>(by_x, begin * by_x.stride(0)));
      });
    });
    return {by_x};
  }
};

Tensor ApplyNorm(torch::nn::BatchNorm2d& norm, const Tensor& x, const Tensor& residual, bool relu) {
  if (UsesKernels(x) && norm->is_training()) {
    QIRKAT_CHECK(x.is_contiguous(at::MemoryFormat::ChannelsLast), x.strides());
    const auto residual_or_none = residual.defined() ? std::optional(residual) : std::nullopt;
    return NormFunction::apply(x, norm->weight, norm->bias, residual_or_none, norm->running_mean,
                               norm->running_var, norm->options.momentum().value(),
                               norm->options.eps(), relu);
  }
  Tensor y = norm(x);
  if (residual.defined()) y = y + residual;
  return relu ? torch::relu(y) : y;
}

}  // namespace

Tensor Norm(torch::nn::BatchNorm2d& norm, const Tensor& x) { return ApplyNorm(norm, x, {}, false); }

Tensor NormRelu(torch::nn::BatchNorm2d& norm, const Tensor& x, const Tensor& residual) {
  return ApplyNorm(norm, x, residual, true);
}

Tensor AddBiasRelu(const Tensor& x, const Tensor& bias) {
  if (UsesKernels(x)) return AddBiasReluFunction::apply(x, bias);
  return torch::relu(x + bias.unsqueeze(2).unsqueeze(3));
}

Tensor PoolRelu(const Tensor& x) {
  if (UsesKernels(x)) return PoolReluFunction::apply(x);
  const Tensor y = torch::relu(x);
  return torch::cat({y.mean({2, 3}), y.amax({2, 3})}, 1);
}

}  // namespace qirkat
