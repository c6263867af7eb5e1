// Search where information is hidden, on a game small enough to know its values: player 0 bets that
// he guesses player 1's number, or passes.
#include <gtest/gtest.h>

#include <cstring>

#include "selfplay/search/worlds.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

struct GuessOptions {
  static const std::vector<Option<GuessOptions>>& Table() {
    static const std::vector<Option<GuessOptions>> table;
    return table;
  }
};

// Actions 0 … 3 guess the number and win or lose; 4 passes, a draw. Every action is followed by one
// of player 1's, which changes nothing, so that nodes of both players are searched.
struct Guess {
  using Options = GuessOptions;
  using Rules = GuessOptions;
  using Legal = ActionList<5>;
  struct State {
    std::uint8_t number, action, ply;
  };
  static constexpr int kNumbers = 4;
  static constexpr GameSpec kSpec = {.name = "guess",
                                     .version = 1,
                                     .columns = 5,
                                     .rows = 1,
                                     .policy_planes = 1,
                                     .policy_extras = 0,
                                     .action_layout = "guess or pass",
                                     .max_legal = 5,
                                     .symmetries = 1,
                                     .hidden_information = true,
                                     .uses_history = false};
  static constexpr std::array<std::string_view, 1> kPlaneNames = {"nothing"};
  static constexpr std::array<std::string_view, 1> kScalarNames = {"own"};
  static std::span<const std::string_view> PlaneNames() { return kPlaneNames; }
  static std::span<const std::string_view> FullPlaneNames() { return kPlaneNames; }
  static std::span<const std::string_view> ScalarNames() { return kScalarNames; }
  static Rules MakeRules(const Options& options) { return options; }

  static State Start(const Rules&, RandomStream& random) { return {Draw(random), 0, 0}; }
  static State ParsePosition(const Rules&, std::string_view text) {
    return {static_cast<std::uint8_t>(text.at(0) - '0'), 0, 0};
  }
  static std::string PositionText(const Rules&, const State& state) {
    return std::to_string(state.number);
  }
  static std::string ActionText(const Rules&, const State&, Action action) {
    return std::to_string(action);
  }
  static std::string SquareText(const Rules&, const State&, int) { return ""; }
  static std::string ViewText(const Rules& rules, const State& state, Player player) {
    return player == 0 ? "?" : PositionText(rules, state);
  }
  static std::string ViewSquareText(const Rules&, const State&, Player, int) { return ""; }
  static State DrawWorld(const Rules&, const State& state, Player player, RandomStream& random) {
    return player == 0 ? State{Draw(random), state.action, state.ply} : state;
  }

  static Player ToMove(const State& state) { return state.ply % 2; }
  static void Apply(const Rules&, State& state, Action action) {
    if (state.ply++ == 0) state.action = static_cast<std::uint8_t>(action);
  }
  static Position<Legal> Examine(const Rules&, const State& state, const History&) {
    Position<Legal> position;
    if (state.ply < 2) {
      for (Action action = 0; action < 5; ++action) position.legal.Add(action);
      return position;
    }
    position.outcome.reason = EndReason::kDiscs;
    if (state.action < kNumbers) position.outcome.result = state.action == state.number ? 1 : -1;
    return position;
  }
  static Key128 StateKey(const Rules&, const State& state, const History&) {
    return {state.number, static_cast<std::uint64_t>(state.action + 8 * state.ply)};
  }
  static Key128 ObservationKey(const Rules&, const State& state, const History&) {
    return {state.ply == 0 ? 0u : state.number, state.ply};
  }
  static void Observe(const Rules&, const State& state, const Position<Legal>&, const History&,
                      ObservationRow row) {
    row.planes[0] = 0;
    row.scalars[0] = state.ply == 0 ? 0 : static_cast<float>(state.number + 1) / kNumbers;
  }
  static void ObserveFull(const Rules& rules, const State& state, const Position<Legal>& position,
                          const History& history, ObservationRow row) {
    Observe(rules, state, position, history, row);
  }
  static Action MoverView(Action action, Player) { return action; }
  static int MapSquare(int, int square) { return square; }
  static Action MapAction(int, Action action) { return action; }
  static std::uint8_t SymmetryMask(const Rules&, const State&) { return 1; }

 private:
  static std::uint8_t Draw(RandomStream& random) {
    return static_cast<std::uint8_t>(random.Below(kNumbers));
  }
};
static_assert(GameWithHiddenInformation<Guess>);
static_assert(std::same_as<SearchOf<Guess>, WorldSearch<Guess>>);
static_assert(std::same_as<SearchOf<SmallTree>, Search<SmallTree>>);

