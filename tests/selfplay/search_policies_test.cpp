// KataGo's policies (Wu 2019 and its "methods") against plain versions of their formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

// What the formulas look at, of one edge of the root in the order of the legal actions.
struct RootEdge {
  double prior = 0;  // with noise
  double visits = 0;
  double value = 0;
};

template <Game G>
std::vector<RootEdge> RootEdges(const Search<G>& search) {
  const Tree& tree = search.tree();
  std::vector<RootEdge> edges(tree.root().edge_count);
  for (int k = 0; k < tree.root().edge_count; ++k) {
    const Edge& edge = tree.edges(tree.root())[k];
    edges[edge.legal_index] = {edge.prior, static_cast<double>(edge.visits), edge.value};
  }
  return edges;
}

double SumOfVisits(const std::vector<RootEdge>& edges) {
  return std::accumulate(edges.begin(), edges.end(), 0.0,
                         [](double sum, const RootEdge& edge) { return sum + edge.visits; });
}

// √(k P(c) Σ N).
double Forced(double k, const RootEdge& edge, double sum) {
  return std::sqrt(k * edge.prior * sum);
}

// AlphaZero's exploration term for an edge with `visits` below a node with one visit more than its
// edges have together.
double PuctScore(const SearchOptions& options, const RootEdge& edge, double visits, double sum) {
  const double cpuct =
      options.cpuct + std::log((2 + sum + options.cpuct_base) / options.cpuct_base);
  return edge.value + cpuct * edge.prior * std::sqrt(1 + sum) / (1 + visits);
}

// The policy target: visits are taken from each edge but the most visited, one by one, at most as
// many as were forced, as long as its score stays below that of the most visited; a single visit
// that is left is dropped.
std::vector<double> PrunedVisits(const SearchOptions& options, const std::vector<RootEdge>& edges) {
  const double sum = SumOfVisits(edges);
  std::size_t best = 0;
  for (std::size_t k = 1; k < edges.size(); ++k) {
    if (edges[k].visits > edges[best].visits) best = k;
  }
  const double limit = PuctScore(options, edges[best], edges[best].visits, sum);
  std::vector<double> pruned;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    double visits = edges[k].visits;
    const double least = visits - std::floor(Forced(options.forced_playouts, edges[k], sum));
    while (k != best && visits > 0 && visits - 1 >= least &&
           PuctScore(options, edges[k], visits - 1, sum) <= limit) {
      --visits;
    }
    const bool reduced = visits < edges[k].visits;
    pruned.push_back(visits == 1 && reduced ? 0 : visits);
  }
  return pruned;
}

SearchOptions ForcedOptions() {
  SearchOptions options;
  options.forced_playouts = 2;
  options.solve = false;
  return options;
}

TEST(ForcedPlayoutsTest, TargetsAreThoseOfTheReference) {
  OneRowEvaluator<RandomTree<64>> evaluator(MakeHashEvaluator);
  const SearchOptions options = ForcedOptions();
  Search<RandomTree<64>> search(options, false);
  int pruned_edges = 0, dropped = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    RandomStream noise(seed);
    search.SetRoot(StartLine<RandomTree<64>>({.seed = seed, .depth = 30, .branching = 40}));
    evaluator.Finish(search, 50 + 20 * seed, &noise);
    const auto edges = RootEdges(search);
    const auto expected = PrunedVisits(options, edges);
    const RootResult result = search.Result();
    for (std::size_t k = 0; k < edges.size(); ++k) {
      // A single visit of an edge that could not be reduced may go or stay.
      if (edges[k].visits == 1) continue;
      EXPECT_EQ(result.edges[k].weight, expected[k]) << "seed " << seed << ", edge " << k;
      pruned_edges += expected[k] < edges[k].visits;
      dropped += expected[k] == 0 && edges[k].visits > 0;
    }
  }
  EXPECT_GT(pruned_edges, 100);
  EXPECT_GT(dropped, 10);
}

TEST(ForcedPlayoutsTest, EveryActionThatIsTriedGetsItsVisits) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  Search<SmallTree> forced(ForcedOptions(), false);
  SearchOptions off = ForcedOptions();
  off.forced_playouts = 0;
  Search<SmallTree> plain(off, false);
  int more = 0;
  for (int seed = 1; seed <= 40; ++seed) {
    const auto line = StartLine<SmallTree>({.seed = seed, .depth = 30, .branching = 8});
    RandomStream noise(seed), same(seed);
    forced.SetRoot(line);
    evaluator.Finish(forced, 600, &noise);
    plain.SetRoot(line);
    evaluator.Finish(plain, 600, &same);
    const auto edges = RootEdges(forced), others = RootEdges(plain);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      more += edges[k].visits > others[k].visits;
      if (edges[k].visits == 0) continue;
      EXPECT_GE(edges[k].visits + 1, Forced(2, edges[k], SumOfVisits(edges))) << "seed " << seed;
    }
    // Without noise nothing is forced.
    forced.SetRoot(line);
    plain.SetRoot(line);
    evaluator.Finish(forced, 300);
    evaluator.Finish(plain, 300);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      EXPECT_EQ(forced.Result().edges[k].visits, plain.Result().edges[k].visits);
      EXPECT_EQ(forced.Result().edges[k].weight, forced.Result().edges[k].visits);
    }
  }
  EXPECT_GT(more, 20);
}

