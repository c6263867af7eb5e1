#include "models/checker_evaluator.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/calibration.h"
#include "models/evaluators.h"

namespace qirkat {
namespace {

// Sums over rows, of all threads.
class Differences {
 public:
  struct Sums {
    std::uint64_t rows = 0;
    double policy_kl = 0, value_error = 0, largest_policy_kl = 0, largest_value_error = 0;
    void Add(double kl, double error) {
      ++rows;
      policy_kl += kl;
      value_error += error;
      largest_policy_kl = std::max(largest_policy_kl, kl);
      largest_value_error = std::max(largest_value_error, error);
    }
  };
  // Returns the sums with these.
  Sums Add(const Sums& more) {
    const std::lock_guard lock(mutex_);
    sums_.rows += more.rows;
    sums_.policy_kl += more.policy_kl;
    sums_.value_error += more.value_error;
    sums_.largest_policy_kl = std::max(sums_.largest_policy_kl, more.largest_policy_kl);
    sums_.largest_value_error = std::max(sums_.largest_value_error, more.largest_value_error);
    return sums_;
  }
  Sums Get() const {
    const std::lock_guard lock(mutex_);
    return sums_;
  }

 private:
  mutable std::mutex mutex_;
  Sums sums_;
};

std::string DifferenceText(const Differences::Sums& sums) {
  const auto rows = static_cast<double>(sums.rows);
  return StrCat("policy KL ", sums.policy_kl / rows, " nats (largest ", sums.largest_policy_kl,
                "), value error ", sums.value_error / rows, " (largest ", sums.largest_value_error,
                ") on ", sums.rows, " rows");
}

class CheckerEvaluator final : public Evaluator {
 public:
  CheckerEvaluator(std::unique_ptr<Evaluator> checked, std::unique_ptr<Evaluator> reference,
                   const CheckerLimits& limits, std::shared_ptr<Differences> differences)
      : checked_(std::move(checked)),
        reference_(std::move(reference)),
        limits_(limits),
        differences_(std::move(differences)),
        buffers_(reference_->shape(), reference_->max_batch()),
        all_actions_((static_cast<std::size_t>(shape().policy_size) + 7) / 8, 0xFF) {
    QIRKAT_CHECK(checked_->shape() == reference_->shape());
  }
  const EvalShape& shape() const override { return checked_->shape(); }
  int max_batch() const override { return checked_->max_batch(); }
  bool needs_lines() const override { return checked_->needs_lines() || reference_->needs_lines(); }
  bool cacheable() const override { return checked_->cacheable(); }

  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    checked_->Evaluate(batch, result);
    reference_->Evaluate(batch, buffers_.Result(batch.size));
    const auto actions = static_cast<std::size_t>(shape().policy_size);
    Differences::Sums batch_sums;
    for (int row = 0; row < batch.size; ++row) {
      const double kl = PolicyKl(
          buffers_.Logits(row), result.policy_logits.subspan(row * actions, actions), all_actions_);
      const float* const ours = result.wdl.data() + 3 * row;
      const float* const theirs = buffers_.wdl.data() + 3 * row;
      const double error = std::abs((ours[0] - ours[2]) - (theirs[0] - theirs[2]));
      if (!std::isfinite(kl + error + result.score[row] + result.moves_left[row])) {
        throw UserError("checker: the network's results are no finite numbers");
      }
      batch_sums.Add(kl, error);
    }
    const Differences::Sums sums = differences_->Add(batch_sums);
    const auto rows = static_cast<double>(sums.rows);
    if (sums.rows >= limits_.rows && (sums.policy_kl > limits_.policy_kl * rows ||
                                      sums.value_error > limits_.value_error * rows)) {
      throw UserError(StrCat("checker: the backends differ: ", DifferenceText(sums),
                             "; accepted: policy KL up to ", limits_.policy_kl,
                             ", value error up to ", limits_.value_error));
    }
  }

 private:
  std::unique_ptr<Evaluator> checked_, reference_;
  const CheckerLimits limits_;
  std::shared_ptr<Differences> differences_;  // of all evaluators
  EvalBuffers buffers_;
  std::vector<std::uint8_t> all_actions_;
};

class CheckerFactory final : public EvaluatorFactory {
 public:
  CheckerFactory(std::shared_ptr<const EvaluatorFactory> checked,
                 std::shared_ptr<const EvaluatorFactory> reference, const CheckerLimits& limits)
      : checked_(std::move(checked)), reference_(std::move(reference)), limits_(limits) {}
  std::string model_name() const override { return checked_->model_name(); }
  std::string description() const override {
    const Differences::Sums sums = differences_->Get();
    return StrCat(checked_->description(), "; checked against ", reference_->description(),
                  sums.rows > 0 ? ": " + DifferenceText(sums) : "");
  }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    return std::make_unique<CheckerEvaluator>(checked_->Make(max_batch),
                                              reference_->Make(max_batch), limits_, differences_);
  }

 private:
  std::shared_ptr<const EvaluatorFactory> checked_, reference_;
  const CheckerLimits limits_;
  std::shared_ptr<Differences> differences_ = std::make_shared<Differences>();
};

}  // namespace

std::shared_ptr<const EvaluatorFactory> MakeCheckedEvaluator(
    std::shared_ptr<const EvaluatorFactory> checked,
    std::shared_ptr<const EvaluatorFactory> reference, const CheckerLimits& limits) {
  return std::make_shared<CheckerFactory>(std::move(checked), std::move(reference), limits);
}

}  // namespace qirkat
