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
LoadNet NetLoader(std::string& device, std::string& precision) {
  using Factories = std::map<std::string, std::shared_ptr<const EvaluatorFactory>>;
  return [&device, &precision, loaded = std::make_shared<Factories>()](const std::string& file,
                                                                       const GameInfo& game) {
    auto& factory = (*loaded)[file];
    if (!factory) {
      const Model model = ReadModel(file);
      const std::string warning = CheckNetSpec(model.spec, game, file);
      if (!warning.empty()) std::cerr << OneLine("warning: " + warning) << '\n';
      const TorchOptions options = ResolveTorchOptions({.device = device, .precision = precision});
      device = options.device;
      precision = options.precision;
      factory = MakeTorchEvaluator(model, options);
    }
    return factory;
  };
}
#else
LoadNet NetLoader(std::string&, std::string&) { return {}; }
#endif

}  // namespace qirkat::cli
