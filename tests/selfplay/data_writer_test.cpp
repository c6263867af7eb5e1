// The shard writer: shards cut by game number, directories that a killed process left, a full disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "envs/core/file.h"
#include "envs/core/random.h"
#include "envs/core/text.h"
#include "selfplay/data/journal.h"
#include "selfplay/data/shard.h"
#include "tests/selfplay/data_games.h"

namespace qirkat {
namespace {

using namespace testing_data;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint32_t kGames = 10, kPerShard = 4, kStride = 12;

const std::vector<GameRecord>& Games() {
  static const std::vector<GameRecord> games = RandomGames(kGames, kStride);
  return games;
}

std::vector<GameRecord> FirstGames(std::size_t count) {
  return {Games().begin(), Games().begin() + static_cast<long>(count)};
}

// Plays on to `end` games as a run would.
void AppendUpTo(ShardWriter& writer, std::uint32_t end) {
  while (writer.next_game() < end) writer.Append(Games()[writer.next_game()]);
}

// A directory as an ended process leaves it.
void WriteUnfinished(const fs::path& folder, std::uint32_t games) {
  ShardWriter writer(folder, TestHeader(), kPerShard);
  AppendUpTo(writer, games);
}

std::map<std::string, std::vector<std::uint8_t>> BytesIn(const fs::path& folder) {
  std::map<std::string, std::vector<std::uint8_t>> bytes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    bytes[entry.path().filename().string()] = ReadFileBytes(entry.path());
  }
  return bytes;
}

// What an undisturbed process writes.
const std::map<std::string, std::vector<std::uint8_t>>& Undisturbed() {
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
void ExpectContinues(const fs::path& folder, std::uint32_t games) {
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

std::string OpenError(const fs::path& folder, const ShardHeader& header = TestHeader(),
                      std::uint32_t per_shard = kPerShard) {
  return ErrorOf([&] { ShardWriter(folder, header, per_shard); });
}

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

// The journal cut at every byte: the games that were whole are there, and no other.
TEST(ShardWriter, TornJournalKeepsWholeGames) {
  const TempFolder folder;
  WriteUnfinished(folder.path(), 3);
  const auto bytes = ReadFileBytes(folder / "shard-000000.journal");
  std::vector<std::size_t> ends = {JournalStart(TestHeader()).size()};
  for (std::size_t k = 0; k < 3; ++k) ends.push_back(ends.back() + JournalEntry(Games()[k]).size());
  ASSERT_EQ(ends.back(), bytes.size());

  std::size_t whole = 0;
  for (std::size_t size = ends[0]; size <= bytes.size(); ++size) {
    if (whole < 3 && size == ends[whole + 1]) ++whole;
    const auto contents = ParseJournal(std::span(bytes).first(size));
    ASSERT_EQ(contents.games.size(), whole) << size;
    ASSERT_EQ(contents.valid_bytes, ends[whole]) << size;
    ASSERT_EQ(contents.torn_bytes, size - ends[whole]) << size;
    ASSERT_EQ(contents.damage, "") << size;
    if (size % 501 != 0 && size != ends[whole] &&
        size + 1 != ends[std::min<std::size_t>(whole + 1, 3)])
      continue;
    const TempFolder torn;
    WriteBytes(torn / "shard-000000.journal",
               {bytes.begin(), bytes.begin() + static_cast<long>(size)});
    ExpectContinues(torn.path(), static_cast<std::uint32_t>(whole));
  }
  for (std::size_t size = 0; size < ends[0]; ++size) {
    EXPECT_NE(ErrorOf([&] { ParseJournal(std::span(bytes).first(size)); }), "") << size;
  }
}

// A loss of power can leave blocks that were never written, or a last game that never arrived.
TEST(ShardWriter, UnwrittenEndIsDropped) {
  const TempFolder folder;
  WriteUnfinished(folder.path(), 3);
  auto bytes = ReadFileBytes(folder / "shard-000000.journal");
  const std::size_t last = JournalEntry(Games()[2]).size();
  std::fill(bytes.end() - static_cast<long>(last) / 2, bytes.end(), 0);
  WriteBytes(folder / "shard-000000.journal", bytes);
  ExpectContinues(folder.path(), 2);

  const TempFolder zeros;
  std::fill(bytes.end() - static_cast<long>(last), bytes.end(), 0);
  WriteBytes(zeros / "shard-000000.journal", bytes);
  ExpectContinues(zeros.path(), 2);
}

// Any byte before the last game: an error, and the file is left as it is.
TEST(ShardWriter, DamageInTheMiddleIsRefused) {
  const TempFolder folder;
  WriteUnfinished(folder.path(), 3);
  const fs::path journal = folder / "shard-000000.journal";
  auto bytes = ReadFileBytes(journal);
  const std::size_t last = bytes.size() - JournalEntry(Games()[2]).size();
  for (std::size_t at = 0; at < last; ++at) {
    bytes[at] ^= 0x10;
    std::string error = ErrorOf([&] { RequireUndamaged(ParseJournal(bytes)); });
    EXPECT_NE(error, "") << at;
    if (at % 211 == 0) {
      WriteBytes(journal, bytes);
      error = OpenError(folder.path());
      EXPECT_THAT(error, HasSubstr("shard-000000.journal: "));
      EXPECT_EQ(error.find('\n'), std::string::npos);
      EXPECT_NE(ErrorOf([&] { ReadShard(journal); }), "");
      EXPECT_EQ(ReadFileBytes(journal), bytes);
    }
    bytes[at] ^= 0x10;
  }
  bytes[last - 1] ^= 1;
  WriteBytes(journal, bytes);
  EXPECT_THAT(OpenError(folder.path()),
              AllOf(HasSubstr("behind 1 good games"), HasSubstr("qirkat data verify")));
}

// Every state of the directory while a shard is sealed.
TEST(ShardWriter, ContinuesFromAnyStepOfSealing) {
  const TempFolder folder;
  WriteUnfinished(folder.path(), kPerShard);
  const auto journal = ReadFileBytes(folder / "shard-000000.journal");
  const auto& sealed = Undisturbed().at("shard-000000.h5");
  for (std::size_t size = 0; size <= sealed.size(); size += sealed.size() / 8) {
    const TempFolder partial;
    WriteBytes(partial / "shard-000000.journal", journal);
    WriteBytes(partial / "shard-000000.h5.partial",
               {sealed.begin(), sealed.begin() + static_cast<long>(size)});
    ExpectContinues(partial.path(), kPerShard);
  }
  const TempFolder renamed;
  WriteBytes(renamed / "shard-000000.journal", journal);
  WriteBytes(renamed / "shard-000000.h5", sealed);
  EXPECT_EQ(FindShards(renamed.path()).size(), 1u);
  ExpectContinues(renamed.path(), kPerShard);

  const TempFolder begun;  // killed while the next journal was made
  WriteBytes(begun / "shard-000000.h5", sealed);
  WriteBytes(begun / "shard-000001.journal.partial", {'Q', 'I'});
  ExpectContinues(begun.path(), kPerShard);
}

// Killed again and again at any moment, the run ends with the bytes of an undisturbed one.
TEST(ShardWriter, SurvivesKills) {
  const TempFolder folder;
  RandomStream random(3, 0, 0, StreamPurpose::kTest);
  Undisturbed();
  std::uint32_t safe = 0;
  int kills = 0;
  for (int round = 0; round < 60 && safe < kGames; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      ShardWriter writer(folder.path(), TestHeader(), kPerShard);
      AppendUpTo(writer, std::min(kGames, writer.next_game() + 3));
      ::pause();
      ::_exit(0);
    }
    ::usleep(random.Below(20000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    kills += WIFSIGNALED(status);
    ShardWriter writer(folder.path(), TestHeader(), kPerShard);
    ASSERT_GE(writer.next_game(), safe);
    safe = writer.next_game();
  }
  EXPECT_GT(kills, 2);
  ExpectContinues(folder.path(), safe);
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

// Appends until something fails; returns how many games went in.
std::uint32_t AppendUntilFailure(const fs::path& folder, std::string& error) {
  std::uint32_t appended = 0;
  error = ErrorOf([&] {
    ShardWriter writer(folder, TestHeader(), kPerShard);
    while (appended < kGames) {
      writer.Append(Games()[appended]);
      ++appended;
    }
    writer.Finish();
  });
  return appended;
}

// No file may grow beyond a limit: the journal fails within a game or a shard fails while it is
// sealed.
TEST(ShardWriter, FileSizeLimitAnywhere) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::size_t largest = 0;
  for (const auto& [name, bytes] : Undisturbed()) largest = std::max(largest, bytes.size());
  std::size_t failures = 0;
  for (std::size_t limit = 0; limit < largest + 400; limit += limit < 6000 ? 353 : 4999) {
    const TempFolder folder;
    std::string error;
    rlimit small = before;
    small.rlim_cur = limit;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::uint32_t appended = AppendUntilFailure(folder.path(), error);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    if (error.empty()) {
      ASSERT_EQ(BytesIn(folder.path()), Undisturbed());
      continue;
    }
    ++failures;
    EXPECT_THAT(error, HasSubstr(folder.path().string())) << limit;
    ExpectContinues(folder.path(), appended);
  }
  EXPECT_GT(failures, 10u);
}

// A file system with too little room, one page more each time, and with too few files.
TEST(ShardWriter, FullDiskAnywhere) {
  const TempFolder folder;
  const char* place = folder.path().c_str();
  if (::mount("none", place, "tmpfs", 0, "size=4k") != 0) {
    GTEST_SKIP() << "mounting a tmpfs needs root";
  }
  ASSERT_EQ(::umount(place), 0);
  std::vector<std::string> limits;
  for (int pages = 1; pages <= 60; ++pages) limits.push_back(StrCat("size=", 4 * pages, "k"));
  for (int files = 2; files <= 6; ++files) limits.push_back(StrCat("size=8m,nr_inodes=", files));
  std::size_t failures = 0;
  for (const std::string& limit : limits) {
    ASSERT_EQ(::mount("none", place, "tmpfs", 0, limit.c_str()), 0) << limit;
    std::string error;
    const std::uint32_t appended = AppendUntilFailure(folder / "games", error);
    ASSERT_EQ(::mount("none", place, "tmpfs", MS_REMOUNT, "size=8m,nr_inodes=1000"), 0) << limit;
    if (error.empty()) {
      EXPECT_EQ(BytesIn(folder / "games"), Undisturbed()) << limit;
    } else {
      ++failures;
      EXPECT_THAT(error, HasSubstr("No space left on device")) << limit;
      ExpectContinues(folder / "games", appended);
    }
    ASSERT_EQ(::umount(place), 0) << limit;
  }
  EXPECT_GT(failures, 5u);
}

}  // namespace
}  // namespace qirkat
