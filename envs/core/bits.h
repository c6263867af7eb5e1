// Bit tricks that neither the standard library nor both compilers have.
#pragma once

#include <cstdint>

namespace qirkat {

constexpr std::uint64_t ReverseBits(std::uint64_t x) {
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0F0F0F0F0F0F0F0F) | (x & 0x0F0F0F0F0F0F0F0F) << 4;
  return __builtin_bswap64(x);
}

}  // namespace qirkat
