// One run of a few small games, written by ShardWriter, for the tests of the writer.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "envs/core/file.h"
#include "selfplay/data/shard.h"
#include "tests/selfplay/data_games.h"

namespace qirkat::testing_data {

namespace fs = std::filesystem;

inline constexpr std::uint32_t kGames = 10, kPerShard = 4, kStride = 12;

inline const std::vector<GameRecord>& Games() {
  static const std::vector<GameRecord> games = RandomGames(kGames, kStride);
  return games;
}

inline std::vector<GameRecord> FirstGames(std::size_t count) {
  return {Games().begin(), Games().begin() + static_cast<long>(count)};
}

// Plays on to `end` games as a run would.
inline void AppendUpTo(ShardWriter& writer, std::uint32_t end) {
  while (writer.next_game() < end) writer.Append(Games()[writer.next_game()]);
}

// A directory as an ended process leaves it.
inline void WriteUnfinished(const fs::path& folder, std::uint32_t games) {
  ShardWriter writer(folder, TestHeader(), kPerShard);
  AppendUpTo(writer, games);
}

inline std::map<std::string, std::vector<std::uint8_t>> BytesIn(const fs::path& folder) {
  std::map<std::string, std::vector<std::uint8_t>> bytes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    bytes[entry.path().filename().string()] = ReadFileBytes(entry.path());
  }
  return bytes;
}

// What an undisturbed process writes.
inline const std::map<std::string, std::vector<std::uint8_t>>& Undisturbed() {
  static const auto bytes = [] {
    const TempFolder folder;
    ShardWriter writer(folder.path(), TestHeader(), kPerShard);
    AppendUpTo(writer, kGames);
    writer.Finish();
    return BytesIn(folder.path());
  }();
  return bytes;
}

// Opens the folder, expects exactly `games` games there, plays on and expects the undisturbed
// bytes.
inline void ExpectContinues(const fs::path& folder, std::uint32_t games) {
  {
    ShardWriter writer(folder, TestHeader(), kPerShard);
    ASSERT_EQ(writer.next_game(), games);
    if (games > 0) {
      ASSERT_EQ(GamesIn(folder), FirstGames(games));
    }
    AppendUpTo(writer, kGames);
    writer.Finish();
  }
  EXPECT_EQ(BytesIn(folder), Undisturbed());
}

inline std::string OpenError(const fs::path& folder, const ShardHeader& header = TestHeader(),
                             std::uint32_t per_shard = kPerShard) {
  return ErrorOf([&] { ShardWriter(folder, header, per_shard); });
}

}  // namespace qirkat::testing_data
