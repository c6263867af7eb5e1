#include "envs/core/random.h"

#include <gtest/gtest.h>

#include <vector>

namespace qirkat {
namespace {

TEST(RandomStreamTest, ReferenceValues) {
  // xoshiro256** from the state {1, 2, 3, 4}, by its authors' program.
  RandomStream stream;
  stream.set_state({1, 2, 3, 4});
  const std::vector<std::uint64_t> expected = {11520ull,
                                               0ull,
                                               1509978240ull,
                                               1215971899390074240ull,
                                               1216172134540287360ull,
                                               607988272756665600ull,
                                               16172922978634559625ull,
                                               8476171486693032832ull,
                                               10595114339597558777ull,
                                               2904607092377533576ull};
  for (const std::uint64_t value : expected) EXPECT_EQ(stream.Next(), value);
}

TEST(RandomStreamTest, SeedsThroughSplitmix64) {
  // The first outputs of splitmix64 from 0.
  const RandomStream::State expected = {0xE220A8397B1DCDAFull, 0x6E789E6AA1B965F4ull,
                                        0x06C45D188009454Full, 0xF88BB8A8724C81ECull};
  EXPECT_EQ(RandomStream(0).state(), expected);
}

TEST(RandomStreamTest, NamedStreamsDiffer) {
  const auto first = [](auto... key) { return RandomStream(key...).Next(); };
  const auto base = first(1u, 2u, 3u, StreamPurpose::kSetup);
  EXPECT_EQ(base, first(1u, 2u, 3u, StreamPurpose::kSetup));
  EXPECT_NE(base, first(2u, 2u, 3u, StreamPurpose::kSetup));
  EXPECT_NE(base, first(1u, 3u, 3u, StreamPurpose::kSetup));
  EXPECT_NE(base, first(1u, 2u, 4u, StreamPurpose::kSetup));
  EXPECT_NE(base, first(1u, 2u, 3u, StreamPurpose::kRollout));
}

TEST(RandomStreamTest, BelowIsUniform) {
  RandomStream stream(7);
  constexpr int kBound = 10;
  constexpr int kDraws = 100000;
  std::vector<int> counts(kBound);
  for (int i = 0; i < kDraws; ++i) ++counts.at(stream.Below(kBound));
  double chi_squared = 0;
  for (const int count : counts) {
    const double deviation = count - kDraws / kBound;
    chi_squared += deviation * deviation / (kDraws / kBound);
  }
  EXPECT_LT(chi_squared, 27.9);  // 9 degrees of freedom, p = 0.001
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stream.Below(1), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LT(stream.Below(0xFFFFFFFFu), 0xFFFFFFFFu);
}

struct Moments {
  double mean = 0, variance = 0;
};
template <class Draw>
Moments MomentsOf(Draw draw) {
  constexpr int kDraws = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

TEST(RandomStreamTest, Distributions) {
  RandomStream stream(11);
  const Moments uniform = MomentsOf([&] { return stream.Uniform(); });
  EXPECT_NEAR(uniform.mean, 0.5, 0.005);
  EXPECT_NEAR(uniform.variance, 1.0 / 12, 0.002);
  const Moments normal = MomentsOf([&] { return stream.Normal(); });
  EXPECT_NEAR(normal.mean, 0, 0.01);
  EXPECT_NEAR(normal.variance, 1, 0.02);
  for (const double shape : {0.05, 0.3, 1.0, 2.5, 10.0}) {
    const Moments gamma = MomentsOf([&] { return stream.Gamma(shape); });
    EXPECT_NEAR(gamma.mean, shape, 0.02 * shape + 0.004) << shape;
    EXPECT_NEAR(gamma.variance, shape, 0.05 * shape + 0.01) << shape;
  }
  const Moments gumbel = MomentsOf([&] { return stream.Gumbel(); });
  EXPECT_NEAR(gumbel.mean, 0.5772, 0.015);
  EXPECT_NEAR(gumbel.variance, 1.6449, 0.04);
}

TEST(RandomStreamTest, DirichletFromGammas) {
  RandomStream stream(13);
  constexpr double kAlpha = 0.3;
  constexpr int kSize = 8;
  // A share of Dirichlet(α, …, α) has mean 1/k and variance (1/k)(1 − 1/k) / (kα + 1).
  const Moments share = MomentsOf([&] {
    double first = 0, sum = 0;
    for (int i = 0; i < kSize; ++i) {
      const double gamma = stream.Gamma(kAlpha);
      if (i == 0) first = gamma;
      sum += gamma;
    }
    return first / sum;
  });
  EXPECT_NEAR(share.mean, 0.125, 0.002);
  EXPECT_NEAR(share.variance, 0.125 * 0.875 / 3.4, 0.001);
}

TEST(RandomStreamTest, TheStateIsAllThereIs) {
  RandomStream stream(17);
  stream.Normal();
  RandomStream copy;
  copy.set_state(stream.state());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(stream.Normal(), copy.Normal());
}

}  // namespace
}  // namespace qirkat
