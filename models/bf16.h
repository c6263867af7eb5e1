// Numbers in memory as float or as bfloat16, computed with as float.
#pragma once

#include <bit>
#include <cstdint>

namespace qirkat {

// A bfloat16 by its bits.
enum class Bf16 : std::uint16_t {};

inline float Load(float x) { return x; }
inline float Load(Bf16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<std::uint16_t>(x)) << 16);
}

inline void Store(float x, float& to) { to = x; }
// To the nearest, ties to even. (A NaN may become infinite.)
inline void Store(float x, Bf16& to) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  to = static_cast<Bf16>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace qirkat
