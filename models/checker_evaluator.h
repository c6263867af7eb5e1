// Two evaluators side by side on the same rows, compared.
#pragma once

#include <memory>

#include "models/evaluator.h"

namespace qirkat {

// What a checked evaluator may differ by: the mean over all rows so far of KL(reference || checked)
// of the whole policy in nats and of |difference of win - loss|, once there are enough rows for a
// mean to say something.
struct CheckerLimits {
  double policy_kl = 0.05, value_error = 0.03;
  std::uint64_t rows = 1000;
};

// Answers with what `checked` says, and asks `reference` too. Evaluate throws UserError when the
// difference is beyond the limits or a result is no finite number. description() tells the
// difference on all rows of all evaluators made.
std::shared_ptr<const EvaluatorFactory> MakeCheckedEvaluator(
    std::shared_ptr<const EvaluatorFactory> checked,
    std::shared_ptr<const EvaluatorFactory> reference, const CheckerLimits& limits = {});

}  // namespace qirkat
