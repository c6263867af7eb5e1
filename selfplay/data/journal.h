// The journal of an open shard: a header, then games as they end. Internal to selfplay/data; the
// bytes are described in docs/data_format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "selfplay/data/shard.h"

namespace qirkat {

bool IsJournal(std::span<const std::uint8_t> bytes);

// What stands before the first game.
std::vector<std::uint8_t> JournalStart(const ShardHeader& header);
// A game with its length and checksums.
std::vector<std::uint8_t> JournalEntry(const GameRecord& game);

struct JournalContents {
  ShardHeader header;
  std::vector<GameRecord> games;  // those before the torn end or the damage
  std::size_t valid_bytes = 0;    // where the last good game ends
  std::size_t torn_bytes = 0;     // of a last game that was cut short while it was appended
  std::string damage;             // what is wrong in the middle; empty: nothing
};
// Throws UserError if the header is damaged.
JournalContents ParseJournal(std::span<const std::uint8_t> bytes);
// Throws UserError if there is damage.
void RequireUndamaged(const JournalContents& contents);

// The journal that a writer appends to. Appended games survive the end of the process at once; what
// a loss of power takes (nothing is fsynced here) is played again.
class JournalFile {
 public:
  // Opens an existing journal whose good part is `size` bytes long; what follows is cut off.
  JournalFile(std::filesystem::path path, std::size_t size);
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  // All of `entry` or nothing: on failure (UserError) the file is cut back to what it was.
  void Append(std::span<const std::uint8_t> entry);
  const std::filesystem::path& path() const { return path_; }

 private:
  void CutBack();

  std::filesystem::path path_;
  std::size_t size_;
  int descriptor_;
};

}  // namespace qirkat
