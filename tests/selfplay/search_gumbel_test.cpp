// Gumbel AlphaZero's root against the reference, and the paper's claim.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/selfplay/gumbel_reference.h"

namespace qirkat {
namespace {

using WideTree = RandomTree<64>;

SearchOptions GumbelOptions(std::int64_t actions, bool inner) {
  SearchOptions options;
  options.root = "gumbel";
  options.gumbel_actions = actions;
  options.gumbel_inner = inner;
  options.solve = false;  // the paper's search knows no proofs
  return options;
}

TEST(GumbelReferenceTest, ScheduleOfSequentialHalving) {
  // The paper's figure 1: 16 actions and 200 simulations, ⌈log2 16⌉ = 4 phases of 50.
  const auto required = RequiredVisits(16, 200);
  std::vector<int> visits(16);
  for (const int count : required) {
    const auto next = std::ranges::find(visits, count);
    ASSERT_NE(next, visits.end());
    ++*next;
  }
  EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), 200);
  EXPECT_EQ(std::ranges::count(visits, 3), 8);       // 50 / 16 each
  EXPECT_EQ(std::ranges::count(visits, 3 + 6), 4);   // and 50 / 8
  EXPECT_EQ(std::ranges::count(visits, 9 + 12), 2);  // and 50 / 4
  EXPECT_EQ(RequiredVisits(1, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(RequiredVisits(4, 3), (std::vector<int>{0, 0, 0}));
}

template <Game G>
void CompareWithReference(const Line<G>& line, const SearchOptions& options, int simulations,
                          std::uint64_t seed) {
  OneRowEvaluator<G> evaluator(MakeHashEvaluator);
  RandomStream noise(seed), reference_noise(seed), unused;
  Search<G> search(options, false);
  search.SetRoot(line);
  evaluator.Finish(search, simulations, &noise);
  const auto expected =
      GumbelReference<G>(options, evaluator).Search(line, simulations, &reference_noise);
  const RootResult result = search.Result();
  ASSERT_EQ(result.edges.size(), expected.visits.size());
  double weight = 0;
  for (const auto& edge : result.edges) weight += edge.weight;
  for (std::size_t k = 0; k < expected.visits.size(); ++k) {
    EXPECT_EQ(result.edges[k].visits, expected.visits[k]) << "edge " << k;
    EXPECT_NEAR(result.edges[k].weight / weight, expected.policy[k], 1e-5) << "edge " << k;
    EXPECT_NEAR(result.edges[k].value, expected.q[k], 1e-5) << "edge " << k;
  }
  EXPECT_EQ(search.ChooseAction(0, unused), expected.action);
  EXPECT_EQ(noise.state(), reference_noise.state()) << "another number of Gumbel variables";
}

TEST(GumbelTest, AgreesWithTheReference) {
  for (const bool inner : {false, true}) {
    for (const std::int64_t actions : {2, 4, 8, 16}) {
      for (const int simulations : {8, 16, 32, 50, 200}) {
        for (int seed = 1; seed <= 10; ++seed) {
          SCOPED_TRACE(testing::Message() << "inner " << inner << ", m " << actions << ", n "
                                          << simulations << ", seed " << seed);
          const auto options = GumbelOptions(actions, inner);
          CompareWithReference(StartLine<SmallTree>({.seed = seed, .depth = 8, .branching = 8}),
                               options, simulations, seed);
          CompareWithReference(StartLine<WideTree>({.seed = seed, .depth = 5, .branching = 40}),
                               options, simulations, seed);
          if (testing::Test::HasFailure()) return;  // the first one says enough
        }
      }
    }
  }
}

TEST(GumbelTest, AgreesWithTheReferenceUnderOtherConstants) {
  for (int seed = 1; seed <= 20; ++seed) {
    SearchOptions options = GumbelOptions(16, true);
    options.gumbel_visit_offset = 10;
    options.gumbel_value_scale = 0.3;
    CompareWithReference(StartLine<WideTree>({.seed = seed, .depth = 5, .branching = 40}), options,
                         64, seed);
  }
}

// Whatever is kept from earlier searches, the actions that get visits are those that were drawn:
// the highest of prior logit + Gumbel noise.
TEST(GumbelTest, AKeptTreeDrawsAsAFreshOne) {
  SearchOptions options;
  options.root = "gumbel";
  options.gumbel_actions = 3;
  options.solve = false;
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  int moves = 0;
  for (int seed = 1; seed <= 30; ++seed) {
    Search<SmallTree> search(options, false);
    search.SetRoot(StartLine<SmallTree>({.seed = seed, .depth = 40, .branching = 8}));
    RandomStream noise(seed), unused;
    while (!search.line().over()) {
      std::vector<std::uint32_t> before(search.line().legal().size());
      const Tree& tree = search.tree();
      for (int k = 0; k < tree.root().edge_count; ++k) {
        const Edge& edge = tree.edges(tree.root())[k];
        before[edge.legal_index] = edge.visits;
      }
      RandomStream draws = noise;
      evaluator.Finish(search, 24, &noise);
      const RootResult result = search.Result();
      std::vector<std::pair<double, std::size_t>> scores;
      for (std::size_t k = 0; k < result.edges.size(); ++k) {
        scores.emplace_back(-std::log(result.edges[k].prior) - draws.Gumbel(), k);
      }
      std::ranges::sort(scores);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const std::size_t k = scores[i].second;
        EXPECT_EQ(result.edges[k].visits > before[k], i < 3) << "seed " << seed << " place " << i;
      }
      moves += scores.size() > 3;
      search.Play(search.ChooseAction(1, unused));
    }
  }
  EXPECT_GE(moves, 30);
}

// Policy improvement at few visits: the value of the action played, in the mean over the Gumbel
// variables, is at least that of an action drawn from the prior, whatever the values are.
TEST(GumbelTest, ImprovesThePolicyOfABandit) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  Search<SmallTree> search(GumbelOptions(16, false), false);
  int bandits = 0;
  double gained = 0;
  for (const int simulations : {2, 4, 8, 16, 32}) {
    for (int seed = 1; seed <= 40; ++seed) {
      // Every action ends the game.
      const auto line = StartLine<SmallTree>({.seed = seed, .depth = 1, .branching = 8});
      const auto values = SolveActions(line);
      if (line.legal().size() < 3) continue;
      ++bandits;
      constexpr int kDraws = 100;
      double sum = 0, squares = 0, by_prior = 0;
      for (int draw = 0; draw < kDraws; ++draw) {
        RandomStream noise(1000 * seed + draw), unused;
        search.SetRoot(line);
        evaluator.Finish(search, simulations, &noise);
        const double value = values.at(search.ChooseAction(0, unused));
        sum += value;
        squares += value * value;
      }
      for (const auto& edge : search.Result().edges)
        by_prior += edge.prior * values.at(edge.action);
      const double mean = sum / kDraws;
      const double error = std::sqrt(std::max(0.0, squares / kDraws - mean * mean) / kDraws);
      EXPECT_GE(mean, by_prior - 4 * error - 1e-5) << "n " << simulations << ", seed " << seed;
      gained += mean - by_prior;
    }
  }
  EXPECT_GE(bandits, 100);
  EXPECT_GE(gained / bandits, 0.2);
}

}  // namespace
}  // namespace qirkat
