// What a killed process, a loss of power or a full disk leaves: every game that was appended, and
// the bytes of an undisturbed run once it goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "envs/core/random.h"
#include "envs/core/text.h"
#include "selfplay/data/journal.h"
#include "tests/selfplay/data_small_run.h"

namespace qirkat {
namespace {

using namespace testing_data;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The journal cut at every byte: the games that were whole are there, and no other.
TEST(ShardWriterCrash, TornJournalKeepsWholeGames) {
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
TEST(ShardWriterCrash, UnwrittenEndIsDropped) {
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
TEST(ShardWriterCrash, DamageInTheMiddleIsRefused) {
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
TEST(ShardWriterCrash, ContinuesFromAnyStepOfSealing) {
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
TEST(ShardWriterCrash, SurvivesKills) {
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
TEST(ShardWriterCrash, FileSizeLimitAnywhere) {
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
TEST(ShardWriterCrash, FullDiskAnywhere) {
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
