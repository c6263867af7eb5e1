#include "frontends/cli/load_net.h"

#ifdef QIRKAT_WITH_TORCH
#include <iostream>
#include <map>
#include <memory>

#include "frontends/cli/support.h"
#include "models/net_spec.h"
#include "models/tensor_file.h"
#include "models/torch/torch_evaluator.h"
#endif

namespace qirkat::cli {

#ifdef QIRKAT_WITH_TORCH
LoadNet NetLoader(const std::string& device, const std::string& precision) {
  auto loaded = std::make_shared<std::map<std::string, std::shared_ptr<const EvaluatorFactory>>>();
  return [=](const std::string& file, const GameInfo& game) {
    auto& factory = (*loaded)[file];
    if (!factory) {
      const Model model = ReadModel(file);
      const std::string warning = CheckNetSpec(model.spec, game, file);
      if (!warning.empty()) std::cerr << OneLine("warning: " + warning) << '\n';
      factory = MakeTorchEvaluator(model, {.device = device, .precision = precision});
    }
    return factory;
  };
}
#else
LoadNet NetLoader(const std::string&, const std::string&) { return {}; }
#endif

}  // namespace qirkat::cli
