#include "training/learner/run_metrics.h"

#include <iterator>

namespace qirkat {
namespace {

constexpr std::pair<const char*, double StepMetrics::*> kStepFields[] = {
    {"learner/loss", &StepMetrics::loss},
    {"learner/policy_loss_nats", &StepMetrics::policy_loss_nats},
    {"learner/policy_target_entropy_nats", &StepMetrics::policy_entropy_nats},
    {"learner/value_loss_nats", &StepMetrics::value_loss_nats},
    {"learner/score_loss", &StepMetrics::score_loss},
    {"learner/moves_left_loss", &StepMetrics::moves_left_loss},
    {"learner/policy_accuracy_share", &StepMetrics::policy_accuracy},
    {"learner/value_accuracy_share", &StepMetrics::value_accuracy},
    {"learner/score_error_points", &StepMetrics::score_error},
    {"learner/moves_left_error_plies", &StepMetrics::moves_left_error_plies},
    {"learner/gradient_norm", &StepMetrics::gradient_norm},
    {"learner/loader_wait_s_per_step", &StepMetrics::loader_wait_seconds},
};

}  // namespace

void GameCounts::Add(const GameRecord& game) {
  ++games;
  positions += game.positions.size();
  plies += game.actions.size();
  wins_0 += game.outcome.result > 0;
  draws += game.outcome.result == 0;
  wins_1 += game.outcome.result < 0;
}

NamedNumbers SelfPlayMetrics(const GameCounts& counts, const SelfPlayStats& stats,
                             const ReplayWindow& window) {
  const auto games = static_cast<double>(counts.games);
  NamedNumbers values = {
      {"selfplay/games", games},
      {"selfplay/positions", static_cast<double>(counts.positions)},
      {"selfplay/mean_game_plies", static_cast<double>(counts.plies) / games},
      {"selfplay/player_0_wins_share", static_cast<double>(counts.wins_0) / games},
      {"selfplay/draws_share", static_cast<double>(counts.draws) / games},
      {"selfplay/player_1_wins_share", static_cast<double>(counts.wins_1) / games},
      {"window/rows", static_cast<double>(window.rows())},
      {"window/rows_seen", static_cast<double>(window.rows_seen())},
      {"window/bytes", static_cast<double>(window.bytes())},
  };
  if (stats.games == 0) return values;
  values.emplace_back("selfplay/seconds", stats.seconds);
  values.emplace_back("selfplay/games_per_s", static_cast<double>(stats.games) / stats.seconds);
  values.emplace_back("selfplay/positions_per_s",
                      static_cast<double>(stats.positions) / stats.seconds);
  values.emplace_back("selfplay/evaluations_per_s",
                      static_cast<double>(stats.evaluations) / stats.seconds);
  values.emplace_back("selfplay/cache_hits_share", stats.cache_hits_share());
  values.emplace_back("selfplay/mean_batch_rows",
                      static_cast<double>(stats.evaluations) / static_cast<double>(stats.batches));
  values.emplace_back("selfplay/writer_wait_s",
                      stats.phases.plain[static_cast<std::size_t>(Phase::kWait)]);
  values.emplace_back("selfplay/tree_bytes", static_cast<double>(stats.tree_bytes));
  return values;
}

void LearnerMetrics::Add(const StepMetrics& step) {
  sums_.resize(std::size(kStepFields));
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += step.*kStepFields[i].second;
  ++steps_;
}

NamedNumbers LearnerMetrics::Take(double learning_rate, double samples_per_s) {
  NamedNumbers values;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    values.emplace_back(kStepFields[i].first, sums_[i] / static_cast<double>(steps_));
  }
  values.emplace_back("learner/learning_rate", learning_rate);
  values.emplace_back("learner/samples_per_s", samples_per_s);
  sums_.clear();
  steps_ = 0;
  return values;
}

}  // namespace qirkat
