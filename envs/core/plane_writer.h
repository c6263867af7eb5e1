// Writes bit planes of any size one behind the other, without padding between them.
#pragma once

#include <cstdint>
#include <cstring>

namespace qirkat {

// A row of an observation from its first byte on. Inlined with constant sizes, what is left is a
// few shifts and whole words.
class PlaneWriter {
 public:
  explicit PlaneWriter(std::uint8_t* bytes) : bytes_(bytes) {}

  // The next `bits` bits, 1 … 64; those of `plane` above them must be 0. A plane of more squares
  // takes several calls.
  void Add(std::uint64_t plane, int bits) {
    pending_ |= plane << filled_;
    if (filled_ + bits < 64) {
      filled_ += bits;
      return;
    }
    std::memcpy(bytes_, &pending_, 8);
    bytes_ += 8;
    const int written = 64 - filled_;
    pending_ = written < 64 ? plane >> written : 0;
    filled_ = bits - written;
  }

  // The last bytes; the bits behind the last plane are 0.
  void Finish() { std::memcpy(bytes_, &pending_, static_cast<std::size_t>(filled_ + 7) / 8); }

 private:
  std::uint8_t* bytes_;
  std::uint64_t pending_ = 0;
  int filled_ = 0;  // bits of pending_, 0 … 63
};

}  // namespace qirkat