Line<Guess> LineAt(const char* number) {
  return Line<Guess>(std::make_shared<const GuessOptions>(), Guess::ParsePosition({}, number));
}

RootResult SearchGuess(const char* number, const SearchOptions& options, std::int64_t visits,
                       std::uint64_t seed, RandomStream* noise = nullptr,
                       OneRowEvaluator<Guess>::Maker maker = MakeHashEvaluator) {
  OneRowEvaluator<Guess> evaluator(maker);
  WorldSearch<Guess> search(options, false);
  search.SetRoot(LineAt(number), seed);
  evaluator.Finish(search, visits, noise);
  return search.Result();
}

bool Same(const RootResult& a, const RootResult& b) {
  if (a.visits != b.visits || a.edges.size() != b.edges.size()) return false;
  if (std::memcmp(a.wdl, b.wdl, sizeof(a.wdl)) != 0 || a.score != b.score) return false;
  for (std::size_t k = 0; k < a.edges.size(); ++k) {
    if (a.edges[k].action != b.edges[k].action || a.edges[k].prior != b.edges[k].prior ||
        a.edges[k].visits != b.edges[k].visits || a.edges[k].value != b.edges[k].value) {
      return false;
    }
  }
  return true;
}

TEST(WorldSearchTest, WhatIsHiddenChangesNoBit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream noise_a(seed), noise_b(seed);
    const RootResult a = SearchGuess("0", {}, 200, seed, &noise_a);
    const RootResult b = SearchGuess("3", {}, 200, seed, &noise_b);
    EXPECT_TRUE(Same(a, b)) << seed;
    EXPECT_EQ(noise_a.state(), noise_b.state());
  }
}

