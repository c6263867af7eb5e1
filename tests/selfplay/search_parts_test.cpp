// The parts of the search, each alone.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "selfplay/search/move_choice.h"
#include "selfplay/search/puct.h"
#include "selfplay/search/root_prior.h"
#include "selfplay/search/softmax.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

TEST(SoftmaxTest, AgreesWithTheStandardLibrary) {
  for (float x = -86; x <= 0; x += 0.0137f) {
    EXPECT_NEAR(ExpNonPositive(x) / std::exp(static_cast<double>(x)), 1, 6e-6) << x;
  }
  EXPECT_EQ(ExpNonPositive(0), 1);
  EXPECT_EQ(ExpNonPositive(-1000), 0);
  EXPECT_EQ(ExpNonPositive(-std::numeric_limits<float>::infinity()), 0);
  std::vector<float> logits = {1, 2, -50, 3, 1000};
  EXPECT_GE(Softmax(logits), 1);
  EXPECT_EQ(logits, std::vector<float>({0, 0, 0, 0, 1}));
}

TEST(PuctTest, FormulaOfAlphaZero) {
  SearchOptions options;
  options.cpuct = 1.25;
  options.cpuct_base = 100;
  const Puct puct(options);
  for (const std::uint32_t visits : {30, 255, 256, 3000}) {  // on both sides of the table's end
    Node node;
    node.visits = visits;
    node.edge_count = node.opened = 3;
    Edge edges[3];
    edges[0] = {.prior = 0.5f, .value = -0.1f, .visits = 20, .child = 1};
    edges[1] = {.prior = 0.3f, .value = 0.2f, .visits = 7, .child = 2};
    edges[2] = {.prior = 0.2f, .value = 0.1f, .visits = 2, .child = 3};
    const double exploration = (1.25 + std::log((1 + visits + 100) / 100.0)) * std::sqrt(visits);
    double best = -9;
    int expected = -1;
    for (int k = 0; k < 3; ++k) {
      const double score = edges[k].value + exploration * edges[k].prior / (1 + edges[k].visits);
      if (score > best) best = score, expected = k;
    }
    EXPECT_EQ(puct.Select(node, edges, 0.0f, false), expected);
    // A value just above and just below what the first edge needs to win.
    const double needed = best - exploration * edges[0].prior / 21;
    edges[0].value = static_cast<float>(needed + 1e-4);
    EXPECT_EQ(puct.Select(node, edges, 0.0f, false), 0);
    edges[0].value = static_cast<float>(needed - 1e-4);
    EXPECT_EQ(puct.Select(node, edges, 0.0f, false), expected);
  }
}

TEST(PuctTest, FirstPlayUrgency) {
  SearchOptions options;
  options.fpu_reduction = 0.4;
  options.root_fpu_reduction = 0.1;
  const Puct puct(options);
  Node node;
  node.visits = 10;
  node.edge_count = 2;
  node.opened = 1;
  node.opened_prior = 0.49f;  // root: 0.7
  Edge edges[2];
  edges[0] = {.prior = 0.49f, .value = 0, .visits = 9, .child = 1};
  edges[1] = {.prior = 0.51f};
  const float exploration = (1.5f + std::log1p(11 / 19652.0f)) * std::sqrt(10.0f);
  const float gap =
      exploration * (0.49f / 10 - 0.51f);  // node value - reduction must be above this
  for (const bool is_root : {false, true}) {
    const float reduction = 0.7f * (is_root ? 0.1f : 0.4f);
    EXPECT_EQ(puct.Select(node, edges, gap + reduction + 1e-3f, is_root), 1);
    EXPECT_EQ(puct.Select(node, edges, gap + reduction - 1e-3f, is_root), 0);
  }
}

TEST(PuctTest, TiesGoToTheEarlierPlace) {
  const Puct puct(SearchOptions{});
  Node node;
  node.visits = 3;
  node.edge_count = node.opened = 2;
  Edge edges[2];
  edges[0] = edges[1] = {.prior = 0.5f, .value = 0.25f, .visits = 1, .child = 1};
  EXPECT_EQ(puct.Select(node, edges, 0, false), 0);
}

