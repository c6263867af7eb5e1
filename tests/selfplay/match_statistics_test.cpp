#include "selfplay/match/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "envs/core/random.h"

namespace qirkat {
namespace {

TEST(MatchStatistics, WilsonByHand) {
  // 10 of 10 and 0 of 10: the closed form z² / (n + z²).
  const double bound = 3.841458820694124 / 13.841458820694124;
  const ScoreInterval all = WilsonInterval(10, 10);
  EXPECT_DOUBLE_EQ(all.score, 1);
  EXPECT_NEAR(all.low, 1 - bound, 1e-12);
  EXPECT_EQ(all.high, 1);
  const ScoreInterval none = WilsonInterval(0, 10);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, bound, 1e-12);
  // 8 of 10: 0.4901625 … 0.9433178 (Newcombe 1998 gives the same to four digits).
  const ScoreInterval most = WilsonInterval(8, 10);
  EXPECT_NEAR(most.low, 0.49016, 1e-5);
  EXPECT_NEAR(most.high, 0.94332, 1e-5);
}

TEST(MatchStatistics, PairsByHand) {
  // 20 pairs: 10 × (1, 0), 6 × (1, 1), 4 × (0, 1/2): pair means 1/2, 1, 1/4.
  std::vector<double> scores;
  for (int k = 0; k < 10; ++k) scores.insert(scores.end(), {1, 0});
  for (int k = 0; k < 6; ++k) scores.insert(scores.end(), {1, 1});
  for (int k = 0; k < 4; ++k) scores.insert(scores.end(), {0, 0.5});
  const double mean = (10 * 0.5 + 6 * 1 + 4 * 0.25) / 20;
  const double squares =
      10 * std::pow(0.5 - mean, 2) + 6 * std::pow(1 - mean, 2) + 4 * std::pow(0.25 - mean, 2);
  const double half = 1.959963984540054 * std::sqrt(squares / 19 / 20);
  const ScoreInterval interval = PairedScoreInterval(scores);
  EXPECT_NEAR(interval.score, mean, 1e-12);
  EXPECT_NEAR(interval.low, mean - half, 1e-12);
  EXPECT_NEAR(interval.high, mean + half, 1e-12);
}

TEST(MatchStatistics, EqualPairsHaveNoErrorAndFewGamesFallBackToWilson) {
  std::vector<double> scores;
  for (int k = 0; k < 50; ++k) scores.insert(scores.end(), {1, 0});
  const ScoreInterval equal = PairedScoreInterval(scores);
  EXPECT_EQ(equal.low, 0.5);
  EXPECT_EQ(equal.high, 0.5);

  const ScoreInterval perfect = PairedScoreInterval(std::vector<double>(400, 1.0));
  EXPECT_NEAR(perfect.low, 1 - 3.841458820694124 / 403.841458820694124, 1e-12);
  const ScoreInterval single = PairedScoreInterval(std::vector<double>{1});
  EXPECT_GT(single.low, 0.2);
  EXPECT_LT(single.low, 0.21);
  const ScoreInterval odd = PairedScoreInterval(std::vector<double>(101, 0.5));
  EXPECT_EQ(odd.score, 0.5);
}

TEST(MatchStatistics, Elo) {
  EXPECT_EQ(EloFromScore(0.5), 0);
  EXPECT_NEAR(EloFromScore(10.0 / 11), 400, 1e-9);
  EXPECT_NEAR(EloFromScore(1.0 / 11), -400, 1e-9);
  EXPECT_EQ(EloFromScore(1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(EloFromScore(0), -std::numeric_limits<double>::infinity());
}

// A game between players of this strength: openings favour one colour by up to `bias`.
double PlayGame(double strength, double draws, double bias, RandomStream& random) {
  if (random.Uniform() < draws) return 0.5;
  return random.Uniform() < std::clamp(strength + bias, 0.0, 1.0) ? 1 : 0;
}

TEST(MatchStatistics, TheIntervalCoversTheTrueScoreNinetyFivePercentOfTheTime) {
  constexpr int kMatches = 4000;
  RandomStream random(1, 0, 0, StreamPurpose::kTest);
  for (const int games : {40, 400}) {
    for (const double strength : {0.5, 0.7, 0.9, 0.98}) {
      for (const double draws : {0.0, 0.3}) {
        const double truth = 0.5 * draws + strength * (1 - draws);
        int covered = 0;
        for (int m = 0; m < kMatches; ++m) {
          std::vector<double> scores;
          for (int k = 0; k < games / 2; ++k) {
            const double bias = (random.Uniform() - 0.5) * 2 * std::min(0.3, 1 - strength);
            scores.push_back(PlayGame(strength, draws, bias, random));
            scores.push_back(PlayGame(strength, draws, -bias, random));
          }
          const ScoreInterval interval = PairedScoreInterval(scores);
          covered += interval.low <= truth && truth <= interval.high;
        }
        const double coverage = static_cast<double>(covered) / kMatches;
        EXPECT_GE(coverage, 0.92) << games << " games, " << strength << ", draws " << draws;
        EXPECT_LE(coverage, 0.995) << games << " games, " << strength << ", draws " << draws;
      }
    }
  }
}

}  // namespace
}  // namespace qirkat
