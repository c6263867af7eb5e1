// Game numbers, order and the bounded window.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "selfplay/pipeline/ordered_games.h"

namespace qirkat {
namespace {

using std::chrono::milliseconds;

TEST(OrderedGames, StartsNoGameBeforeTheWindowAllowsIt) {
  OrderedGames<int> games(3, 10, 2);
  EXPECT_EQ(games.TryStart(), 3u);
  EXPECT_EQ(games.TryStart(), 4u);
  EXPECT_EQ(games.TryStart(), std::nullopt);
  games.Finish(4, 40);
  EXPECT_EQ(games.Next(milliseconds(0)), std::nullopt);  // game 3 comes first
  EXPECT_EQ(games.TryStart(), std::nullopt);
  games.Finish(3, 30);
  EXPECT_EQ(games.Next(milliseconds(0)), 30);
  EXPECT_EQ(games.TryStart(), std::nullopt);  // handed out, but not yet written
  games.Written();
  EXPECT_EQ(games.TryStart(), 5u);
  EXPECT_EQ(games.Next(milliseconds(0)), 40);
  games.Written();
  EXPECT_EQ(games.TryStart(), 6u);
  EXPECT_EQ(games.TryStart(), std::nullopt);
}

TEST(OrderedGames, NoNumbersBehindTheEndOrAfterClose) {
  OrderedGames<int> games(0, 1, 8);
  EXPECT_EQ(games.TryStart(), 0u);
  EXPECT_EQ(games.WaitStart(), std::nullopt);
  EXPECT_FALSE(games.AllWritten());
  games.Finish(0, 1);
  EXPECT_EQ(games.Next(milliseconds(0)), 1);
  games.Written();
  EXPECT_TRUE(games.AllWritten());

  OrderedGames<int> closed(0, 8, 8);
  closed.Close();
  EXPECT_EQ(closed.TryStart(), std::nullopt);
  EXPECT_EQ(closed.WaitStart(), std::nullopt);
}

TEST(OrderedGames, SleepersWakeWhenTheWriterMovesOnAndWhenItCloses) {
  OrderedGames<int> games(0, 8, 1);
  EXPECT_EQ(games.TryStart(), 0u);
  std::atomic<int> started = 0;
  std::thread worker([&] {
    while (games.WaitStart()) ++started;
  });
  games.Finish(0, 0);
  EXPECT_EQ(games.Next(milliseconds(0)), 0);
  EXPECT_EQ(started, 0);  // nothing starts while game 0 is not written
  games.Written();
  while (started == 0) std::this_thread::yield();
  games.Close();
  worker.join();
  EXPECT_EQ(started, 1);
}

TEST(OrderedGames, TheFirstErrorIsTheOneThatCounts) {
  OrderedGames<int> games(0, 8, 1);
  EXPECT_NO_THROW(games.Rethrow());
  games.Fail(std::make_exception_ptr(UserError("first")));
  games.Fail(std::make_exception_ptr(InternalError("second")));
  EXPECT_TRUE(games.closed());
  EXPECT_THROW(games.Rethrow(), UserError);
}

}  // namespace
}  // namespace qirkat
