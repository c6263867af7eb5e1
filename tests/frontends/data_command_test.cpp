// qirkat data info|verify as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "envs/core/file.h"
#include "tests/frontends/run_program.h"
#include "tests/selfplay/data_games.h"

namespace qirkat::test {
namespace {

using namespace testing_data;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A run with a sealed shard and an open journal in generation 3.
std::vector<GameRecord> WriteRun(const TempFolder& folder) {
  const std::vector<GameRecord> games = RandomGames(7, 6);
  ShardWriter writer(folder / "data" / "gen-0003", TestHeader(), 4);
  for (const GameRecord& game : games) writer.Append(game);
  return games;
}

void Flip(const std::filesystem::path& path, std::size_t at) {
  auto bytes = ReadFileBytes(path);
  bytes[at] ^= 1;
  WriteBytes(path, bytes);
}

TEST(DataCommand, InfoCounts) {
  const TempFolder folder;
  std::uint64_t positions = 0, plies = 0, won = 0;
  for (const GameRecord& game : WriteRun(folder)) {
    positions += game.positions.size();
    plies += game.actions.size();
    won += game.outcome.result > 0;
  }
  const ProgramResult result = RunProgram({"data", "info", folder.path(), "--json"});
  EXPECT_EQ(result.exit_code, 0);
  const auto parts = nlohmann::json::parse(result.out);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_THAT(parts[0]["game"], StartsWith("reversi version "));
  EXPECT_EQ(parts[0]["generation"], 3);
  EXPECT_EQ(parts[0]["model"], TestHeader().model);
  EXPECT_EQ(parts[0]["files"], 2);
  EXPECT_EQ(parts[0]["open_files"], 1);
  EXPECT_EQ(parts[0]["games"], 7);
  EXPECT_EQ(parts[0]["positions"], positions);
  EXPECT_EQ(parts[0]["player_0_wins"], won);
  EXPECT_EQ(parts[0]["reasons"]["discs"], 7);
  EXPECT_NEAR(parts[0]["mean_plies"], static_cast<double>(plies) / 7, 1e-9);

  const ProgramResult text = RunProgram({"data", "info", folder.path()});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("discs 7"));
}

TEST(DataCommand, VerifyOfWhatHolds) {
  const TempFolder folder;
  WriteRun(folder);
  const ProgramResult result = RunProgram({"data", "verify", folder.path()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("files 2, games 7, "));
  EXPECT_THAT(result.out, HasSubstr("problems 0\n"));
}

TEST(DataCommand, VerifyOfDamageIsOneLineEach) {
  const TempFolder folder;
  WriteRun(folder);
  const auto shard = folder / "data" / "gen-0003" / "shard-000000.h5";
  const auto journal = folder / "data" / "gen-0003" / "shard-000001.journal";
  Flip(shard, 5000);
  Flip(journal, ReadFileBytes(journal).size() / 2);
  ProgramResult result = RunProgram({"data", "verify", folder.path()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, StartsWith(shard.string() + ": damaged shard"));
  EXPECT_THAT(result.out, HasSubstr(journal.string() + ": damaged at byte"));
  EXPECT_THAT(result.out, HasSubstr("problems 2\n"));

  WriteBytes(shard, {});
  result = RunProgram({"data", "verify", folder.path(), "--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(result.out)["problems"].size(), 2u);
  EXPECT_EQ(RunProgram({"data", "verify", journal}).exit_code, 1);
}

TEST(DataCommand, DamagedInputElsewhereIsAnError) {
  const TempFolder folder;
  WriteRun(folder);
  Flip(folder / "data" / "gen-0003" / "shard-000000.h5", 5000);
  ExpectUserError({"data", "info", folder.path()}, {"shard-000000.h5", "seal"});
}

TEST(DataCommand, NoShardAtAll) {
  const TempFolder folder;
  WriteBytes(folder / "text.h5", {'t', 'e', 'x', 't'});
  for (const char* command : {"info", "verify"}) {
    ExpectUserError({"data", command, folder / "text.h5"}, {"text.h5", "not a shard"});
    ExpectUserError({"data", command, folder / "none"}, {"none", "No such file"});
    ExpectUserError({"data", command, folder.path()}, {"no shards in", "accepted"});
    ExpectUserError({"data", command}, {"PATH"});
  }
  ExpectUserError({"data"}, {"info, verify"});
  ExpectUserError({"data", "verifi", "x"}, {"did you mean 'verify'"});
}

TEST(DataCommand, WithoutPermission) {
  const TempFolder folder;
  WriteRun(folder);
  std::filesystem::permissions(folder / "data", std::filesystem::perms::none);
  ExpectUserError({"data", "info", folder / "data"}, {"data: Permission denied"},
                  {.without_root_rights = true});
  ExpectUserError({"data", "verify", folder / "data" / "gen-0003"}, {"Permission denied"},
                  {.without_root_rights = true});
  std::filesystem::permissions(folder / "data", std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace qirkat::test
