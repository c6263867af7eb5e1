// The shard writer: shards cut by game number, folders that are continued, folders that are
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/selfplay/data_small_run.h"

namespace qirkat {
namespace {

using namespace testing_data;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Runs `action` in a child process; returns how that ended.
template <class Action>
int InChild(Action&& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ShardWriter, CutsByGameNumber) {
  const TempFolder folder;
  ShardWriter writer(folder / "a" / "b", TestHeader(), kPerShard);
  EXPECT_EQ(writer.next_game(), 0u);
  EXPECT_TRUE(writer.Shards().empty());
  AppendUpTo(writer, kGames);
  EXPECT_EQ(writer.Shards().back(), folder / "a" / "b" / "shard-000002.journal");
  writer.Finish();
  std::vector<fs::path> expected;
  for (const char* name : {"shard-000000.h5", "shard-000001.h5", "shard-000002.h5"}) {
    expected.push_back(folder / "a" / "b" / name);
  }
  EXPECT_EQ(writer.Shards(), expected);
  EXPECT_EQ(FindShards(folder.path()), expected);
  EXPECT_EQ(ReadShardSummary(expected[1]).games, kPerShard);
  EXPECT_EQ(ReadShard(expected[2]).games.front().game, 2 * kPerShard);
  EXPECT_EQ(GamesIn(folder.path()), Games());
}

TEST(ShardWriter, SealsExactlyFullShards) {
  const TempFolder folder;
  {
    ShardWriter writer(folder.path(), TestHeader(), 5);
    AppendUpTo(writer, 10);
    writer.Finish();
    writer.Finish();  // nothing is left to do
    EXPECT_EQ(writer.Shards().size(), 2u);
  }
  ShardWriter again(folder.path(), TestHeader(), 5);
  EXPECT_EQ(again.next_game(), 10u);
}

TEST(ShardWriter, ContinuesBehindAnyGame) {
  for (std::uint32_t games = 0; games <= kGames; ++games) {
    const TempFolder folder;
    WriteUnfinished(folder.path(), games);
    ExpectContinues(folder.path(), games);
  }
}

TEST(ShardWriter, OpenJournalIsReadable) {
  const TempFolder folder;
  WriteUnfinished(folder.path(), 6);
  const fs::path journal = folder / "shard-000001.journal";
  EXPECT_EQ(ReadShard(journal).header, TestHeader());
  EXPECT_EQ(ReadShard(journal).games, (std::vector<GameRecord>{Games()[4], Games()[5]}));
  const ShardSummary summary = ReadShardSummary(journal);
  EXPECT_FALSE(summary.sealed);
  EXPECT_EQ(summary.games, 2u);
  EXPECT_EQ(summary.positions, Games()[4].positions.size() + Games()[5].positions.size());
}

TEST(ShardWriter, OtherRunsAreRefused) {
  const TempFolder folder;
  WriteUnfinished(folder.path(), 6);
  using Change = void (*)(ShardHeader&);
  const std::vector<std::pair<Change, std::string>> changes = {
      {[](ShardHeader& h) { h.game = "chess"; }, "game is 'reversi' instead of 'chess'"},
      {[](ShardHeader& h) { ++h.game_version; }, "game version is"},
      {[](ShardHeader& h) { h.game_options[0].second += "x"; }, "options is"},
      {[](ShardHeader& h) { ++h.columns; }, "columns is"},
      {[](ShardHeader& h) { ++h.rows; }, "rows is"},
      {[](ShardHeader& h) { h.plane_names.pop_back(); }, "planes is"},
      {[](ShardHeader& h) { h.scalar_names.push_back("x"); }, "scalars is"},
      {[](ShardHeader& h) { ++h.plane_bytes; }, "bytes of a row's planes is"},
      {[](ShardHeader& h) { ++h.legal_bytes; }, "bytes of a row's legal mask is"},
      {[](ShardHeader& h) { ++h.policy_size; }, "policy size is"},
      {[](ShardHeader& h) { ++h.seed; }, "seed is '12' instead of '13'"},
      {[](ShardHeader& h) { ++h.generation; }, "generation is"},
      {[](ShardHeader& h) { h.model = "y"; }, "model is"},
      {[](ShardHeader& h) { h.config = "[search]\nvisits = 50\n"; },
       "config is 'visits = 100' instead of 'visits = 50'"},
      {[](ShardHeader& h) { h.config += "\n"; }, "config is"},
  };
  for (const auto& [change, text] : changes) {
    ShardHeader header = TestHeader();
    change(header);
    EXPECT_THAT(OpenError(folder.path(), header),
                AllOf(HasSubstr("shard-000000.h5 belongs to another run: "), HasSubstr(text)));
  }
  fs::remove(folder / "shard-000000.h5");
  fs::rename(folder / "shard-000001.journal", folder / "shard-000000.journal");
  ShardHeader header = TestHeader();
  ++header.seed;
  EXPECT_THAT(OpenError(folder.path(), header), HasSubstr("belongs to another run: seed"));
  EXPECT_THAT(OpenError(folder.path()), HasSubstr("holds game 4 where game 0 belongs"));
}

TEST(ShardWriter, GapsAndOtherShardSizesAreRefused) {
  const TempFolder folder;
  WriteUnfinished(folder.path(), 9);
  EXPECT_THAT(OpenError(folder.path(), TestHeader(), 3),
              HasSubstr("holds 4 games, more than the 3"));
  EXPECT_THAT(OpenError(folder.path(), TestHeader(), 5),
              HasSubstr("missing or not full (5 games)"));
  fs::remove(folder / "shard-000000.h5");
  EXPECT_THAT(OpenError(folder.path()),
              HasSubstr("shard-000001.h5: the shard before it is missing"));
}

TEST(ShardWriter, FinishedFoldersTakeNoMore) {
  const TempFolder folder;
  {
    ShardWriter writer(folder.path(), TestHeader(), kPerShard);
    AppendUpTo(writer, 6);
    writer.Finish();
    EXPECT_THAT(ErrorOf([&] { writer.Append(Games()[6]); }), HasSubstr("finished with 6 games"));
  }
  ShardWriter writer(folder.path(), TestHeader(), kPerShard);
  EXPECT_EQ(writer.next_game(), 6u);
  EXPECT_THAT(ErrorOf([&] { writer.Append(Games()[6]); }), HasSubstr("finished with 6 games"));
}

TEST(ShardWriter, MisuseIsABug) {
  const TempFolder folder;
  ShardWriter writer(folder.path(), TestHeader(), kPerShard);
  EXPECT_THROW(writer.Append(Games()[1]), InternalError);
  GameRecord game = Games()[0];
  game.positions[0].planes.push_back(0);
  EXPECT_THROW(writer.Append(game), InternalError);
  AppendUpTo(writer, 2);
  EXPECT_EQ(GamesIn(folder.path()), FirstGames(2));
}

TEST(ShardWriter, OneWriterAtATime) {
  const TempFolder folder;
  {
    ShardWriter writer(folder.path(), TestHeader(), kPerShard);
    EXPECT_THAT(OpenError(folder.path()), HasSubstr("another process is writing games"));
  }
  EXPECT_EQ(OpenError(folder.path()), "");
}

TEST(ShardWriter, AFileWhereAFolderShouldBe) {
  const TempFolder folder;
  WriteBytes(folder / "file", {1, 2, 3});
  EXPECT_THAT(OpenError(folder / "file"), HasSubstr("cannot write into"));
  EXPECT_THAT(OpenError(folder / "file" / "below"), HasSubstr("cannot write into"));
  fs::create_directories(folder / "run" / "shard-000000.journal");
  EXPECT_THAT(OpenError(folder / "run"), HasSubstr("shard-000000.journal"));
}

TEST(ShardWriter, AFolderWithoutPermission) {
  const TempFolder folder;
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec |
                                         fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(folder.path(), fs::perms::all);
  const int result = InChild([&] {
    constexpr uid_t kNobody = 65534;
    if (::getuid() == 0 && ::setuid(kNobody) != 0) return 2;
    const std::string inside = OpenError(folder / "locked");
    const std::string below = OpenError(folder / "locked" / "run");
    return inside.find("Permission denied") != std::string::npos &&
                   below.find("Permission denied") != std::string::npos
               ? 0
               : 1;
  });
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace qirkat
