// What the search allocates: nothing once it is warm, and never more than the largest tree needs.
#include <gtest/gtest.h>

#include "tests/allocations.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

TEST(SearchMemoryTest, AWarmSearchAllocatesNothing) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  Search<SmallTree> search(SearchOptions{}, false);
  const auto line = StartLine<SmallTree>({.seed = 3, .depth = 60, .branching = 8});
  for (int round = 0; round < 2; ++round) {
    search.SetRoot(line);
    search.Begin(2000, nullptr);
    const std::uint64_t before = Allocations();
    while (search.Advance() == SearchStatus::kNeedsEvaluation) evaluator.Answer(search);
    if (round == 0) {
      EXPECT_GT(Allocations(), before) << "the counter counts";
    } else {
      EXPECT_EQ(Allocations(), before);
    }
  }
}

TEST(SearchMemoryTest, MemoryIsBoundedByTheLargestTree) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  Search<SmallTree> search(SearchOptions{}, false);
  const std::int64_t visits = 400;
  const std::uint64_t per_node = sizeof(Node) + 8 * sizeof(Edge) + sizeof(NodeIndex);
  RandomStream random(1);
  for (int game = 0; game < 10; ++game) {
    search.SetRoot(StartLine<SmallTree>({.seed = 30 + game, .depth = 60, .branching = 8}));
    while (!search.line().over()) {
      evaluator.Finish(search, visits);
      EXPECT_LE(search.stats().nodes, static_cast<std::uint64_t>(visits));
      EXPECT_LE(search.stats().bytes, 2 * visits * per_node + 4096);
      search.Play(search.ChooseAction(1, random));
    }
  }
}

TEST(SearchMemoryTest, AFiniteGameTakesAnyNumberOfVisits) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  SearchOptions options;
  options.solve = false;
  Search<SmallTree> search(options, false);
  search.SetRoot(StartLine<SmallTree>({.seed = 3, .depth = 4, .branching = 4}));
  evaluator.Finish(search, 2'000'000);
  EXPECT_LE(search.stats().nodes, 1u + 4 + 16 + 64 + 256);
  EXPECT_EQ(search.Result().visits, 2'000'000u);
  EXPECT_EQ(search.stats().evaluations + search.stats().terminal_visits, 2'000'000u);
}

}  // namespace
}  // namespace qirkat
