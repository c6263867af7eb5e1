#include "models/backends/backends.h"

#include <string>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/checker_evaluator.h"
#ifdef QIRKAT_WITH_TORCH
#include "models/torch/torch_evaluator.h"
#endif

namespace qirkat {
namespace {

#ifdef QIRKAT_WITH_TORCH
const std::vector<std::string> kBackends = {"auto", "onednn", "torch", "checker"};

// A GPU is used by torch alone.
bool WantsGpu(const BackendOptions& options) {
  if (options.device == "auto") return ResolveTorchOptions({.device = "auto"}).device != "cpu";
  return options.device != "cpu";
}

BackendOptions ResolveTorch(const BackendOptions& options) {
  const TorchOptions resolved =
      ResolveTorchOptions({.device = options.device, .precision = options.precision});
  return {.backend = "torch", .device = resolved.device, .precision = resolved.precision};
}

std::shared_ptr<const EvaluatorFactory> MakeTorch(const Model& model,
                                                  const BackendOptions& options) {
  return MakeTorchEvaluator(model, {.device = options.device, .precision = options.precision});
}
#else
const std::vector<std::string> kBackends = {"auto", "onednn"};

bool WantsGpu(const BackendOptions&) { return false; }

// ResolveBackend refuses what is not built in, so nobody comes here.
BackendOptions ResolveTorch(const BackendOptions& options) { return options; }
std::shared_ptr<const EvaluatorFactory> MakeTorch(const Model&, const BackendOptions& options) {
  QIRKAT_CHECK(false, options.backend);
  return nullptr;
}
#endif

// But for the kind of CPU.
BackendOptions ResolveOnAnyCpu(const BackendOptions& options) {
  bool known = false;
  for (const std::string& name : kBackends) known |= name == options.backend;
  if (!known) {
    throw UserError(StrCat("backend ", Quoted(options.backend),
                           " is not in this program; accepted: ", Join(kBackends, ", ")));
  }
  std::string backend = options.backend;
  if (backend == "auto") backend = WantsGpu(options) ? "torch" : "onednn";
  if (backend == "torch") return ResolveTorch(options);
  if (options.device != "auto" && options.device != "cpu") {
    throw UserError(StrCat("device ", Quoted(options.device), " is not there with backend ",
                           backend, "; accepted: auto, cpu"));
  }
  return {
      .backend = backend, .device = "cpu", .precision = ResolveOnednnPrecision(options.precision)};
}

}  // namespace

BackendOptions ResolveBackend(const BackendOptions& options) {
  const std::string here = FindOnednnCpu().name;
  const auto check = [&](const std::string& accepted) {
    if (options.cpu == "auto" || options.cpu == accepted) return;
    throw UserError(StrCat("cpu ", Quoted(options.cpu),
                           " is not what computes here; accepted: auto, ", accepted,
                           " (equal results need one kind of CPU; ONEDNN_MAX_CPU_ISA holds a "
                           "CPU to an older kind)"));
  };
  // First, because what another CPU has not is refused below in words that lead nowhere.
  if (options.cpu != "any") check(here);
  BackendOptions resolved = ResolveOnAnyCpu(options);
  resolved.cpu = resolved.device == "cpu" ? here : "any";
  check(resolved.cpu);
  return resolved;
}

std::shared_ptr<const EvaluatorFactory> MakeNetEvaluator(const Model& model,
                                                         const BackendOptions& options,
                                                         const CalibrationSource& source) {
  const BackendOptions resolved = ResolveBackend(options);
  if (resolved.backend == "torch") return MakeTorch(model, resolved);
  auto onednn = MakeOnednnEvaluator(model, resolved.precision, source);
  if (resolved.backend == "onednn") return onednn;
  // Of fp32 hardly more than rounding is left.
  const CheckerLimits limits = resolved.precision == "fp32"
                                   ? CheckerLimits{.policy_kl = 1e-4, .value_error = 1e-3}
                                   : CheckerLimits();
  return MakeCheckedEvaluator(
      std::move(onednn),
      MakeTorch(model, {.backend = "torch", .device = "cpu", .precision = "fp32"}), limits);
}

}  // namespace qirkat
