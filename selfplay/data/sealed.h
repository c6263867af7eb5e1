// A sealed shard as bytes: an HDF5 image and, behind it, a seal. Internal to selfplay/data.
//
// The seal (8 bytes "QIRKSEAL", u32 CRC32C of all bytes before it) lies beyond the end that the
// HDF5 superblock names, so that HDF5 readers do not see it. It is checked before the library
// parses anything: a damaged file can neither crash it nor pass unseen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "selfplay/data/shard.h"

namespace qirkat {

// True for the signature that every HDF5 file starts with.
bool IsHdf5(std::span<const std::uint8_t> bytes);

// Equal contents give equal bytes.
std::vector<std::uint8_t> EncodeShard(const PackedShard& shard);
// All of it, seal, checksum, shapes, offsets and indices checked; throws UserError.
PackedShard DecodeShard(std::span<const std::uint8_t> bytes);
// Seal and attributes only.
ShardSummary DecodeSummary(std::span<const std::uint8_t> bytes);

}  // namespace qirkat
