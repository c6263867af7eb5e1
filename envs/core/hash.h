// A 128-bit hash of bytes, for keys of what does not fit in 128 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "envs/core/types.h"

namespace qirkat {

// Two lanes of Mix64, started differently, over the values that are added in order.
class Hasher {
 public:
  void Add(std::uint64_t value) {
    key_.lo = Mix64(key_.lo ^ value) + 0x9E3779B97F4A7C15;
    key_.hi = Mix64(key_.hi + value) ^ 0xD1B54A32D192ED03;
  }
  void Add(const Key128& key) {
    Add(key.lo);
    Add(key.hi);
  }
  void AddBytes(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    for (; size >= 8; size -= 8, bytes += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes, 8);
      Add(word);
    }
    if (size == 0) return;
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes, size);
    Add(rest);
  }
  const Key128& key() const { return key_; }

 private:
  Key128 key_ = {0x6A09E667F3BCC908, 0xBB67AE8584CAA73B};
};

}  // namespace qirkat
