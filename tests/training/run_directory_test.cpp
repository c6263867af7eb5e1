#include "training/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "envs/core/error.h"
#include "tests/frontends/run_program.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class RunDirectoryTest : public ::testing::Test {
 protected:
  test::TemporaryFolder temporary_;
  fs::path root_ = temporary_.path() / "runs" / "one";
};

TEST_F(RunDirectoryTest, NamesItsParts) {
  const RunDirectory directory(root_, false);
  EXPECT_EQ(directory.data(7), root_ / "data" / "gen-0007");
  EXPECT_EQ(directory.checkpoint(12345), root_ / "checkpoints" / "12345");
  EXPECT_TRUE(directory.Checkpoints().empty());
}

TEST_F(RunDirectoryTest, StartsOnceAndResumesOnlyWhatIsThere) {
  EXPECT_THAT([&] { RunDirectory(root_, true); },
              ThrowsMessage<UserError>(HasSubstr("no run to resume")));
  { const RunDirectory directory(root_, false); }
  temporary_.Write("runs/one/config.toml", "x");
  EXPECT_THAT([&] { RunDirectory(root_, false); },
              ThrowsMessage<UserError>(HasSubstr("already has a run")));
  const RunDirectory directory(root_, true);
}

TEST_F(RunDirectoryTest, BelongsToOneProcessAtATime) {
  const RunDirectory directory(root_, false);
  EXPECT_THAT([&] { RunDirectory(root_, false); },
              ThrowsMessage<UserError>(HasSubstr("another process is training here")));
}

TEST_F(RunDirectoryTest, ThinsAllButTheNewestAndEveryTenthCheckpoint) {
  const RunDirectory directory(root_, false);
  for (std::uint64_t g = 0; g <= 23; ++g) {
    fs::create_directories(directory.checkpoint(g));
    temporary_.Write(fs::relative(directory.checkpoint(g) / "state.json", temporary_.path()), "x");
  }
  fs::create_directories(root_ / "checkpoints" / "0024.partial");
  directory.ThinCheckpoints(0);
  EXPECT_EQ(directory.Checkpoints().size(), 24u);
  directory.ThinCheckpoints(2);
  EXPECT_THAT(directory.Checkpoints(), ElementsAre(0, 10, 20, 22, 23));
}

TEST_F(RunDirectoryTest, SaysWhenTheDiskIsFull) {
  const RunDirectory directory(root_, false);
  directory.CheckFreeDisk(0);
  EXPECT_THAT([&] { directory.CheckFreeDisk(std::int64_t{1} << 40); },
              ThrowsMessage<UserError>(HasSubstr("min_free_disk")));
}

TEST(MergeResumedConfig, KeepsResultsAndTakesTheRest) {
  RunConfig stored;
  stored.game = "reversi";
  stored.run.precision = "bf16";
  RunConfig given = stored;
  given.run.precision = "auto";
  given.selfplay.workers = 7;
  const RunConfig merged = MergeResumedConfig(stored, given, "config.toml");
  EXPECT_EQ(merged.run.precision, "bf16");
  EXPECT_EQ(merged.selfplay.workers, 7);
  given.search.visits = stored.search.visits + 1;
  EXPECT_THAT([&] { MergeResumedConfig(stored, given, "config.toml"); },
              ThrowsMessage<UserError>(HasSubstr("search.visits is 101")));
}

}  // namespace
}  // namespace qirkat
