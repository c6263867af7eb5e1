#include "models/plane_bits.h"

#include "envs/core/error.h"

namespace qirkat {

void UnpackBits(std::span<const std::uint8_t> packed, int rows, int bits, std::span<float> out) {
  const int row_bytes = (bits + 7) / 8;
  QIRKAT_CHECK(packed.size() >= static_cast<std::size_t>(rows) * row_bytes, packed.size(), rows);
  QIRKAT_CHECK(out.size() >= static_cast<std::size_t>(rows) * bits, out.size(), rows);
  const std::uint8_t* in = packed.data();
  float* to = out.data();
  for (int row = 0; row < rows; ++row, in += row_bytes, to += bits) {
    // Eight bits at a time: the inner loop becomes one vector of shifts.
    for (int byte = 0; byte < bits / 8; ++byte) {
      const std::uint32_t value = in[byte];
      for (int b = 0; b < 8; ++b) to[byte * 8 + b] = static_cast<float>((value >> b) & 1);
    }
    for (int b = bits / 8 * 8; b < bits; ++b)
      to[b] = static_cast<float>((in[b / 8] >> (b % 8)) & 1);
  }
}

}  // namespace qirkat
