// CRC32C (Castagnoli), the checksum of iSCSI and of most storage formats: SSE4.2 has the
// instruction.
#pragma once

#include <nmmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace qirkat {

// The CRC of `size` bytes; pass the CRC of what came before to go on with it.
inline std::uint32_t Crc32c(const void* data, std::size_t size, std::uint32_t crc = 0) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::uint64_t state = ~crc;
  for (; size >= 8; bytes += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    state = _mm_crc32_u64(state, word);
  }
  auto tail = static_cast<std::uint32_t>(state);
  for (; size > 0; ++bytes, --size) tail = _mm_crc32_u8(tail, *bytes);
  return ~tail;
}

}  // namespace qirkat
