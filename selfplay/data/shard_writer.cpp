#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <system_error>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "selfplay/data/header.h"
#include "selfplay/data/journal.h"
#include "selfplay/data/shard.h"
#include "selfplay/data/shard_file.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;

// Keeps a second writer, of this process or another, out of a directory.
class DirectoryLock {
 public:
  explicit DirectoryLock(const fs::path& directory)
      : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw UserError(StrCat("cannot write into ", directory.string(), ": ", std::strerror(errno)));
    }
    // File systems without locks are no reason to refuse.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      throw UserError(StrCat("another process is writing games into ", directory.string(),
                             "; choose another folder or wait for it"));
    }
  }
  ~DirectoryLock() { ::close(descriptor_); }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_;
};

fs::path RequireDirectory(const fs::path& directory) {
  std::error_code error;
  if (fs::create_directories(directory, error)) SyncPath(fs::absolute(directory).parent_path());
  if (!error && !fs::is_directory(directory, error)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (!error && ::access(directory.c_str(), W_OK | X_OK) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  if (error) {
    throw UserError(StrCat("cannot write into ", directory.string(), ": ", error.message()));
  }
  return directory;
}

struct Found {
  bool sealed = false, journal = false;
};

// The shards in a directory by number. Removes what an interrupted write left (name + ".partial").
std::map<std::uint32_t, Found> Scan(const fs::path& directory) {
  std::map<std::uint32_t, Found> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == kPartialExtension && ParseShardName(path.stem().string())) {
      ::unlink(path.c_str());
    } else if (const auto name = ParseShardName(path.filename().string())) {
      (name->sealed ? found[name->number].sealed : found[name->number].journal) = true;
    }
  }
  if (error) throw UserError(StrCat("cannot read ", directory.string(), ": ", error.message()));
  return found;
}

}  // namespace

struct ShardWriter::Impl {
  Impl(const fs::path& directory_path, ShardHeader shard_header, std::uint32_t shard_games)
      : directory(RequireDirectory(directory_path)),
        header(std::move(shard_header)),
        games_per_shard(shard_games),
        lock(directory) {
    QIRKAT_CHECK(games_per_shard > 0, games_per_shard);
    for (const auto& [number, files] : Scan(directory)) Continue(number, files);
  }

  fs::path PathOf(std::uint32_t number, bool sealed) const {
    return directory / ShardFileName({number, sealed});
  }
  std::uint64_t first_game_of_open() const {
    return std::uint64_t{sealed_shards} * games_per_shard;
  }

  // Takes over what an earlier process wrote, shard by shard.
  void Continue(std::uint32_t number, const Found& files) {
    const fs::path path = PathOf(number, files.sealed);
    if (number != sealed_shards || finished) {
      throw UserError(StrCat(path.string(), ": the shard before it is missing or not full (",
                             games_per_shard, " games)"));
    }
    if (files.sealed) {
      ContinueSealed(path);
      // The process ended before it could remove what it had sealed.
      if (files.journal) RemoveJournal(number);
    } else {
      ContinueJournal(path);
    }
  }

  void ContinueSealed(const fs::path& path) {
    const ShardSummary summary = ReadShardSummary(path);
    RequireSameHeader(path, summary.header);
    RequireRoomFor(path, summary.games);
    finished = summary.games < games_per_shard;
    ++sealed_shards;
    next_game += static_cast<std::uint32_t>(summary.games);
  }

  void ContinueJournal(const fs::path& path) {
    const JournalContents contents = ReadJournal(path);
    RequireSameHeader(path, contents.header);
    RequireRoomFor(path, contents.games.size());
    for (const GameRecord& game : contents.games) {
      if (game.game != next_game) {
        throw UserError(StrCat(path.string(), ": holds game ", game.game, " where game ", next_game,
                               " belongs (", games_per_shard, " games a shard)"));
      }
      ++next_game;
    }
    journal.emplace(path, contents.valid_bytes);
  }

  void RequireSameHeader(const fs::path& path, const ShardHeader& found) const {
    const std::string difference = HeaderDifference(found, header);
    if (!difference.empty()) {
      throw UserError(StrCat(path.string(), " belongs to another run: ", difference,
                             "; choose another folder"));
    }
  }
  void RequireRoomFor(const fs::path& path, std::uint64_t games) const {
    if (games > games_per_shard) {
      throw UserError(StrCat(path.string(), ": holds ", games, " games, more than the ",
                             games_per_shard, " a shard that are asked for"));
    }
  }

  static JournalContents ReadJournal(const fs::path& path) {
    const std::vector<std::uint8_t> bytes = ReadFileBytes(path);
    return InContext(path.string(), [&] {
      JournalContents contents = ParseJournal(bytes);
      RequireUndamaged(contents);
      return contents;
    });
  }

  void RemoveJournal(std::uint32_t number) {
    const fs::path path = PathOf(number, false);
    if (::unlink(path.c_str()) != 0) {
      throw UserError(StrCat("cannot remove ", path.string(), ": ", std::strerror(errno)));
    }
    SyncPath(directory);
  }

  // Writes the open shard's HDF5 file and only then removes its journal: killed at any point, the
  // directory holds every game once or twice, and Continue knows both.
  void Seal() {
    JournalContents contents = ReadJournal(journal->path());
    QIRKAT_CHECK(first_game_of_open() + contents.games.size() == next_game, contents.games.size(),
                 next_game);
    WriteShard(PathOf(sealed_shards, true), {header, std::move(contents.games)});
    RemoveJournal(sealed_shards);
    finished = next_game < first_game_of_open() + games_per_shard;
    journal.reset();
    ++sealed_shards;
  }

  void Append(const GameRecord& game) {
    QIRKAT_CHECK(game.game == next_game, game.game, next_game);
    QIRKAT_CHECK(FitsHeader(game, header), game.game);
    if (finished) {
      throw UserError(StrCat(directory.string(), " was finished with ", next_game,
                             " games and takes no more; choose another folder"));
    }
    // Sealed here and not behind the last game of a shard, so that a failure leaves the game out.
    if (journal && next_game == first_game_of_open() + games_per_shard) Seal();
    if (!journal) {
      const std::vector<std::uint8_t> start = JournalStart(header);
      const fs::path path = PathOf(sealed_shards, false);
      WriteFileAtomically(path, start);
      journal.emplace(path, start.size());
    }
    journal->Append(JournalEntry(game));
    ++next_game;
  }

  const fs::path directory;
  const ShardHeader header;
  const std::uint32_t games_per_shard;
  DirectoryLock lock;
  std::uint32_t sealed_shards = 0;
  std::uint32_t next_game = 0;
  bool finished = false;               // the last sealed shard is not full
  std::optional<JournalFile> journal;  // of shard number `sealed_shards`
};

ShardWriter::ShardWriter(fs::path directory, ShardHeader header, std::uint32_t games_per_shard)
    : impl_(std::make_unique<Impl>(directory, std::move(header), games_per_shard)) {}

ShardWriter::~ShardWriter() = default;

std::uint32_t ShardWriter::next_game() const { return impl_->next_game; }

void ShardWriter::Append(const GameRecord& game) { impl_->Append(game); }

void ShardWriter::Finish() {
  if (impl_->journal) impl_->Seal();
}

std::vector<fs::path> ShardWriter::Shards() const {
  std::vector<fs::path> paths;
  for (std::uint32_t k = 0; k < impl_->sealed_shards; ++k) paths.push_back(impl_->PathOf(k, true));
  if (impl_->journal) paths.push_back(impl_->journal->path());
  return paths;
}

}  // namespace qirkat
