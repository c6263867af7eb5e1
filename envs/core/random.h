// Named random streams with our own distributions: the same numbers with every standard library.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "envs/core/types.h"

namespace qirkat {

// What a stream is for. A stream is keyed by (seed, generation, game, purpose), so no use of one
// stream can shift another. The numbers are part of reproducibility: never reuse one.
enum class StreamPurpose : std::uint64_t {
  kSetup = 1,       // chance in a game's start (Stratego's setups)
  kEnvActions = 2,  // random play in VectorEnv and `qirkat random`
  kRootNoise = 3,   // Dirichlet noise
  kMoveChoice = 4,  // sampling a move from the visit counts
  kRollout = 5,     // random playouts in the rollout evaluator
  kOpening = 6,     // random openings of matches
  kInitialWeights = 7,
  kTrainingRows = 8,  // which rows a training batch takes
  kAugmentation = 9,  // which symmetry a training row gets
  kPlayer = 10,       // a player of a match
  kTest = 11,
  kWorlds = 12,       // possible worlds that a search draws in games with hidden information
  kCalibration = 13,  // positions on which a network is measured
  kSearchSize = 14,   // which positions of self-play get a full search
};

// xoshiro256** by Blackman and Vigna (2018), seeded through splitmix64.
class RandomStream {
 public:
  using State = std::array<std::uint64_t, 4>;

  RandomStream() : RandomStream(0) {}
  explicit RandomStream(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9E3779B97F4A7C15ull;
      word = Mix64(seed);
    }
  }
  RandomStream(std::uint64_t seed, std::uint64_t generation, std::uint64_t game,
               StreamPurpose purpose)
      : RandomStream(Mix64(Mix64(Mix64(Mix64(seed) + generation) + game) +
                           static_cast<std::uint64_t>(purpose))) {}

  std::uint64_t Next() {
    const std::uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  // Uniform in 0 .. bound - 1, without bias (Lemire 2019). bound > 0.
  std::uint32_t Below(std::uint32_t bound) {
    std::uint64_t product = (Next() >> 32) * bound;
    auto low = static_cast<std::uint32_t>(product);
    if (low < bound) [[unlikely]] {
      const std::uint32_t threshold = (0u - bound) % bound;
      while (low < threshold) {
        product = (Next() >> 32) * bound;
        low = static_cast<std::uint32_t>(product);
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }  // [0, 1)
  double UniformPositive() {
    return static_cast<double>((Next() >> 11) + 1) * 0x1.0p-53;
  }  // (0, 1]

  // Standard normal (polar method of Marsaglia); one number per call, no hidden state.
  double Normal();
  // Gamma(shape, 1), shape > 0 (Marsaglia and Tsang 2000; the boost U^(1/shape) below shape 1).
  double Gamma(double shape);
  // Standard Gumbel.
  double Gumbel() { return -std::log(-std::log(UniformPositive() * (1 - 0x1.0p-53))); }

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  static constexpr std::uint64_t Rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  State state_;
};

// Puts a random-access range of fewer than 2^32 items into a uniformly random order (Fisher and
// Yates).
template <class Items>
void Shuffle(Items&& items, RandomStream& random) {
  for (std::size_t left = std::size(items); left > 1; --left) {
    std::swap(items[left - 1], items[random.Below(static_cast<std::uint32_t>(left))]);
  }
}

}  // namespace qirkat
