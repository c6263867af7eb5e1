#include "training/learner/losses.h"

namespace qirkat {
namespace {

// Where errors of score and moves left stop to count squared, in the net's scaled units.
constexpr double kHuberDelta = 0.5;

torch::Tensor WeightedMean(const torch::Tensor& values, const torch::Tensor& weight) {
  // A batch of forced moves only has no policy rows: its mean is 0, not 0 / 0.
  return (values * weight).sum() / weight.sum().clamp_min(1e-6);
}

torch::Tensor Huber(const torch::Tensor& error) {
  const torch::Tensor size = error.abs();
  const torch::Tensor squared = size.clamp_max(kHuberDelta);
  return squared * (size - 0.5 * squared);
}

}  // namespace

Losses ComputeLosses(const NetOutput& output, const LossTargets& targets, const NetSpec& spec,
                     const LearnerOptions& options) {
  const double score_scale = spec.score_scale();
  const double moves_scale = NetSpec::kMovesLeftScale;
  // A large finite number: an illegal action's share 0 times -infinity would be no number.
  const torch::Tensor logits = output.policy_logits.masked_fill(~targets.legal, -1e9);
  const torch::Tensor log_policy = torch::log_softmax(logits, 1);
  const torch::Tensor log_wdl = torch::log_softmax(output.wdl_logits, 1);
  const torch::Tensor score_error = output.score - targets.score / score_scale;
  const torch::Tensor moves_error = output.moves_left - targets.moves_left / moves_scale;

  Losses losses;
  losses.policy = WeightedMean(-(targets.policy * log_policy).sum(1), targets.policy_weight);
  losses.value = WeightedMean(-(targets.wdl * log_wdl).sum(1), targets.weight);
  losses.score = WeightedMean(Huber(score_error), targets.weight);
  losses.moves_left = WeightedMean(Huber(moves_error), targets.weight);
  losses.total = options.policy_loss * losses.policy + options.value_loss * losses.value +
                 options.score_loss * losses.score + options.moves_left_loss * losses.moves_left;

  const torch::NoGradGuard no_grad;
  losses.policy_entropy =
      WeightedMean(-torch::xlogy(targets.policy, targets.policy).sum(1), targets.policy_weight);
  losses.policy_accuracy = WeightedMean(
      (logits.argmax(1) == targets.policy.argmax(1)).to(torch::kFloat), targets.policy_weight);
  losses.value_accuracy = WeightedMean(
      (output.wdl_logits.argmax(1) == targets.result).to(torch::kFloat), targets.weight);
  losses.score_error = WeightedMean(score_error.abs() * score_scale, targets.weight);
  losses.moves_left_error = WeightedMean(moves_error.abs() * moves_scale, targets.weight);
  return losses;
}

}  // namespace qirkat
