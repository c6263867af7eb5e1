// The network as anybody would evaluate it with LibTorch: what the backends are compared with.
#pragma once

#include <memory>

#include "models/evaluator.h"
#include "models/tensor_file.h"

namespace qirkat {

// The module that is trained, in evaluation mode, operator by operator: float32, channels last, on
// the CPU, in the calling thread. Fast only in large batches, and rows need not keep their bits in
// other ones: for benchmarks.
std::shared_ptr<const EvaluatorFactory> MakePlainTorchEvaluator(const Model& model);

}  // namespace qirkat
