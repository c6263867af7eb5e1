// Softmax with an exponential of our own: the same bits with every C library and processor, and the
// compiler turns the loop into vector instructions, which it cannot do with std::exp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace qirkat {

// e^x for x <= 0, relative error below 4e-7; 0 below about -87.
inline float ExpNonPositive(float x) {
  constexpr float kLog2E = 1.44269504f;
  const float scaled = std::max(x * kLog2E, -127.0f);
  const float whole = std::floor(scaled + 0.5f);
  const float rest = scaled - whole;  // in [-1/2, 1/2]
  // Taylor series of 2^rest: coefficients ln(2)^k / k!.
  float power = 1.5403530e-4f;
  power = power * rest + 1.3333558e-3f;
  power = power * rest + 9.6181291e-3f;
  power = power * rest + 5.5504109e-2f;
  power = power * rest + 2.4022651e-1f;
  power = power * rest + 6.9314718e-1f;
  power = power * rest + 1.0f;
  return power * std::bit_cast<float>((static_cast<std::int32_t>(whole) + 127) << 23);
}

// Turns logits into probabilities in place. Returns the sum of the exponentials: at least 1, or not
// a number if a logit is none.
inline float Softmax(std::span<float> logits) {
  float largest = logits[0];
  for (const float logit : logits) largest = std::max(largest, logit);
  for (float& logit : logits) logit = ExpNonPositive(logit - largest);
  float sum = 0;
  for (const float share : logits) sum += share;
  const float scale = 1 / sum;
  for (float& share : logits) share *= scale;
  return sum;
}

}  // namespace qirkat
