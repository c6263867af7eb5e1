// qirkat bench train GAME: rate of the learner, with the ratio to a plain LibTorch loop.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "training/learner/benchmark.h"

namespace qirkat::cli {
namespace {

struct BenchTrainCommand {
  std::string game;
  OptionTexts rules;
  NetOptions net;
  LearnerOptions learner;
  double seconds = 5;
  bool json = false;
};

void RunBenchTrain(const BenchTrainCommand& command) {
  const auto game = MakeGame(command.game, command.rules);
  const LearnerBenchmark result =
      BenchmarkLearner(game, command.net, command.learner, command.seconds);
  const double ratio = result.samples_per_s / result.reference_samples_per_s;
  if (command.json) {
    const char* const spins = std::getenv("GOMP_SPINCOUNT");
    PrintJson({{"game", command.game},
               {"blocks", command.net.blocks},
               {"channels", command.net.channels},
               {"parameters", result.parameters},
               {"batch_size", command.learner.batch_size},
               {"threads", command.learner.threads},
               {"gomp_spincount", spins ? spins : ""},
               {"device", result.device},
               {"precision", result.precision},
               {"samples_per_s", result.samples_per_s},
               {"reference_samples_per_s", result.reference_samples_per_s},
               {"ratio", ratio}});
    return;
  }
  std::cout << command.game << ", net of " << command.net.blocks << " blocks x "
            << command.net.channels << " channels (" << result.parameters << " parameters), batch "
            << command.learner.batch_size << ", " << command.learner.threads << " threads\n";
  TextTable table({"loop", "samples/s", "ratio"});
  table.AddRow({"plain LibTorch fp32", ShortNumber(result.reference_samples_per_s), "1"});
  table.AddRow({StrCat("learner ", result.device, ' ', result.precision),
                ShortNumber(result.samples_per_s), ShortNumber(ratio)});
  table.Print(std::cout);
}

void AddLearnerOption(CLI::App& app, LearnerOptions& learner,
                      const Option<LearnerOptions>& option) {
  if (option.name == "batch_size" || option.name == "threads") {
    AddInteger(app, "--" + option.name, learner.*std::get<0>(option.field), option.facts);
  } else if (option.name == "device" || option.name == "precision") {
    AddText(app, "--" + option.name, learner.*std::get<3>(option.field), option.facts);
  }
}

}  // namespace

void AddBenchTrain(CLI::App& app, Session&) {
  auto command = std::make_shared<BenchTrainCommand>();
  AddGame(app, command->game);
  AddSet(app, command->rules);
  for (const Option<NetOptions>& option : NetOptions::Table()) {
    AddInteger(app, "--" + option.name, command->net.*std::get<0>(option.field), option.facts);
  }
  for (const Option<LearnerOptions>& option : LearnerOptions::Table()) {
    AddLearnerOption(app, command->learner, option);
  }
  AddReal(app, "--seconds", command->seconds,
          {.min = 0.1, .max = 3600, .unit = "seconds", .help = "Time for each loop"});
  AddJson(app, command->json);
  app.callback([command] { RunBenchTrain(*command); });
}

}  // namespace qirkat::cli