TEST(RootPriorTest, TemperatureFlattensAndSharpens) {
  const std::vector<float> net = {0.7f, 0.2f, 0.1f};
  std::vector<float> clean(3);
  SearchOptions options;
  RootPrior(options).Temper(net, clean);
  EXPECT_EQ(clean, net);
  options.policy_temperature = 2;
  RootPrior(options).Temper(net, clean);
  const double sum = std::sqrt(0.7) + std::sqrt(0.2) + std::sqrt(0.1);
  EXPECT_NEAR(clean[0], std::sqrt(0.7) / sum, 1e-6);
  EXPECT_NEAR(clean[2], std::sqrt(0.1) / sum, 1e-6);
  options.policy_temperature = 0.01;
  RootPrior(options).Temper(net, clean);
  EXPECT_EQ(clean, std::vector<float>({1, 0, 0}));
}

TEST(RootPriorTest, DirichletNoise) {
  SearchOptions options;
  options.noise_fraction = 1;
  options.noise_total = 10;
  const RootPrior policy(options);
  RandomStream random(7);
  const int n = 20, draws = 4000;
  double mean = 0, square = 0;
  for (int i = 0; i < draws; ++i) {
    std::vector<float> priors(n, 1.0f / n);
    policy.AddNoise(priors, random);
    EXPECT_NEAR(std::accumulate(priors.begin(), priors.end(), 0.0), 1, 1e-5);
    mean += priors[3];
    square += priors[3] * priors[3];
  }
  mean /= draws;
  const double variance = square / draws - mean * mean;
  EXPECT_NEAR(mean, 1.0 / n, 0.003);
  // Symmetric Dirichlet of total a: variance (1/n)(1 - 1/n) / (a + 1).
  EXPECT_NEAR(variance, 1.0 / n * (1 - 1.0 / n) / 11, 0.0006);
}

TEST(RootPriorTest, NoiseOnlyWhenAskedAndNeverInTheResult) {
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  const auto line = StartLine<SmallTree>({.seed = 3, .depth = 40, .branching = 8});
  ASSERT_GT(line.legal().size(), 2);
  SearchOptions options;
  options.solve = false;  // what is proven leaves no choice of where to look
  Search<SmallTree> plain(options, false), noisy(options, false);
  plain.SetRoot(line);
  noisy.SetRoot(line);
  RandomStream noise(5);
  const RandomStream::State before = noise.state();
  evaluator.Finish(plain, 300);
  evaluator.Finish(noisy, 300, &noise);
  EXPECT_NE(noise.state(), before);
  bool differ = false;
  for (int k = 0; k < line.legal().size(); ++k) {
    EXPECT_EQ(plain.Result().edges[k].prior, noisy.Result().edges[k].prior);
    differ |= plain.Result().edges[k].visits != noisy.Result().edges[k].visits;
  }
  EXPECT_TRUE(differ);
  // A later search without noise of the same root has the net's priors again.
  evaluator.Finish(noisy, 301);
  const Tree& tree = noisy.tree();
  for (int k = 0; k < tree.root().edge_count; ++k) {
    const Edge& edge = tree.edges(tree.root())[k];
    EXPECT_EQ(edge.prior, noisy.Result().edges[edge.legal_index].prior);
  }
}

RootResult ResultOf(const std::vector<std::uint32_t>& visits) {
  RootResult result;
  for (std::size_t k = 0; k < visits.size(); ++k) {
    result.edges.push_back({.action = static_cast<Action>(10 + k),
                            .prior = 0.1f,
                            .visits = visits[k],
                            .weight = static_cast<double>(visits[k])});
  }
  return result;
}

MoveChoice MostVisits() {
  SearchOptions options;
  options.lcb_stdevs = 0;
  return MoveChoice(options);
}

