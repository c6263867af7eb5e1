// Trajectories on disk: an append-only journal for the open shard, sealed once into an HDF5 file
// (docs/data_format.md). HDF5 is not thread-safe: every call here takes one process-wide lock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/game_info.h"
#include "selfplay/data/columns.h"
#include "selfplay/data/record.h"

namespace qirkat {

inline constexpr int kSchemaVersion = 1;

// What every shard of a run carries besides games.
struct ShardHeader {
  std::string game;
  int game_version = 0;
  OptionTexts game_options;
  int columns = 0, rows = 0;  // of the board
  std::vector<std::string> plane_names, scalar_names;
  int plane_bytes = 0, legal_bytes = 0, policy_size = 0;
  std::string config;  // TOML, only options that can change results
  std::string model;   // name of the model that played
  std::uint64_t seed = 0;
  std::uint64_t generation = 0;
  friend bool operator==(const ShardHeader&, const ShardHeader&) = default;
};
ShardHeader MakeShardHeader(const GameInfo& info);

// Writes games, given in game order from 0, into `directory`: shard k holds the games
// [k * games_per_shard, (k + 1) * games_per_shard) as shard-00000k.h5. A game that Append returned
// from survives the end of the process; what a loss of power takes of the open journal is played
// again (sealed shards are fsynced). Opening a directory that an ended process left continues it:
// next_game() is the first game that is not there; a torn last journal record is dropped. Throws
// UserError if the disk is full, the folder cannot be written or is being written by another
// writer, or what is there belongs to another header or is damaged. After a failed Append or Finish
// every game appended before is there when the directory is opened again, and nothing else.
class ShardWriter {
 public:
  ShardWriter(std::filesystem::path directory, ShardHeader header, std::uint32_t games_per_shard);
  ~ShardWriter();
  std::uint32_t next_game() const;
  void Append(const GameRecord& game);  // game.game == next_game()
  // All games are there: seals the open shard, even if it is not full; the directory takes no more.
  // A writer that goes without Finish leaves the journal, to be continued.
  void Finish();
  // The files with all games so far, in order: sealed shards, then the journal if one is open.
  std::vector<std::filesystem::path> Shards() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A sealed shard, or an open journal, read whole. Throws UserError naming the file and what is
// wrong (missing, truncated, damaged, not a shard, newer schema).
struct Shard {
  ShardHeader header;
  std::vector<GameRecord> games;
};
Shard ReadShard(const std::filesystem::path& path);

// The same as packed arrays, all offsets, rows and policy indices checked: what the replay window
// and other fast readers use.
struct PackedShard {
  ShardHeader header;
  ShardColumns columns;
};
PackedShard ReadPackedShard(const std::filesystem::path& path);
// No games yet, with the row sizes of `header`.
ShardColumns MakeShardColumns(const ShardHeader& header);

// Attributes and counts only.
struct ShardSummary {
  ShardHeader header;
  std::uint64_t games = 0, positions = 0;
  std::uint64_t file_bytes = 0;
  bool sealed = false;
};
ShardSummary ReadShardSummary(const std::filesystem::path& path);

// Writes games as one sealed HDF5 file (temporary name, fsync, rename); equal input, equal bytes.
void WriteShard(const std::filesystem::path& path, const Shard& shard);

// One finding a line: the file, the game and position, what does not hold.
struct VerifyReport {
  std::uint64_t games = 0, positions = 0;
  std::vector<std::string> problems;
};
// Checks a shard or journal wholly: checksum, crc of every game, array sizes, shares, and that
// every game replays to its recorded result with equal planes, legal masks, players and symmetries.
VerifyReport VerifyShard(const std::filesystem::path& path);

// Shards and journals of a file, a shard directory or a run directory, in order. Throws UserError
// if there are none.
std::vector<std::filesystem::path> FindShards(const std::filesystem::path& path);

}  // namespace qirkat
