// From packed observation planes to the numbers that a network takes.
#pragma once

#include <cstdint>
#include <span>

namespace qirkat {

// Writes bit b of each row (little-endian bits, as in ObservationRow: plane * squares + square) as
// 0 or 1 to out[row * bits + b]. Rows start at a whole byte, (bits + 7) / 8 bytes apart: the [rows,
// planes, board rows, columns] input of a network if bits = planes * squares.
void UnpackBits(std::span<const std::uint8_t> packed, int rows, int bits, std::span<float> out);

}  // namespace qirkat
