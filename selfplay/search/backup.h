// What a visit adds to the nodes above it.
#pragma once

#include <cmath>
#include <numbers>

#include "envs/core/types.h"
#include "selfplay/search/options.h"
#include "selfplay/search/tree.h"

namespace qirkat {

// What a leaf is worth, for player 0 whoever is to move.
struct LeafValue {
  float win = 0, loss = 0;  // probabilities that player 0 wins, that player 1 wins
  float score = 0;          // final, the game's unit
  float moves_left = 0;     // plies to the end
};

inline LeafValue ExactValue(const Outcome& outcome) {
  return {outcome.result > 0 ? 1.0f : 0.0f, outcome.result < 0 ? 1.0f : 0.0f,
          static_cast<float>(outcome.score), 0.0f};
}

// A node's value is the mean of its visits' values. Sides are told apart by the player to move,
// never by depth: a player may move twice in a row.
class MeanBackup {
 public:
  // `squares` of the board set the scale of a score.
  MeanBackup(const SearchOptions& options, int squares)
      : score_weight_(static_cast<float>(options.score_weight)),
        inverse_score_scale_(1 / (2 * std::sqrt(static_cast<double>(squares)))) {}

  static void Add(Node& node, const LeafValue& value) {
    node.win += value.win;
    node.loss += value.loss;
    node.score += value.score;
    node.moves_left += value.moves_left;
    ++node.visits;
  }

  static LeafValue Mean(const Node& node) {
    const double scale = 1.0 / node.visits;
    return {static_cast<float>(node.win * scale), static_cast<float>(node.loss * scale),
            static_cast<float>(node.score * scale), static_cast<float>(node.moves_left * scale)};
  }

  // The mean value of a visited node that `player` maximizes, in [-1, 1]: win - loss, with a share
  // of the score as KataGo bends it, 2/π atan(score / (2 √squares)) (Wu 2019).
  float Value(const Node& node, Player player) const {
    auto value = static_cast<float>((node.win - node.loss) / node.visits);
    if (score_weight_ > 0) {
      const double score = node.score / node.visits * inverse_score_scale_;
      const auto bent = static_cast<float>(2 / std::numbers::pi * std::atan(score));
      value += score_weight_ * (bent - value);
    }
    return player == 0 ? value : -value;
  }

 private:
  float score_weight_;
  double inverse_score_scale_;
};

}  // namespace qirkat
