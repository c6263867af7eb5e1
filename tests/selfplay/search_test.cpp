// The search as a whole, on games that can be solved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/selfplay/search_walk.h"

namespace qirkat {
namespace {

template <class G>
bool MovesTwiceSomewhere(Line<G>& line) {
  for (int k = 0; k < line.legal().size(); ++k) {
    const Player player = line.to_move();
    line.Push(line.legal()[k]);
    const bool found = !line.over() && (line.to_move() == player || MovesTwiceSomewhere(line));
    line.Pop();
    if (found) return true;
  }
  return false;
}

TEST(SearchTest, AgreesWithExhaustiveSearchWhereAPlayerMovesTwice) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  SearchOptions options;
  options.cpuct = 2.5;  // priors and values are hashes: only exploration finds the truth
  Search<SmallTree> search(options, false);
  int with_choice = 0, by_player[2] = {0, 0};
  for (int seed = 1; seed <= 60; ++seed) {
    auto line = StartLine<SmallTree>({.seed = seed, .depth = 6, .branching = 4});
    const auto truth = SolveActions(line);
    int best = -2, worst = 2;
    for (const auto& [action, value] : truth) {
      best = std::max(best, value);
      worst = std::min(worst, value);
    }
    if (best == worst || !MovesTwiceSomewhere(line)) continue;
    ++with_choice;
    ++by_player[line.to_move()];
    search.SetRoot(line);
    evaluator.Finish(search, 100'000);
    RandomStream unused;
    const Action action = search.ChooseAction(0, unused);
    EXPECT_EQ(truth.at(action), best) << "seed " << seed;
    const RootResult result = search.Result();
    const int sign = line.to_move() == 0 ? 1 : -1;
    EXPECT_NEAR(sign * (result.wdl[0] - result.wdl[2]), best, 0.2) << "seed " << seed;
    for (const auto& edge : result.edges) {
      EXPECT_LE(std::abs(edge.value), 1);
      if (edge.action != action) continue;
      EXPECT_NEAR(edge.value, best, 0.2) << "seed " << seed;
    }
  }
  EXPECT_GE(with_choice, 20);
  EXPECT_GE(by_player[0], 5);
  EXPECT_GE(by_player[1], 5);
}

TEST(SearchTest, SubtreeEqualsAFreshSearchOfIt) {
  // With one legal action at the root, all visits pass through it, so that the subtree is what a
  // search from there would have built.
  SearchOptions options;
  options.root_fpu_reduction = options.fpu_reduction;
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  int compared = 0;
  for (int seed = 1; compared < 3; ++seed) {
    ASSERT_LT(seed, 1000);
    auto line = StartLine<SmallTree>({.seed = seed, .depth = 30, .branching = 6});
    if (line.legal().size() != 1) continue;
    Search<SmallTree> reused(options, false), fresh(options, false);
    reused.SetRoot(line);
    evaluator.Finish(reused, 401);
    const Action action = line.legal()[0];
    reused.Play(action);
    line.Advance(action);
    if (line.over()) continue;
    ++compared;
    fresh.SetRoot(line);
    evaluator.Finish(fresh, 400);
    evaluator.Finish(reused, 400);
    const RootResult a = reused.Result(), b = fresh.Result();
    ASSERT_EQ(a.edges.size(), b.edges.size());
    for (std::size_t k = 0; k < a.edges.size(); ++k) {
      EXPECT_EQ(a.edges[k].visits, b.edges[k].visits);
      EXPECT_EQ(a.edges[k].prior, b.edges[k].prior);
      EXPECT_EQ(a.edges[k].value, b.edges[k].value);
    }
    EXPECT_EQ(a.wdl[0], b.wdl[0]);
    EXPECT_EQ(a.score, b.score);
    EXPECT_EQ(reused.tree().size(), fresh.tree().size());
  }
}

TEST(SearchTest, NoReuseStartsFromNothing) {
  SearchOptions options;
  options.reuse_tree = false;
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  Search<SmallTree> search(options, false);
  search.SetRoot(StartLine<SmallTree>({.seed = 21, .depth = 40, .branching = 6}));
  evaluator.Finish(search, 300);
  RandomStream random;
  search.Play(search.ChooseAction(0, random));
  EXPECT_EQ(search.tree().size(), 1u);
  EXPECT_EQ(search.tree().root().visits, 0u);
}

TEST(SearchTest, SearchOfOneRootCanBeContinued) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  const auto line = StartLine<SmallTree>({.seed = 4, .depth = 40, .branching = 6});
  Search<SmallTree> once(SearchOptions{}, false), twice(SearchOptions{}, false);
  once.SetRoot(line);
  evaluator.Finish(once, 400);
  twice.SetRoot(line);
  evaluator.Finish(twice, 150);
  evaluator.Finish(twice, 400);
  for (std::size_t k = 0; k < once.Result().edges.size(); ++k) {
    EXPECT_EQ(once.Result().edges[k].visits, twice.Result().edges[k].visits);
  }
}

TEST(SearchTest, BigActionSpaceAndManyLegalActions) {
  using Big = RandomTree<5761>;
  OneRowEvaluator<Big> evaluator(MakeHashEvaluator);
  Search<Big> search(SearchOptions{}, false);
  search.SetRoot(StartLine<Big>({.seed = 2, .depth = 30, .branching = 1024}));
  RandomStream noise(1);
  evaluator.Finish(search, 300, &noise);
  CheckTree(search);
}

TEST(SearchTest, WrongUseIsRefused) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  auto line = StartLine<SmallTree>({.seed = 1, .depth = 3, .branching = 3});
  Search<SmallTree> search(SearchOptions{}, false);
  EXPECT_THROW(search.Begin(10, nullptr), InternalError) << "no root";
  search.SetRoot(line);
  EXPECT_THROW(search.Result(), InternalError) << "not evaluated";
  EXPECT_THROW(search.Play(99), InternalError) << "illegal";
  EXPECT_THROW(search.Begin(0, nullptr), InternalError);
  search.Begin(10, nullptr);
  ASSERT_EQ(search.Advance(), SearchStatus::kNeedsEvaluation);
  EXPECT_THROW(search.Advance(), InternalError) << "a leaf is pending";
  EXPECT_THROW(search.leaf_line(), InternalError) << "does not need lines";
  evaluator.Answer(search);
  while (!line.over()) line.Advance(line.legal()[0]);
  search.SetRoot(line);
  EXPECT_THROW(search.Begin(10, nullptr), InternalError) << "the game is over";
}

