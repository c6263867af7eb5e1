// Matches: equal openings, alternating colours, the same games for any workers and slots.
#include "selfplay/match/match.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "envs/registry.h"
#include "models/evaluators.h"
#include "selfplay/match/player_spec.h"

namespace qirkat {
namespace {

class Match : public testing::Test {
 protected:
  MatchResult Play(std::string_view a, std::string_view b, const MatchOptions& options) {
    return RunMatch(*game_, Player(a), Player(b), options);
  }
  MatchPlayer Player(std::string_view spec) { return MakePlayer(spec, game_->info(), {}, "--a"); }

  std::shared_ptr<const AnyGame> game_ = MakeGame("reversi");
};

bool SameGames(const MatchResult& x, const MatchResult& y) {
  if (x.games.size() != y.games.size()) return false;
  for (std::size_t k = 0; k < x.games.size(); ++k) {
    if (x.games[k].actions != y.games[k].actions) return false;
    if (x.games[k].outcome != y.games[k].outcome) return false;
    if (x.games[k].a_is_player_0 != y.games[k].a_is_player_0) return false;
  }
  return true;
}

TEST_F(Match, SameGamesForAnyWorkersAndSlots) {
  const char* a = "hash:visits=20,temperature=1,temperature_plies=12";
  const char* b = "rollout:visits=12";
  const MatchResult expected = Play(a, b, {.games = 16, .workers = 1, .slots = 7});
  ASSERT_EQ(expected.games.size(), 16u);
  EXPECT_TRUE(SameGames(expected, Play(a, b, {.games = 16, .workers = 2, .slots = 32})));
  EXPECT_TRUE(SameGames(expected, Play(a, b, {.games = 16, .workers = 3, .slots = 1})));
  EXPECT_FALSE(SameGames(expected, Play(a, b, {.games = 16, .seed = 2})));
}

// `hash` under a name that says nothing about how it computes.
class NamedFactory final : public EvaluatorFactory {
 public:
  NamedFactory(std::shared_ptr<const EvaluatorFactory> inner, std::string description)
      : inner_(std::move(inner)), description_(std::move(description)) {}
  std::string model_name() const override { return "net"; }
  std::string description() const override { return description_; }
  std::unique_ptr<Evaluator> Make(int max_batch) const override { return inner_->Make(max_batch); }

 private:
  std::shared_ptr<const EvaluatorFactory> inner_;
  std::string description_;
};

TEST_F(Match, OneModelInTwoPrecisionsIsTwoEvaluators) {
  const EvalShape shape = ShapeOf(game_->info());
  MatchPlayer a = Player("hash:visits=20"), b = a;
  a.evaluator = std::make_shared<NamedFactory>(MakeHashEvaluator(shape), "fp32");
  b.evaluator = std::make_shared<NamedFactory>(MakeUniformEvaluator(shape), "int8");
  const MatchOptions options{.games = 16};
  EXPECT_TRUE(SameGames(RunMatch(*game_, a, b, options),
                        Play("hash:visits=20", "uniform:visits=20", options)));
}

TEST_F(Match, PairsShareTheOpeningAndColoursAlternate) {
  const MatchResult result = Play("random", "random", {.games = 40, .random_plies = 6});
  ASSERT_EQ(result.games.size(), 40u);
  int distinct = 0;
  for (std::size_t k = 0; k < 40; k += 2) {
    const MatchGame &first = result.games[k], &second = result.games[k + 1];
    EXPECT_EQ(first.game, k);
    EXPECT_TRUE(first.a_is_player_0);
    EXPECT_FALSE(second.a_is_player_0);
    EXPECT_TRUE(
        std::equal(first.actions.begin(), first.actions.begin() + 6, second.actions.begin()));
    EXPECT_NE(first.actions, second.actions);
    distinct += k > 0 && !std::equal(first.actions.begin(), first.actions.begin() + 6,
                                     result.games[k - 1].actions.begin());
  }
  EXPECT_GE(distinct, 15);
}

TEST_F(Match, GamesReplayToTheirOutcomeAndTheScoreIsTheirSum) {
  const MatchResult result = Play("hash:visits=10", "random", {.games = 20});
  double points = 0;
  for (const MatchGame& played : result.games) {
    const auto line = game_->NewLineAt("start");
    for (const Action action : played.actions) line->Play(action);
    EXPECT_EQ(line->outcome(), played.outcome);
    const int sign = played.a_is_player_0 ? 1 : -1;
    points += (sign * played.outcome.result + 1) / 2.0;
  }
  EXPECT_EQ(result.wins + result.draws + result.losses, 20u);
  EXPECT_EQ(result.wins + 0.5 * result.draws, points);
  EXPECT_EQ(result.score, points / 20);
}

TEST_F(Match, ADeterministicPlayerScoresExactlyHalfAgainstItself) {
  for (const char* spec : {"hash:visits=16", "rollout:visits=8"}) {
    const MatchResult result = Play(spec, spec, {.games = 60});
    EXPECT_EQ(result.score, 0.5);
    EXPECT_EQ(result.wins, result.losses);
    EXPECT_EQ(result.elo, 0);
    for (std::size_t k = 0; k < 60; k += 2) {
      EXPECT_EQ(result.games[k].actions, result.games[k + 1].actions);
    }
  }
}

TEST_F(Match, RandomAgainstRandomIsAboutEven) {
  const MatchResult result = Play("random", "random", {.games = 4000});
  EXPECT_NEAR(result.score, 0.5, 0.03);
  EXPECT_LT(result.score_low, result.score);
  EXPECT_GT(result.score_high, result.score);
  EXPECT_LT(result.score_error, 0.02);
}

TEST_F(Match, RolloutBeatsRandom) {
  const MatchResult result = Play("rollout:visits=40", "random", {.games = 60});
  EXPECT_GT(result.score_low, 0.8);
  EXPECT_GT(result.elo_low, 200);
}

TEST_F(Match, StopReturnsWhatWasPlayedInOrder) {
  std::atomic<bool> stop = false;
  const MatchResult result = RunMatch(
      *game_, Player("rollout:visits=20"), Player("random"), {.games = 1000000},
      [&](std::uint32_t done, const MatchResult& so_far) {
        EXPECT_EQ(so_far.games.size(), done);
        stop = true;
      },
      &stop);
  EXPECT_LT(result.games.size(), 1000000u);
  for (std::size_t k = 0; k < result.games.size(); ++k) EXPECT_EQ(result.games[k].game, k);
}

TEST_F(Match, AnOpeningThatEndsEveryGameIsAnError) {
  EXPECT_THROW(Play("random", "random", {.games = 2, .random_plies = 70}), UserError);
}

TEST_F(Match, OddNumbersOfGamesAreRefused) {
  EXPECT_THROW(Play("random", "random", {.games = 3}), UserError);
  EXPECT_THROW(Play("random", "random", {.games = 0}), UserError);
}

}  // namespace
}  // namespace qirkat
