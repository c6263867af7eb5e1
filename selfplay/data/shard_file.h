// Shard files by name and as bytes. Internal to selfplay/data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selfplay/data/shard.h"

namespace qirkat {

inline constexpr std::string_view kShardExtension = ".h5";
inline constexpr std::string_view kJournalExtension = ".journal";

// shard-000007.h5, shard-000007.journal
struct ShardName {
  std::uint32_t number;
  bool sealed;
};
std::string ShardFileName(const ShardName& name);
// nullopt for the name of any other file.
std::optional<ShardName> ParseShardName(std::string_view file_name);

struct ShardBytes {
  std::vector<std::uint8_t> bytes;
  bool sealed;  // else a journal
};
// Throws UserError if the file is neither a shard nor a journal by its first bytes.
ShardBytes LoadShardBytes(const std::filesystem::path& path);

// Games as columns, all checked; throws UserError.
PackedShard PackShard(const Shard& shard);

}  // namespace qirkat
