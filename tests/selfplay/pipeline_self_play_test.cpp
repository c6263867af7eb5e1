// Many self-play games at once: the same games for any number of workers and slots, in order, in
// bounded memory, and clean ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "envs/registry.h"
#include "models/evaluators.h"
#include "models/tensor_file.h"
#include "selfplay/pipeline/position_record.h"
#include "selfplay/pipeline/self_play.h"
#include "tests/models/watched_evaluator.h"

namespace qirkat {
namespace {

SelfPlayJob Job(int games, int workers, int slots, std::string_view evaluator = "hash") {
  SelfPlayJob job;
  job.game = MakeGame("reversi");
  job.evaluator = MakeEvaluator(evaluator, ShapeOf(job.game->info()), "test");
  job.search.visits = 24;
  job.search.temperature_plies = 10;
  job.options.games = games;
  job.options.workers = workers;
  job.options.slots = slots;
  job.options.random_opening_plies = 6;
  job.seed = 5;
  job.generation = 3;
  return job;
}

std::vector<GameRecord> Play(const SelfPlayJob& job) {
  std::vector<GameRecord> games;
  RunSelfPlay(job, [&](GameRecord&& game) { games.push_back(std::move(game)); });
  return games;
}

std::vector<std::vector<std::uint8_t>> Bytes(const std::vector<GameRecord>& games) {
  std::vector<std::vector<std::uint8_t>> bytes;
  for (const GameRecord& game : games) bytes.push_back(SerializeGame(game));
  return bytes;
}

TEST(SelfPlay, SameBytesForAnyWorkersAndSlots) {
  const auto expected = Bytes(Play(Job(24, 1, 7)));
  ASSERT_EQ(expected.size(), 24u);
  for (const auto& [workers, slots, window] :
       std::vector<std::array<int, 3>>{{2, 32, 256}, {1, 1, 256}, {3, 5, 2}, {4, 2, 1}}) {
    SelfPlayJob job = Job(24, workers, slots);
    job.options.window = window;
    EXPECT_EQ(Bytes(Play(job)), expected) << workers << " × " << slots;
  }
  SelfPlayJob other_seed = Job(24, 1, 7);
  other_seed.seed = 6;
  EXPECT_NE(Bytes(Play(other_seed)), expected);
  SelfPlayJob other_generation = Job(24, 1, 7);
  other_generation.generation = 4;
  EXPECT_NE(Bytes(Play(other_generation)), expected);
}

TEST(SelfPlay, SameBytesWithAndWithoutACache) {
  const auto expected = Bytes(Play(Job(24, 1, 7)));
  std::uint64_t rows_asked = 0;
  for (const std::int64_t cache_mib : {0, 1, 16}) {
    SelfPlayJob job = Job(24, 1, 7);
    std::uint64_t computed = 0;
    job.evaluator =
        std::make_shared<test::WatchedFactory>(job.evaluator, [&](int rows) { computed += rows; });
    job.options.cache_mib = cache_mib;
    std::vector<GameRecord> games;
    const SelfPlayStats stats =
        RunSelfPlay(job, [&](GameRecord&& game) { games.push_back(std::move(game)); });
    EXPECT_EQ(Bytes(games), expected);
    EXPECT_EQ(stats.evaluations, computed);
    if (cache_mib == 0) {
      EXPECT_EQ(stats.cache_hits, 0u);
      rows_asked = stats.evaluations;
    } else {
      EXPECT_GT(stats.cache_hits, 0u);
      EXPECT_EQ(stats.evaluations + stats.cache_hits, rows_asked);
    }
  }
}

TEST(SelfPlay, RolloutGamesDoNotDependOnSlotsEither) {
  EXPECT_EQ(Bytes(Play(Job(6, 1, 6, "rollout"))), Bytes(Play(Job(6, 2, 1, "rollout"))));
}

TEST(SelfPlay, EverySearchPlaysTheSameGamesForAnyWorkersAndSlots) {
  std::set<std::vector<std::vector<std::uint8_t>>> all;
  const std::vector<void (*)(SelfPlayJob&)> variants = {
      [](SelfPlayJob& job) { job.search.root = "gumbel"; },
      [](SelfPlayJob& job) {
        job.search.root = "gumbel";
        job.search.gumbel_inner = true;
      },
      [](SelfPlayJob& job) { job.search.graph = true; },
      [](SelfPlayJob& job) { job.search.solve = false; },
      [](SelfPlayJob& job) { job.search.forced_playouts = 2; },
      [](SelfPlayJob& job) { job.search.noise_shape = 0.5; },
      [](SelfPlayJob& job) { job.search.cpuct_stdev_scale = 0.85; },
      [](SelfPlayJob& job) {
        job.options.full_search_share = 0.25;
        job.options.fast_visits = 8;
      }};
  for (const auto& change : variants) {
    SelfPlayJob one = Job(8, 1, 3), two = Job(8, 2, 2);
    change(one);
    change(two);
    const auto games = Bytes(Play(one));
    EXPECT_EQ(games, Bytes(Play(two))) << all.size();
    EXPECT_TRUE(all.insert(games).second) << "variant " << all.size() << " changes nothing";
  }
}

TEST(SelfPlay, OnlyFullSearchesTrainThePolicy) {
  SelfPlayJob job = Job(16, 2, 8);
  std::uint64_t rows = 0;
  job.evaluator =
      std::make_shared<test::WatchedFactory>(job.evaluator, [&](int size) { rows += size; });
  job.options.workers = 1;
  job.options.cache_mib = 0;
  job.search.reuse_tree = false;
  job.search.solve = false;
  job.search.visits = 100;
  job.options.full_search_share = 0.25;
  job.options.fast_visits = 10;
  std::uint64_t full = 0, fast = 0;
  for (const GameRecord& game : Play(job)) {
    for (const PositionRecord& position : game.positions) {
      if (position.flags & kFlagForced) continue;
      const bool is_full = position.flags & kFlagFullSearch;
      ++(is_full ? full : fast);
      EXPECT_EQ(position.weight, 1);  // its value is trained either way
      EXPECT_NEAR(position.root_wdl[0] + position.root_wdl[1] + position.root_wdl[2], 1, 1e-5);
    }
  }
  EXPECT_NEAR(static_cast<double>(full) / (full + fast), 0.25, 0.05);
  // Visits that end at a finished game need no row.
  EXPECT_LE(rows, 100 * full + 10 * fast);
  EXPECT_GE(rows, (100 * full + 10 * fast) / 2);
}

TEST(SelfPlay, AResumedRunPlaysTheSameGames) {
  const auto all = Bytes(Play(Job(8, 2, 3)));
  SelfPlayJob rest = Job(8, 2, 3);
  rest.first_game = 5;
  EXPECT_EQ(Bytes(Play(rest)), std::vector(all.begin() + 5, all.end()));
  rest.first_game = 8;
  EXPECT_TRUE(Play(rest).empty());
}

// The whole of a short run in one number: the same for every compiler and build type. A change of
// rules, search, streams or records must change it knowingly.
TEST(SelfPlay, EndToEndSignature) {
  std::vector<std::uint8_t> all;
  for (const auto& game : Bytes(Play(Job(24, 2, 8))))
    all.insert(all.end(), game.begin(), game.end());
  EXPECT_EQ(Sha256Hex(all).substr(0, 16), "6c714d2dea141a0e");
}

TEST(SelfPlay, GamesDiffer) {
  std::set<std::vector<Action>> games;
  for (const GameRecord& game : Play(Job(20, 1, 20))) games.insert(game.actions);
  EXPECT_EQ(games.size(), 20u);
}

void ExpectTrueRecord(const AnyGame& rules, const GameRecord& game) {
  const auto line = rules.NewLineAt(game.start);
  const std::size_t opening = game.actions.size() - game.positions.size();
  for (std::size_t ply = 0; ply < game.actions.size(); ++ply) {
    const Action action = game.actions[ply];
    ASSERT_TRUE(line->IsLegal(action));
    if (ply >= opening) {
      const PositionRecord& row = game.positions[ply - opening];
      PositionRecord plain = DescribePosition(*line, rules.info());
      plain.action = action;
      plain.flags = line->legal_count() == 1 ? kFlagForced : kFlagFullSearch;
      plain.policy = row.policy;
      std::copy(row.root_wdl, row.root_wdl + 3, plain.root_wdl);
      EXPECT_EQ(row, plain) << "ply " << ply;
      const int shares = std::accumulate(row.policy.begin(), row.policy.end(), 0,
                                         [](int sum, PolicyShare s) { return sum + s.share; });
      EXPECT_EQ(shares, kAllShares);
      for (const PolicyShare& share : row.policy) {
        EXPECT_TRUE(line->IsLegal(line->MoverView(share.action)));
      }
      EXPECT_NEAR(row.root_wdl[0] + row.root_wdl[1] + row.root_wdl[2], 1, 1e-5);
    }
    line->Play(action);
  }
  EXPECT_EQ(line->outcome(), game.outcome);
  EXPECT_TRUE(game.outcome.over());
}

TEST(SelfPlay, RecordsReplayToTheirResultAndRowsFitTheirPositions) {
  const SelfPlayJob job = Job(30, 2, 8);
  std::set<std::size_t> openings;
  int forced = 0, number = 0;
  for (const GameRecord& game : Play(job)) {
    EXPECT_EQ(static_cast<int>(game.game), number++);
    EXPECT_EQ(game.seed, job.seed);
    EXPECT_EQ(game.model_0, "hash");
    EXPECT_EQ(game.model_1, "hash");
    ASSERT_GE(game.actions.size(), game.positions.size());
    openings.insert(game.actions.size() - game.positions.size());
    ExpectTrueRecord(*job.game, game);
    for (const PositionRecord& row : game.positions) forced += row.flags == kFlagForced;
  }
  EXPECT_LE(*openings.rbegin(), 6u);
  EXPECT_GE(openings.size(), 4u);  // 0 … 6 plies, each as likely
  EXPECT_GT(forced, 0);
}

TEST(SelfPlay, PolicyTargetIsTheShareOfVisits) {
  SelfPlayJob job = Job(1, 1, 1, "uniform");
  job.search.noise_fraction = 0;
  job.search.visits = 41;
  job.options.random_opening_plies = 0;
  // Equal priors and values: the 40 visits below the root are spread evenly over 4 symmetric moves.
  const GameRecord game = Play(job).front();
  ASSERT_EQ(game.positions[0].policy.size(), 4u);
  for (const PolicyShare& share : game.positions[0].policy) {
    EXPECT_NEAR(share.share, kAllShares / 4.0, kAllShares / 40.0);
  }
}

TEST(SelfPlay, OneVisitTakesThePolicyFromThePrior) {
  SelfPlayJob job = Job(1, 1, 1, "uniform");
  job.search.visits = 1;
  job.search.reuse_tree = false;
  job.options.random_opening_plies = 0;
  const GameRecord game = Play(job).front();
  ASSERT_EQ(game.positions[0].policy.size(), 4u);
  for (const PolicyShare& share : game.positions[0].policy) {
    EXPECT_NEAR(share.share, kAllShares / 4.0, 1);
  }
}

TEST(SelfPlay, ForcedRowsTakeTheValueOfWhatFollows) {
  GameRecord game;
  game.positions.resize(4);
  game.positions[0].flags = kFlagForced;
  game.positions[1].flags = kFlagFullSearch;
  game.positions[1].root_wdl[1] = 0.75f;
  game.positions[2].flags = kFlagForced;
  game.positions[3].flags = kFlagForced;
  game.outcome = {.reason = EndReason::kDiscs, .result = -1};
  FillForcedValues(game);
  EXPECT_THAT(game.positions[0].root_wdl, testing::ElementsAre(0, 0.75f, 0));
  EXPECT_THAT(game.positions[1].root_wdl, testing::ElementsAre(0, 0.75f, 0));
  EXPECT_THAT(game.positions[2].root_wdl, testing::ElementsAre(0, 0, 1));
  EXPECT_THAT(game.positions[3].root_wdl, testing::ElementsAre(0, 0, 1));
}

TEST(SelfPlay, ASinkThatThrowsEndsTheRunCleanly) {
  for (const std::uint32_t bad : {0u, 7u, 19u}) {
    std::uint32_t written = 0;
    const auto sink = [&](GameRecord&& game) {
      if (game.game == bad) throw UserError("disk full");
      ++written;
    };
    EXPECT_THROW(RunSelfPlay(Job(20, 2, 4), sink), UserError);
    EXPECT_EQ(written, bad);
  }
}

TEST(SelfPlay, AWorkersExceptionReachesTheCaller) {
  SelfPlayJob job = Job(100, 2, 4);
  std::atomic<int> left = 30000;
  job.evaluator = std::make_shared<test::WatchedFactory>(job.evaluator, [&](int rows) {
    if ((left -= rows) < 0) throw std::runtime_error("device lost");
  });
  std::uint32_t written = 0;
  EXPECT_THROW(RunSelfPlay(job, [&](GameRecord&&) { ++written; }), std::runtime_error);
  EXPECT_GT(written, 0u);
  EXPECT_LT(written, 100u);
}

TEST(SelfPlay, NoGameStartsWhileTheWriterIsAWindowBehind) {
  SelfPlayJob job = Job(30, 2, 8);
  job.options.window = 2;
  std::atomic<int> rows = 0;
  job.evaluator = std::make_shared<test::WatchedFactory>(job.evaluator, [&](int n) { rows += n; });
  int rows_at_first_game = 0;
  const SelfPlayStats stats = RunSelfPlay(job, [&](GameRecord&& game) {
    if (game.game != 0) return;
    // A slow disk: the workers go on until there is nothing that they may start.
    do {
      rows_at_first_game = rows;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    } while (rows != rows_at_first_game);
  });
  // At most games 0 and 1, of at most 60 searches each.
  EXPECT_LE(rows_at_first_game, 2 * 60 * job.search.visits);
  EXPECT_GT(rows, 5 * rows_at_first_game);
  EXPECT_GT(stats.phases.SharedOut()[static_cast<std::size_t>(Phase::kWait)], 0.05);
  EXPECT_GT(stats.writer_seconds, 0.05);
}

TEST(SelfPlay, StopEndsTheRunAfterWholeGamesInOrder) {
  std::atomic<bool> stop = false;
  std::vector<std::uint32_t> written;
  const auto sink = [&](GameRecord&& game) {
    written.push_back(game.game);
    if (game.game == 10) stop = true;
  };
  const SelfPlayStats stats = RunSelfPlay(Job(1000000, 2, 4), sink, {}, &stop);
  ASSERT_GE(written.size(), 11u);
  EXPECT_LT(written.size(), 200u);
  for (std::size_t i = 0; i < written.size(); ++i) EXPECT_EQ(written[i], i);
  EXPECT_EQ(stats.games, written.size());
}

TEST(SelfPlay, StatsAddUp) {
  std::uint64_t games = 0, positions = 0;
  int calls = 0;
  SelfPlayStats last;
  const SelfPlayStats stats = RunSelfPlay(
      Job(40, 2, 4),
      [&](GameRecord&& game) {
        ++games;
        positions += game.positions.size();
      },
      [&](const SelfPlayStats& now) {
        ++calls;
        EXPECT_GE(now.evaluations, last.evaluations);
        last = now;
      });
  EXPECT_GE(calls, 1);
  EXPECT_EQ(last.games, stats.games);
  EXPECT_EQ(stats.games, games);
  EXPECT_EQ(stats.positions, positions);
  EXPECT_GT(stats.evaluations, positions);
  EXPECT_GT(stats.terminal_visits, 0u);
  EXPECT_GE(stats.evaluations, stats.batches);
  EXPECT_LE(stats.evaluations, 4 * stats.batches);
  EXPECT_GT(stats.tree_bytes, 0u);
  EXPECT_GT(stats.seconds, 0);
  double sum = 0;
  const PhaseSeconds phases = stats.phases.SharedOut();
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (p != static_cast<std::size_t>(Phase::kWait)) {
      EXPECT_GT(phases[p], 0) << kPhaseNames[p];
    }
    sum += phases[p];
  }
  EXPECT_LE(sum, 2 * stats.seconds);
}

}  // namespace
}  // namespace qirkat
