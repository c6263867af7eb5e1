// TensorBoard event files: TFRecord frames of Event messages, written without TensorFlow's
// protobufs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qirkat {

// One frame of a TFRecord file: length, its masked CRC32C, the bytes, their masked CRC32C.
std::string TfRecord(std::string_view bytes);

// The first event of every file.
std::string EventFileHeader(double unix_seconds);

// An Event of scalars: one Summary value each.
std::string ScalarsEvent(double unix_seconds, std::uint64_t step,
                         const std::vector<std::pair<std::string, double>>& values);

}  // namespace qirkat