TEST(MoveChoiceTest, TemperatureZeroTakesTheMostVisits) {
  RandomStream random(1);
  const auto state = random.state();
  RootResult result = ResultOf({3, 9, 9, 2});
  EXPECT_EQ(MostVisits()(result, 0, random), 11);
  result.edges[2].value = 0.1f;
  EXPECT_EQ(MostVisits()(result, 0, random), 12);
  EXPECT_EQ(random.state(), state);
}

TEST(MoveChoiceTest, DistributionFollowsTheTemperature) {
  const RootResult result = ResultOf({10, 30, 0, 60});
  RandomStream random(2);
  for (const double temperature : {0.5, 1.0, 3.0}) {
    double weights[4], sum = 0;
    for (int k = 0; k < 4; ++k) {
      weights[k] = std::pow(result.edges[k].visits, 1 / temperature);
      sum += weights[k];
    }
    int counts[4] = {};
    const int draws = 20000;
    for (int i = 0; i < draws; ++i) ++counts[MostVisits()(result, temperature, random) - 10];
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(counts[k], draws * weights[k] / sum, 4 * std::sqrt(draws * 0.25)) << k;
    }
    EXPECT_EQ(counts[2], 0);
  }
}

TEST(MoveChoiceTest, HugeVisitsAndTinyTemperatureDoNotOverflow) {
  RandomStream random(3);
  const RootResult result = ResultOf({4'000'000'000u, 3'999'999'999u, 1});
  EXPECT_NO_THROW(MostVisits()(result, 1e-3, random));
  const RootResult clear = ResultOf({100, 50});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(MostVisits()(clear, 1e-3, random), 10);
}

TEST(MoveChoiceTest, Schedule) {
  SearchOptions options;
  options.temperature = 0.9;
  options.temperature_plies = 4;
  options.final_temperature = 0.2;
  EXPECT_EQ(MoveTemperature(options, 0), 0.9);
  EXPECT_EQ(MoveTemperature(options, 3), 0.9);
  EXPECT_EQ(MoveTemperature(options, 4), 0.2);
}

void AddVisit(Node& node, const LeafValue& value) {
  node.sums.Add(ValueSums(value));
  ++node.visits;
}

TEST(BackupTest, ScoreCountsAsMuchAsAsked) {
  SearchOptions options;
  Node node;
  AddVisit(node, {.win = 0.75f, .loss = 0.25f, .score = 16, .moves_left = 3});
  EXPECT_FLOAT_EQ(Backup(options, 64).Value(node, 0), 0.5f);
  EXPECT_FLOAT_EQ(Backup(options, 64).Value(node, 1), -0.5f);
  options.score_weight = 1;
  EXPECT_FLOAT_EQ(Backup(options, 64).Value(node, 0), 0.5f);  // 2/π atan(16 / 16)
  AddVisit(node, {.win = 0.75f, .loss = 0.25f, .score = -16, .moves_left = 3});
  EXPECT_FLOAT_EQ(Backup(options, 64).Value(node, 0), 0);
  options.score_weight = 0.5;
  EXPECT_FLOAT_EQ(Backup(options, 64).Value(node, 1), -0.25f);
}

TEST(SearchOptionsTest, EveryFieldIsInTheTable) {
  const auto infos = DescribeOptions(SearchOptions{});
  EXPECT_EQ(infos.size(), 30u);
  for (const OptionInfo& info : infos) {
    EXPECT_EQ(info.value, info.default_value);
    EXPECT_FALSE(info.facts.help.empty()) << info.name;
    EXPECT_TRUE(info.facts.changes_results) << info.name;
    SearchOptions options;  // the default lies in its own range
    EXPECT_NO_THROW(SetOption(options, info.name, info.value, "test")) << info.name;
  }
  SearchOptions options;
  EXPECT_THROW(SetOption(options, "visits", "0", "test"), UserError);
}

}  // namespace
}  // namespace qirkat
