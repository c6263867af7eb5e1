#include "frontends/cli/load_net.h"

#include <iostream>
#include <map>
#include <memory>
#include <tuple>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/support.h"
#include "models/backends/backends.h"
#include "models/net_spec.h"
#include "models/tensor_file.h"

namespace qirkat::cli {

void AddBackend(CLI::App& app, BackendOptions& options) {
  AddText(app, "--backend", options.backend,
          {.choices = {"auto", "onednn", "torch", "checker"},
           .help = "What evaluates nets; checker: onednn compared with torch"});
  AddText(app, "--device", options.device,
          {.help = "Of nets: auto, cpu, cuda, or a list: cuda:0,cuda:1"});
  AddText(
      app, "--precision", options.precision,
      {.help = "Of nets: auto, fp32, bf16, int8, or several with commas between: the first that "
               "is close enough to fp32"});
}

LoadNet NetLoader(const AnyGame& game, BackendOptions& options) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  using Factories = std::map<Key, std::shared_ptr<const EvaluatorFactory>>;
  return [&game, &options, common = options, loaded = std::make_shared<Factories>()](
             const std::string& file, const BackendOptions& wanted) {
    const auto choose = [](const std::string& own, const std::string& other) {
      return own == "auto" ? other : own;
    };
    const BackendOptions chosen = options =
        ResolveBackend({.backend = choose(wanted.backend, common.backend),
                        .device = choose(wanted.device, common.device),
                        .precision = choose(wanted.precision, common.precision),
                        .cpu = common.cpu});
    auto& factory = (*loaded)[{file, chosen.backend, chosen.device, chosen.precision}];
    if (!factory) {
      const Model model = ReadModel(file);
      const std::string warning = CheckNetSpec(model.spec, game.info(), file);
      if (!warning.empty()) std::cerr << OneLine("warning: " + warning) << '\n';
      factory = MakeNetEvaluator(model, chosen, [&](Evaluator& evaluator) {
        return PlayCalibrationRows(game, evaluator);
      });
    }
    return factory;
  };
}

}  // namespace qirkat::cli
