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
  // auto, cpu, cuda, cuda:N, or several: cuda:0,cuda:1. cuda: every GPU; auto: as well, if there
  // is one.
  std::string device = "auto";
  // auto, fp32, bf16, on GPUs fp16; auto: bf16 on GPUs and CPUs that multiply it, else fp16 on GPUs
  // and fp32 on CPUs.
  std::string precision = "auto";
  bool as_device = false;  // take the way of GPUs on a CPU too: for tests
  bool graphs = true;      // CUDA graphs, where there are any; false: for comparison
};

// Must run before LibTorch computes anything, once, at the start of main: MKL_CBWR=AUTO,STRICT (so
// that rows keep their bits in any batch), one thread an operator, and an allocator that keeps its
// pages.
void PrepareTorchProcess();

// What `device` and `precision` resolve to here: ("cpu", "bf16"). Throws UserError for a device
// that is not there.
TorchOptions ResolveTorchOptions(const TorchOptions& options);

// The precisions that work on resolved devices ("cpu", "cuda:0,cuda:1"), the most exact first.
std::vector<std::string> TorchPrecisions(const std::string& device);

// LibTorch's own version, "2.13.0".
std::string TorchVersion();

// The evaluators made share one immutable network a device. On a CPU they compute in the calling
// thread, in batches padded to one of a few sizes of at least 16 rows; on GPUs beside it
// (device_evaluator.h), handed out to the devices in turn. Throws UserError if the weights do not
// fit the spec.
std::shared_ptr<const EvaluatorFactory> MakeTorchEvaluator(const Model& model,
                                                           const TorchOptions& options);

}  // namespace qirkat
