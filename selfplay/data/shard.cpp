#include "selfplay/data/shard.h"

#include <algorithm>
#include <system_error>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "selfplay/data/journal.h"
#include "selfplay/data/sealed.h"
#include "selfplay/data/shard_file.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;

std::uint64_t CountPositions(const std::vector<GameRecord>& games) {
  std::uint64_t positions = 0;
  for (const GameRecord& game : games) positions += game.positions.size();
  return positions;
}

JournalContents ParseWholeJournal(const std::vector<std::uint8_t>& bytes) {
  JournalContents contents = ParseJournal(bytes);
  RequireUndamaged(contents);
  return contents;
}

}  // namespace

PackedShard ReadPackedShard(const fs::path& path) {
  const ShardBytes file = LoadShardBytes(path);
  return InContext(path.string(), [&] {
    if (file.sealed) return DecodeShard(file.bytes);
    JournalContents contents = ParseWholeJournal(file.bytes);
    return PackShard({std::move(contents.header), std::move(contents.games)});
  });
}

Shard ReadShard(const fs::path& path) {
  PackedShard packed = ReadPackedShard(path);
  Shard shard{std::move(packed.header), {}};
  for (std::size_t row = 0; row < packed.columns.games.size(); ++row) {
    shard.games.push_back(packed.columns.Game(row));
  }
  return shard;
}

ShardSummary ReadShardSummary(const fs::path& path) {
  const ShardBytes file = LoadShardBytes(path);
  return InContext(path.string(), [&] {
    if (file.sealed) return DecodeSummary(file.bytes);
    const JournalContents contents = ParseWholeJournal(file.bytes);
    ShardSummary summary;
    summary.header = contents.header;
    summary.games = contents.games.size();
    summary.positions = CountPositions(contents.games);
    summary.file_bytes = file.bytes.size();
    return summary;
  });
}

void WriteShard(const fs::path& path, const Shard& shard) {
  WriteFileAtomically(path, EncodeShard(PackShard(shard)));
}

std::vector<fs::path> FindShards(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw UserError(StrCat("cannot read ", path.string(), ": ",
                           error ? error.message() : "No such file or directory"));
  }
  if (!fs::is_directory(status)) return {path};
  std::vector<fs::path> found;
  fs::recursive_directory_iterator entries(path, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    if (ParseShardName(entries->path().filename().string())) found.push_back(entries->path());
  }
  if (error) throw UserError(StrCat("cannot read ", path.string(), ": ", error.message()));
  std::sort(found.begin(), found.end());
  // A process killed between sealing and removing a journal leaves both: the same games.
  std::erase_if(found, [&](const fs::path& file) {
    fs::path sealed = file;
    sealed.replace_extension(kShardExtension);
    return file.extension() == kJournalExtension &&
           std::binary_search(found.begin(), found.end(), sealed);
  });
  if (found.empty()) {
    throw UserError(StrCat("no shards in ", path.string(),
                           "; accepted: a shard (.h5), a journal, or a folder that holds some"));
  }
  return found;
}

}  // namespace qirkat
