// A network's evaluator by the name of its backend: onednn (CPUs), torch (GPUs and CPUs, if this
// program was built with LibTorch), checker (onednn, compared with torch at every batch).
#pragma once

#include <memory>

#include "models/backend_options.h"
#include "models/calibration.h"
#include "models/evaluator.h"
#include "models/onednn/onednn_evaluator.h"
#include "models/tensor_file.h"

namespace qirkat {

// The options with every `auto` replaced by what it means on this machine: torch where there is a
// GPU, else onednn; the fixed order of precisions of the CPU or GPU. Throws UserError for what is
// not there.
BackendOptions ResolveBackend(const BackendOptions& options);

// `source` is asked for positions if the backend's precision wants to be calibrated. Throws
// UserError as ResolveBackend does, and if the weights do not fit their spec.
std::shared_ptr<const EvaluatorFactory> MakeNetEvaluator(const Model& model,
                                                         const BackendOptions& options,
                                                         const CalibrationSource& source);

}  // namespace qirkat