TEST(WorldSearchTest, ValuesAreThoseOfNotKnowing) {
  SearchOptions options;
  options.worlds = 4000;
  for (const bool solve : {false, true}) {
    options.solve = solve;
    const RootResult root = SearchGuess("2", options, 400'000, 5, nullptr, MakeUniformEvaluator);
    for (int k = 0; k < Guess::kNumbers; ++k) {
      // Each world's policy is its own number, and every number is as likely, whether its world is
      // solved at once or not.
      EXPECT_NEAR(root.edges[k].weight, 0.25, 0.03) << k;
      EXPECT_EQ(root.edges[k].bounds, Bounds());
    }
    EXPECT_EQ(root.bounds, Bounds());
    EXPECT_TRUE(solve || root.visits == 400'000u) << root.visits;
  }
}

TEST(WorldSearchTest, SharesVisitsAndKeepsTheNoiseStreamInStep) {
  for (const std::int64_t visits : {1, 2, 3, 7, 16, 17, 100, 101}) {
    for (const std::int64_t worlds : {1, 3, 8}) {
      SearchOptions options;
      options.worlds = worlds;
      options.solve = false;
      RandomStream noise(3), alone(3);
      const RootResult root = SearchGuess("1", options, visits, 9, &noise);
      EXPECT_EQ(root.visits, visits);
      std::uint32_t sum = 0;
      for (const auto& edge : root.edges) sum += edge.visits;
      EXPECT_EQ(root.visits - sum, std::clamp<std::int64_t>(visits / 2, 1, worlds));
      // As many numbers are drawn as by one world.
      options.worlds = 1;
      SearchGuess("1", options, 2, 9, &alone);
      EXPECT_EQ(noise.state(), alone.state());
    }
  }
}

// A sampler that knows better: numbers 1 and 3 only, 3 three times as likely.
class OddNumbers final : public WorldSampler<Guess> {
 public:
  World<Guess> Draw(const Line<Guess>& line, RandomStream& random) const override {
    const std::uint8_t number = random.Below(2) == 0 ? 1 : 3;
    return {{number, line.state().action, line.state().ply}, number == 3 ? 3.0 : 1.0};
  }
};

TEST(WorldSearchTest, AnotherSamplerDecidesWhichWorldsCount) {
  SearchOptions options;
  options.worlds = 1000;
  OneRowEvaluator<Guess> evaluator(MakeUniformEvaluator);
  WorldSearch<Guess> search(options, false, std::make_shared<const OddNumbers>());
  search.SetRoot(LineAt("0"), 3);
  evaluator.Finish(search, 100'000);
  const RootResult root = search.Result();
  EXPECT_EQ(root.edges[0].weight, 0);
  EXPECT_EQ(root.edges[2].weight, 0);
  EXPECT_NEAR(root.edges[1].weight, 0.25, 0.04);
  EXPECT_NEAR(root.edges[3].weight, 0.75, 0.04);
  RandomStream random;
  EXPECT_EQ(search.ChooseAction(0, random), 3);
}

TEST(WorldAverageTest, WorldsCountByWeightNotByVisits) {
  const auto world = [](std::uint32_t visits_0, std::uint32_t visits_1, float value) {
    RootResult result;
    result.edges = {{.action = 4, .visits = visits_0, .value = value, .weight = 1.0 * visits_0},
                    {.action = 7, .visits = visits_1, .value = -value, .weight = 1.0 * visits_1}};
    result.visits = 1 + visits_0 + visits_1;
    result.wdl[0] = (1 + value) / 2;
    result.bounds = Bounds::Exactly(1);
    result.choice = visits_0 > visits_1 ? 4 : 7;
    return result;
  };
  WorldAverage average;
  average.Add(world(1, 0, 1), 1);    // solved at once
  average.Add(world(30, 70, 0), 3);  // searched for long
  const RootResult result = average.Result();
  EXPECT_EQ(result.visits, 103u);
  EXPECT_EQ(result.edges[0].visits, 31u);
  EXPECT_DOUBLE_EQ(result.edges[0].weight, (1 + 3 * 0.3) / 4);
  EXPECT_DOUBLE_EQ(result.edges[1].weight, 3 * 0.7 / 4);
  EXPECT_FLOAT_EQ(result.edges[0].value, 1 / (1 + 3 * 0.3));
  EXPECT_FLOAT_EQ(result.edges[1].value, 0);
  EXPECT_FLOAT_EQ(result.wdl[0], (1 + 3 * 0.5f) / 4);
  EXPECT_EQ(result.bounds, Bounds());
  EXPECT_EQ(result.choice, Action{7});
}

TEST(WorldAverageTest, AnAverageHasNoConfidenceBound) {
  WorldAverage average;
  for (int world = 0; world < 2; ++world) {
    RootResult result;
    result.edges = {{.action = 1, .visits = 90, .value = 0.1f, .stdev = 0.9f, .weight = 90},
                    {.action = 2, .visits = 60, .value = 0.2f, .stdev = 0.1f, .weight = 60}};
    result.visits = 151;
    average.Add(result, 1);
  }
  RandomStream random;
  EXPECT_EQ(MoveChoice(SearchOptions{})(average.Result(), 0, random), 1) << "the most weight";
}

TEST(WorldSearchTest, ASearchThatIsNotDoneHasAResult) {
  SearchOptions options;
  options.worlds = 4;
  OneRowEvaluator<Guess> evaluator(MakeUniformEvaluator);
  WorldSearch<Guess> search(options, false);
  search.SetRoot(LineAt("0"), 3);
  search.Begin(1'000'000, nullptr);
  EXPECT_FALSE(search.has_result());
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(search.Advance(), SearchStatus::kNeedsEvaluation);
    evaluator.Answer(search);
    EXPECT_TRUE(search.has_result());
    EXPECT_EQ(search.Result().visits, i + 1u);
  }
}

TEST(WorldSearchTest, OneWorldIsOneSearch) {
  SearchOptions options;
  options.worlds = 1;
  // Player 1 knows everything: his only world is the true one.
  Line<Guess> line = LineAt("2");
  line.Advance(3);
  OneRowEvaluator<Guess> evaluator(MakeHashEvaluator);
  WorldSearch<Guess> worlds(options, false);
  Search<Guess> plain(options, false);
  worlds.SetRoot(line, 4);
  plain.SetRoot(line, 4);
  evaluator.Finish(worlds, 50);
  evaluator.Finish(plain, 50);
  EXPECT_TRUE(Same(worlds.Result(), plain.Result()));
}

TEST(WorldSearchTest, TheRootIsEvaluatedOnce) {
  OneRowEvaluator<Guess> evaluator(MakeHashEvaluator);
  for (const bool needs_lines : {false, true}) {
    WorldSearch<Guess> search(SearchOptions{}, needs_lines);
    search.SetRoot(LineAt("0"), 1);
    search.Begin(16, nullptr);
    int roots = 0;
    while (search.Advance() == SearchStatus::kNeedsEvaluation) {
      float scalar = -1;
      std::uint8_t plane;
      search.WriteLeaf({&plane, &scalar});
      roots += scalar == 0;
      evaluator.Answer(search);
    }
    // An evaluator that looks at the lines must see the root of every world.
    EXPECT_EQ(roots, needs_lines ? 8 : 1);
  }
}

}  // namespace
}  // namespace qirkat
