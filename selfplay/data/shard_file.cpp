#include "selfplay/data/shard_file.h"

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "selfplay/data/journal.h"
#include "selfplay/data/sealed.h"

namespace qirkat {
namespace {

constexpr std::string_view kPrefix = "shard-";
constexpr std::size_t kDigits = 6;

}  // namespace

std::string ShardFileName(const ShardName& name) {
  std::string digits = std::to_string(name.number);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return StrCat(kPrefix, digits, name.sealed ? kShardExtension : kJournalExtension);
}

std::optional<ShardName> ParseShardName(std::string_view file_name) {
  if (!file_name.starts_with(kPrefix)) return std::nullopt;
  const std::size_t dot = file_name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto number =
      ParseNumber<std::uint32_t>(file_name.substr(kPrefix.size(), dot - kPrefix.size()));
  if (!number) return std::nullopt;
  const ShardName name{*number, file_name.substr(dot) == kShardExtension};
  if (ShardFileName(name) != file_name) return std::nullopt;
  return name;
}

ShardBytes LoadShardBytes(const std::filesystem::path& path) {
  ShardBytes file{ReadFileBytes(path), false};
  file.sealed = IsHdf5(file.bytes);
  if (!file.sealed && !IsJournal(file.bytes)) {
    throw UserError(StrCat(path.string(), ": not a shard but ",
                           file.bytes.empty() ? "an empty file" : "a file of another kind",
                           "; accepted: HDF5 shards and journals that qirkat wrote"));
  }
  return file;
}

PackedShard PackShard(const Shard& shard) {
  PackedShard packed{shard.header, MakeShardColumns(shard.header)};
  for (const GameRecord& game : shard.games) packed.columns.Append(game);
  packed.columns.CheckAndIndex(shard.header.policy_size);
  return packed;
}

}  // namespace qirkat
