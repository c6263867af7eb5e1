// The oneDNN backend's face: networks on CPUs without LibTorch, in float32, bfloat16 or int8. No
// oneDNN type leaks out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/calibration.h"
#include "models/evaluator.h"
#include "models/tensor_file.h"

namespace qirkat {

// What this CPU computes with, as far as oneDNN uses it (ONEDNN_MAX_CPU_ISA in the environment
// lowers it).
struct OnednnCpu {
  std::string name;                     // "AVX-512 with AMX"
  std::vector<std::string> precisions;  // what `auto` tries, in this order; fp32 is the last
  int max_int8_weight = 127;            // 63 where sums of products of int8 would overflow
};
OnednnCpu FindOnednnCpu();
std::string OnednnVersion();  // "3.2.0"

// A precision as an option gives it: auto, or fp32, bf16, int8, or several of these separated by
// commas. Returns it with `auto` replaced by the CPU's fixed order. Throws UserError if it is no
// such text.
std::string ResolveOnednnPrecision(const std::string& precision);

// How much a precision may differ from fp32 on the calibration rows to be taken before the last of
// a list: mean KL of the policy over the legal actions in nats, mean |difference of win - loss|.
struct PrecisionLimits {
  double policy_kl, value_error;
};
PrecisionLimits LimitsOf(const std::string& precision);

// Makes the calibration rows of a network; gets an evaluator of it in fp32.
using CalibrationSource = std::function<CalibrationRows(Evaluator& fp32)>;

// The evaluators made share one immutable network and compute in the calling thread, each row by
// itself: a row's results are the same bits in any batch. `precision`: one, or a resolved list, of
// which the first is taken that holds its limits, or else the last. bf16 and int8 are calibrated
// and compared with fp32 on the rows of `source`. Throws UserError if the weights do not fit the
// spec or the precision is unknown.
std::shared_ptr<const EvaluatorFactory> MakeOnednnEvaluator(const Model& model,
                                                            const std::string& precision,
                                                            const CalibrationSource& source);

}  // namespace qirkat
