// Random Reversi games as records, and a folder that goes when the test ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/error.h"
#include "selfplay/data/shard.h"

namespace qirkat::testing_data {

std::shared_ptr<const AnyGame> ReversiGame();
ShardHeader TestHeader();

// Random play with random policy targets; every `stride`-th position is recorded.
GameRecord RandomGame(std::uint32_t number, std::uint32_t stride = 1);
std::vector<GameRecord> RandomGames(std::uint32_t count, std::uint32_t stride = 1);
Shard TestShard(std::uint32_t games, std::uint32_t stride = 1);

class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

void WriteBytes(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes);

// What the UserError of `action` says; empty if it throws none.
template <class Action>
std::string ErrorOf(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// All games in a folder of shards, in order.
std::vector<GameRecord> GamesIn(const std::filesystem::path& folder);

}  // namespace qirkat::testing_data
