// The LibTorch backend's face: no LibTorch type leaks out, so any file may include it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "envs/core/options.h"
#include "models/evaluator.h"
#include "models/tensor_file.h"

namespace qirkat {

struct TorchOptions {
  std::string device = "auto";     // auto, cpu, cuda, cuda:N
  std::string precision = "auto";  // auto, fp32, bf16; auto: bf16 on GPUs and CPUs that have it
};

// Must run before LibTorch computes anything, once, at the start of main: MKL_CBWR=AUTO,STRICT (so
// that rows keep their bits in any batch), one thread an operator, and an allocator that keeps its
// pages.
void PrepareTorchProcess();

// What `device` and `precision` resolve to here: ("cpu", "bf16"). Throws UserError for a device
// that is not there.
TorchOptions ResolveTorchOptions(const TorchOptions& options);

// The precisions that work on a resolved device ("cpu", "cuda:0"), the most exact first.
std::vector<std::string> TorchPrecisions(const std::string& device);

// LibTorch's own version, "2.13.0".
std::string TorchVersion();

// The evaluators made share one immutable network and compute in the calling thread. Batches are
// padded to one of a few sizes of at least 16 rows. Throws UserError if the weights do not fit the
// spec.
std::shared_ptr<const EvaluatorFactory> MakeTorchEvaluator(const Model& model,
                                                           const TorchOptions& options);

}  // namespace qirkat