TEST(SearchTest, PlayingIntoTheEndIsAllowed) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  for (const bool reuse : {false, true}) {
    SearchOptions options;
    options.reuse_tree = reuse;
    Search<SmallTree> search(options, false);
    search.SetRoot(StartLine<SmallTree>({.seed = 1, .depth = 4, .branching = 3}));
    RandomStream random;
    while (!search.line().over()) {
      evaluator.Finish(search, 50);
      search.Play(search.ChooseAction(0, random));
    }
    EXPECT_THROW(search.Begin(10, nullptr), InternalError);
  }
}

TEST(SearchTest, NotANumberFromTheEvaluatorIsABug) {
  Search<SmallTree> search(SearchOptions{}, false);
  search.SetRoot(StartLine<SmallTree>({}));
  search.Begin(10, nullptr);
  ASSERT_EQ(search.Advance(), SearchStatus::kNeedsEvaluation);
  const float nan = std::nanf("");
  const std::vector<float> good(8, 0.0f), bad(8, nan), wdl = {0, 1, 0}, bad_wdl = {nan, 0, 0};
  EXPECT_THROW(search.Deliver(bad, wdl, 0, 0), InternalError);
  EXPECT_THROW(search.Deliver(good, bad_wdl, 0, 0), InternalError);
  EXPECT_THROW(search.Deliver(good, wdl, nan, 0), InternalError);
  EXPECT_NO_THROW(search.Deliver(good, wdl, 0, 0));
}

TEST(SearchTest, LeafSeedsDifferAndRepeat) {
  const auto line = StartLine<SmallTree>({.seed = 4, .depth = 40, .branching = 6});
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  const auto seeds = [&](std::uint64_t seed) {
    Search<SmallTree> search(SearchOptions{}, true);
    search.SetRoot(line, seed);
    search.Begin(200, nullptr);
    std::vector<std::uint64_t> list;
    while (search.Advance() == SearchStatus::kNeedsEvaluation) {
      EXPECT_EQ(search.leaf_line()->StateKey(), search.line().StateKey());
      list.push_back(search.leaf_seed());
      evaluator.Answer(search);
    }
    return list;
  };
  const auto first = seeds(1);
  EXPECT_EQ(first, seeds(1));
  EXPECT_NE(first, seeds(2));
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), first.size());
}

TEST(SearchTest, MovesLeftCountsFromTheRoot) {
  // No choice: the game lasts 12 plies or ends earlier by chance of the seed.
  OneRowEvaluator<SmallTree> evaluator(MakeUniformEvaluator);
  Line<SmallTree> line = StartLine<SmallTree>({.seed = 1, .depth = 12, .branching = 1});
  std::uint32_t length = 0;
  for (Line<SmallTree> rest = line; !rest.over(); ++length) rest.Advance(rest.legal()[0]);
  ASSERT_GE(length, 2u);
  Search<SmallTree> search(SearchOptions{}, false);
  search.SetRoot(line);
  evaluator.Finish(search, 100'000);
  EXPECT_NEAR(search.Result().moves_left, length, 0.01);
}

}  // namespace
}  // namespace qirkat
