// One factory out of several: of several devices.
#pragma once

#include <memory>
#include <vector>

#include "models/evaluator.h"

namespace qirkat {

// Its evaluators are made by the parts in turn: number i (from 0) by part i modulo their number.
// There is at least one part, and all hold the same model.
std::shared_ptr<const EvaluatorFactory> MakeRoundRobinEvaluator(
    std::vector<std::shared_ptr<const EvaluatorFactory>> parts);

}  // namespace qirkat
