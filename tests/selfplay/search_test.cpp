// The search as a whole, on games that can be solved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

// Values of the root's actions for the player to move there.
template <Game G>
std::map<Action, int> SolveActions(Line<G> line) {
  std::map<Action, int> values;
  const int sign = line.to_move() == 0 ? 1 : -1;
  for (int k = 0; k < line.legal().size(); ++k) {
    const Action action = line.legal()[k];
    line.Push(action);
    values[action] = sign * Solve(line);
    line.Pop();
  }
  return values;
}

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

// Every promise that the tree makes about itself; returns the number of nodes reached.
template <Game G>
std::size_t CheckTree(const Search<G>& search) {
  const Tree& tree = search.tree();
  std::set<NodeIndex> reached = {0};
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    EXPECT_TRUE(reached.contains(i)) << "node " << i << " is lost";
    const Node& node = tree[i];
    const Edge* edges = tree.edges(node);
    std::uint64_t below = 0;
    double prior = 0, opened_prior = 0;
    std::set<int> legal_indices;
    EXPECT_LE(node.opened, node.edge_count);
    for (int k = 0; k < node.edge_count; ++k) {
      const Edge& edge = edges[k];
      below += edge.visits;
      prior += edge.prior;
      legal_indices.insert(edge.legal_index);
      EXPECT_LE(std::abs(edge.value), 1);
      EXPECT_EQ(edge.child != kNoNode, k < node.opened);
      if (k >= node.opened) {
        EXPECT_EQ(edge.visits, 0u);
        EXPECT_LE(edge.prior, edges[node.opened].prior);
        continue;
      }
      opened_prior += edge.prior;
      EXPECT_GT(edge.child, i);
      EXPECT_EQ(edge.visits, tree[edge.child].visits);
      EXPECT_TRUE(reached.insert(edge.child).second) << "two parents of " << edge.child;
      if (k == 0) continue;
      EXPECT_GT(edge.child, edges[k - 1].child) << "opened in another order";
    }
    EXPECT_LE(node.sums.win + node.sums.loss, node.visits * (1 + 1e-6));
    if (node.proven()) continue;  // it may have been visited again without a look at its edges
    EXPECT_EQ(node.visits, below + 1);
    EXPECT_NEAR(prior, 1, 1e-5);
    EXPECT_NEAR(opened_prior, node.opened_prior, 1e-5);
    EXPECT_EQ(legal_indices.size(), node.edge_count);
  }
  return reached.size();
}

TEST(SearchTest, TreeKeepsItsPromises) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  for (int seed = 1; seed <= 20; ++seed) {
    Search<SmallTree> search(SearchOptions{}, false);
    search.SetRoot(StartLine<SmallTree>({.seed = seed, .depth = 30, .branching = 5}));
    RandomStream noise(seed);
    evaluator.Finish(search, 700, seed % 2 == 0 ? &noise : nullptr);
    EXPECT_EQ(CheckTree(search), search.tree().size());
    const RootResult result = search.Result();
    EXPECT_TRUE(result.visits == 700u || result.bounds.exact()) << result.visits;
    std::uint32_t sum = 1;
    for (const auto& edge : result.edges) sum += edge.visits;
    EXPECT_EQ(sum, result.visits);
    EXPECT_NEAR(result.wdl[0] + result.wdl[1] + result.wdl[2], 1, 1e-6);
  }
}

TEST(SearchTest, EqualCallsGiveEqualTrees) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  const auto line = StartLine<SmallTree>({.seed = 3, .depth = 40, .branching = 8});
  const auto run = [&](Search<SmallTree>& search, std::uint64_t seed) {
    RandomStream noise(seed);
    search.SetRoot(line);
    evaluator.Finish(search, 500, &noise);
    std::vector<std::uint32_t> visits;
    for (const auto& edge : search.Result().edges) visits.push_back(edge.visits);
    return visits;
  };
  Search<SmallTree> first(SearchOptions{}, false), second(SearchOptions{}, false);
  run(second, 9);  // what was searched before leaves no trace
  EXPECT_EQ(run(first, 1), run(second, 1));
  EXPECT_NE(run(first, 1), run(first, 2));
}

TEST(SearchTest, ReusedSubtreeKeepsItsVisitsAndValues) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  Search<SmallTree> search(SearchOptions{}, false);
  search.SetRoot(StartLine<SmallTree>({.seed = 21, .depth = 40, .branching = 6}));
  RandomStream random(1), noise(2);
  for (int ply = 0; ply < 40 && !search.line().over(); ++ply) {
    evaluator.Finish(search, 300, &noise);
    CheckTree(search);
    const Action action = search.ChooseAction(1, random);
    RootResult::Edge played;
    for (const auto& edge : search.Result().edges) {
      if (edge.action == action) played = edge;
    }
    const Player player = search.line().to_move();
    search.Play(action);
    const Node& root = search.tree().root();
    EXPECT_EQ(root.visits, played.visits);
    const double value = (root.sums.win - root.sums.loss) / root.visits;
    EXPECT_FLOAT_EQ(player == 0 ? value : -value, played.value);
    CheckTree(search);
  }
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
