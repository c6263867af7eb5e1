// The fused operations of training against LibTorch's own: values, gradients, running statistics.
#include "models/torch/fused_ops.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <vector>

namespace qirkat {
namespace {

using torch::Tensor;

// Rows that are no multiple of what the kernels take at once, and a board that is not square.
constexpr std::int64_t kRows = 37, kChannels = 12;

Tensor Random(torch::ScalarType type, std::vector<std::int64_t> shape) {
  return (torch::randn(shape) * 2 + 0.5).to(type);
}

// The same numbers in two layouts: plain ones take LibTorch's operators, channels-last ones ours.
struct Layouts {
  explicit Layouts(const Tensor& x)
      : plain(x.clone().requires_grad_()),
        last(x.clone(at::MemoryFormat::ChannelsLast).requires_grad_()) {}
  Tensor plain, last;
};

void ExpectClose(const Tensor& ours, const Tensor& theirs, double tolerance, const char* what) {
  ASSERT_EQ(ours.sizes(), theirs.sizes()) << what;
  const Tensor a = ours.to(torch::kFloat64), b = theirs.to(torch::kFloat64);
  EXPECT_LE((a - b).abs().max().item<double>(), tolerance * (1 + b.abs().max().item<double>()))
      << what;
}

class FusedOps : public testing::TestWithParam<torch::ScalarType> {
 protected:
  FusedOps() { torch::manual_seed(5); }
  Layouts Input(std::int64_t channels = kChannels) const {
    return Layouts(Random(GetParam(), {kRows, channels, 5, 7}));
  }
  // bfloat16 has 8 bits, and LibTorch rounds between operators that are one here.
  double tolerance() const { return GetParam() == torch::kBFloat16 ? 0.02 : 1e-5; }
};

struct Norms {
  Norms() {
    const torch::NoGradGuard no_grad;
    for (torch::nn::BatchNorm2d* norm : {&ours, &theirs}) {
      (*norm)->weight.copy_(torch::linspace(-1, 2, kChannels));
      (*norm)->bias.copy_(torch::linspace(1, -1, kChannels));
      (*norm)->running_mean.fill_(3);
    }
  }
  torch::nn::BatchNorm2d ours{kChannels}, theirs{kChannels};
};

TEST_P(FusedOps, NormIsLibTorchs) {
  for (const bool relu : {false, true}) {
    for (const bool with_residual : {false, true}) {
      if (with_residual && !relu) continue;
      Norms norms;
      const Layouts x = Input(), residual = Input();
      const Tensor ours =
          relu ? NormRelu(norms.ours, x.last, with_residual ? residual.last : Tensor())
               : Norm(norms.ours, x.last);
      Tensor sum = norms.theirs(x.plain);
      if (with_residual) sum = sum + residual.plain;
      const Tensor theirs = relu ? torch::relu(sum) : sum;
      ExpectClose(ours, theirs, tolerance(), "result");
      EXPECT_NE(ours.grad_fn()->name(), theirs.grad_fn()->name()) << "the same operators";

      // Not where rounding decides on which side of the ReLU a number falls.
      const Tensor gradient =
          Random(GetParam(), {kRows, kChannels, 5, 7}) * (sum.detach().abs() > 0.1);
      ours.backward(gradient);
      theirs.backward(gradient);
      ExpectClose(x.last.grad(), x.plain.grad(), tolerance(), "gradient");
      if (with_residual) {
        ExpectClose(residual.last.grad(), residual.plain.grad(), tolerance(), "of the residual");
      }
      ExpectClose(norms.ours->weight.grad(), norms.theirs->weight.grad(), tolerance(), "gain");
      ExpectClose(norms.ours->bias.grad(), norms.theirs->bias.grad(), tolerance(), "bias");
      ExpectClose(norms.ours->running_mean, norms.theirs->running_mean, 1e-4, "running mean");
      ExpectClose(norms.ours->running_var, norms.theirs->running_var, 1e-4, "running variance");
    }
  }
}

TEST_P(FusedOps, EvaluationTakesTheRunningStatistics) {
  Norms norms;
  norms.ours->eval();
  norms.theirs->eval();
  const Layouts x = Input();
  ExpectClose(NormRelu(norms.ours, x.last), torch::relu(norms.theirs(x.plain)), tolerance(), "");
}

// A large mean must not cost the variance its digits.
TEST(FusedNorm, VarianceSurvivesALargeMean) {
  Norms norms;
  torch::manual_seed(2);
  const Layouts x(torch::randn({64, kChannels, 8, 8}) + 3000);
  norms.theirs->to(torch::kFloat64);
  ExpectClose(Norm(norms.ours, x.last), norms.theirs(x.plain.to(torch::kFloat64)), 1e-3, "");
}

TEST_P(FusedOps, BiasAndPoolAreLibTorchs) {
  // Some channels of a larger array, as the network's heads are.
  const Layouts x = Input(3 * kChannels);
  const Tensor bias = Random(GetParam(), {kRows, kChannels});
  const Tensor our_bias = bias.clone().requires_grad_();
  const Tensor their_bias = bias.clone().requires_grad_();
  const auto parts = x.last.chunk(3, 1), plain = x.plain.chunk(3, 1);
  const Tensor ours = AddBiasRelu(parts[1], our_bias), pooled = PoolRelu(parts[2]);
  const Tensor theirs = torch::relu(plain[1] + their_bias.unsqueeze(2).unsqueeze(3));
  const Tensor rectified = torch::relu(plain[2]);
  const Tensor their_pooled = torch::cat({rectified.mean({2, 3}), rectified.amax({2, 3})}, 1);
  ExpectClose(ours, theirs, tolerance(), "bias");
  ExpectClose(pooled, their_pooled, tolerance(), "pool");

  const Tensor gradient = Random(GetParam(), {kRows, kChannels, 5, 7});
  const Tensor pooled_gradient = Random(GetParam(), {kRows, 2 * kChannels});
  torch::autograd::backward({ours, pooled}, {gradient, pooled_gradient});
  torch::autograd::backward({theirs, their_pooled}, {gradient, pooled_gradient});
  ExpectClose(our_bias.grad(), their_bias.grad(), tolerance(), "of the bias");
  ExpectClose(x.last.grad(), x.plain.grad(), tolerance(), "gradient");
}

TEST_P(FusedOps, BitsDoNotDependOnTheThreads) {
  const Layouts x = Input();
  std::vector<Tensor> gradients;
  for (const int threads : {1, 3}) {
    at::set_num_threads(threads);
    Norms norms;
    x.last.mutable_grad() = Tensor();
    NormRelu(norms.ours, x.last).square().sum().backward();
    gradients.push_back(x.last.grad());
    gradients.push_back(norms.ours->weight.grad());
  }
  at::set_num_threads(1);
  EXPECT_TRUE(torch::equal(gradients[0], gradients[2]));
  EXPECT_TRUE(torch::equal(gradients[1], gradients[3]));
}

INSTANTIATE_TEST_SUITE_P(Types, FusedOps, testing::Values(torch::kFloat32, torch::kBFloat16),
                         [](const auto& info) { return std::string(c10::toString(info.param)); });

}  // namespace
}  // namespace qirkat