TEST(ShapedNoiseTest, MeansFollowTheShape) {
  SearchOptions options;
  options.noise_fraction = 1;
  options.noise_shape = 0.5;
  const std::vector<float> priors = {0.6f, 0.3f, 0.06f, 0.03f, 0.008f, 0.0015f, 0.0004f, 0.0001f};
  // Half even, half in proportion to how much log min(p, 0.01) is above the mean.
  std::vector<double> expected(priors.size());
  double mean = 0, sum = 0;
  for (const float prior : priors) mean += std::log(std::min<double>(prior, 0.01)) / 8;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    expected[k] = std::max(0.0, std::log(std::min<double>(priors[k], 0.01)) - mean);
    sum += expected[k];
  }
  for (double& share : expected) share = 0.5 / 8 + 0.5 * share / sum;
  const RootPrior prior(options);
  RandomStream random(3);
  constexpr int kDraws = 20'000;
  std::vector<double> means(priors.size());
  for (int i = 0; i < kDraws; ++i) {
    std::vector<float> noisy = priors;
    prior.AddNoise(noisy, random);
    for (std::size_t k = 0; k < noisy.size(); ++k) means[k] += noisy[k] / kDraws;
  }
  for (std::size_t k = 0; k < means.size(); ++k) {
    // Dirichlet of total 10: variance mean (1 - mean) / 11.
    const double error = std::sqrt(expected[k] * (1 - expected[k]) / 11 / kDraws);
    EXPECT_NEAR(means[k], expected[k], 5 * error) << k;
  }
}

TEST(ShapedNoiseTest, EqualPriorsGetEqualNoise) {
  SearchOptions options;
  options.noise_fraction = 1;
  options.noise_shape = 0.5;
  SearchOptions even = options;
  even.noise_shape = 0;
  RandomStream a(4), b(4);
  std::vector<float> shaped(10, 0.1f), plain(10, 0.1f);
  RootPrior(options).AddNoise(shaped, a);
  RootPrior(even).AddNoise(plain, b);
  for (int k = 0; k < 10; ++k) EXPECT_FLOAT_EQ(shaped[k], plain[k]);
}

TEST(PuctStdevTest, ExplorationGrowsWithTheSpreadOfTheValues) {
  SearchOptions plain_options;
  SearchOptions options;
  options.cpuct_stdev_scale = 0.85;
  const Puct puct(options), plain(plain_options);
  for (const auto& values : std::vector<std::vector<double>>{
           {0.5}, {0.5, 0.5, 0.5}, {1, -1, 1, -1, 1}, {0.1, 0.3, -0.2, 0.4}}) {
    Node node;
    double sum = 0, squares = 0;
    for (const double value : values) {
      LeafValue leaf;
      leaf.win = static_cast<float>((1 + value) / 2);
      leaf.loss = 1 - leaf.win;
      node.sums.Add(ValueSums(leaf));
      ++node.visits;
      sum += value;
      squares += value * value;
    }
    // The variance with two visits' worth of the expected one, 0.4², around the same mean.
    const double n = static_cast<double>(values.size()), mean = sum / n;
    double stdev = 0.4;
    if (n > 1) {
      const double variance = (squares + 2 * (mean * mean + 0.16)) / (n + 2 - 1) - mean * mean;
      stdev = std::sqrt(std::max(0.0, variance));
    }
    const double factor = 1 + 0.85 * (stdev / 0.4 - 1);
    EXPECT_NEAR(puct.Exploration(node) / plain.Exploration(node), factor, 1e-4) << n;
  }
}

RootResult ResultOf(const std::vector<RootResult::Edge>& edges) {
  RootResult result;
  result.edges = edges;
  for (auto& edge : result.edges) edge.weight = edge.visits;
  return result;
}

TEST(LowerConfidenceBoundTest, ChoosesTheBestOfThoseWithEnoughVisits) {
  RandomStream random(1);
  // Value and standard error: 0.30 ± 0.010, 0.36 ± 0.013, 0.90 with too few visits.
  const RootResult result = ResultOf({{.action = 1, .visits = 1000, .value = 0.30f, .stdev = 0.3f},
                                      {.action = 2, .visits = 500, .value = 0.36f, .stdev = 0.3f},
                                      {.action = 3, .visits = 100, .value = 0.90f, .stdev = 0.1f}});
  SearchOptions options;
  options.lcb_min_visits = 0.15;
  options.lcb_stdevs = 0;
  EXPECT_EQ(MoveChoice(options)(result, 0, random), 1) << "the most visits";
  options.lcb_stdevs = 2;
  EXPECT_EQ(MoveChoice(options)(result, 0, random), 2);
  options.lcb_stdevs = 40;
  EXPECT_EQ(MoveChoice(options)(result, 0, random), 1) << "0.36 is not certain enough";
  options.lcb_stdevs = 2;
  options.lcb_min_visits = 0.05;
  EXPECT_EQ(MoveChoice(options)(result, 0, random), 3);
  options.lcb_min_visits = 1;
  EXPECT_EQ(MoveChoice(options)(result, 0, random), 1);
}

TEST(LowerConfidenceBoundTest, OneVisitIsNoCertainty) {
  RandomStream random(1);
  SearchOptions options;
  options.lcb_min_visits = 0;
  const RootResult result = ResultOf({{.action = 1, .visits = 100, .value = 0.5f, .stdev = 0.2f},
                                      {.action = 2, .visits = 1, .value = 1.0f, .stdev = 0}});
  EXPECT_EQ(MoveChoice(options)(result, 0, random), 1);
}

}  // namespace
}  // namespace qirkat
