// What the results of a match say about strength.
#pragma once

#include <span>

namespace qirkat {

// A score in [0, 1] with its 95 % confidence interval.
struct ScoreInterval {
  double score = 0;
  double low = 0, high = 1;
};

// Wilson's score interval (1927) of `points` out of `games` independent games, games > 0.
ScoreInterval WilsonInterval(double points, double games);

// The mean of `scores` (1, 1/2 or 0 each, one at least), where games 2k and 2k + 1 share an opening
// with colours swapped: the error comes from the variance of the pairs' sums (the pentanomial model
// of Fishtest), which takes out what an opening gives to both. Where fewer than ten points are
// missing at either end that variance says little, and Wilson's interval over the games stands in.
ScoreInterval PairedScoreInterval(std::span<const double> scores);

// The Elo difference that gives an expected score of `score`: 400 log10(s / (1 - s)); ±infinity at
// 1 and 0.
double EloFromScore(double score);

}  // namespace qirkat
