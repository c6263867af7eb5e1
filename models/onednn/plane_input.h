// The network's input from packed observation planes, channels last.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace qirkat {

// Writes `one` or 0 to out [rows, squares, planes] for every bit of the packed planes (plane *
// squares + square, little-endian bits; rows (planes * squares + 7) / 8 bytes apart). Few bits are
// set: they are visited one by one.
template <class T>
void WritePlanes(std::span<const std::uint8_t> packed, int rows, int planes, int squares, T one,
                 T* out) {
  const int bits = planes * squares, bytes = (bits + 7) / 8;
  std::fill_n(out, static_cast<std::ptrdiff_t>(rows) * bits, T());
  const std::uint8_t* row = packed.data();
  for (int r = 0; r < rows; ++r, row += bytes, out += bits) {
    int plane = 0, begin = 0;  // of the bits seen so far; bits come in order
    for (int byte = 0; byte < bytes; byte += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, row + byte, static_cast<std::size_t>(std::min(8, bytes - byte)));
      for (; word != 0; word &= word - 1) {
        const int bit = byte * 8 + std::countr_zero(word);
        if (bit >= bits) break;
        while (bit - begin >= squares) {
          begin += squares;
          ++plane;
        }
        out[(bit - begin) * planes + plane] = one;
      }
    }
  }
}

}  // namespace qirkat
