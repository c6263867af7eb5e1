// qirkat bench eval GAME: rows a second of every evaluator on one core, by batch size.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/bench_rows.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "models/evaluators.h"
#include "models/net_weights.h"
#include "models/onednn/onednn_evaluator.h"
#ifdef QIRKAT_WITH_TORCH
#include "models/torch/plain_evaluator.h"
#include "models/torch/torch_evaluator.h"
#endif

namespace qirkat::cli {
namespace {

struct BenchEvalOptions {
  std::string game;
  OptionTexts rules;
  NetOptions net;
  std::string device = "cpu";  // of torch
  std::int64_t max_batch = 256;
  std::int64_t rounds = 3;
  double seconds = 0.2;
  bool json = false;
};

// What the others are compared with, at its largest batch.
constexpr const char* kReference = "torch module fp32";

struct Contestant {
  std::string name;
  std::shared_ptr<const EvaluatorFactory> factory;
  bool net = true;
};

// The evaluators that need no network, and an untrained network in every backend and precision of
// this program, onednn's on the CPU, torch's on the device: speed does not depend on the weights.
std::vector<Contestant> Contestants(const BenchEvalOptions& options, const AnyGame& game) {
  const GameInfo& info = game.info();
  std::vector<Contestant> contestants;
  for (const char* spec : {"uniform", "hash", "rollout"}) {
    contestants.push_back({spec, MakeEvaluator(spec, ShapeOf(info), "bench eval"), false});
  }
  const Model model = InitialModel(MakeNetSpec(info, options.net), 1);
  const auto calibrate = [&](Evaluator& fp32) { return PlayCalibrationRows(game, fp32); };
  for (const std::string& precision : FindOnednnCpu().precisions) {
    contestants.push_back(
        {StrCat("onednn ", precision), MakeOnednnEvaluator(model, precision, calibrate)});
  }
#ifdef QIRKAT_WITH_TORCH
  contestants.push_back({kReference, MakePlainTorchEvaluator(model)});
  const std::string device = ResolveTorchOptions({.device = options.device}).device;
  for (const std::string& precision : TorchPrecisions(device)) {
    const TorchOptions torch{.device = device, .precision = precision};
    const std::string name = StrCat("torch ", device, ' ', precision);
    contestants.push_back({name, MakeTorchEvaluator(model, torch)});
    if (device == "cpu") continue;
    TorchOptions layers = torch;
    layers.graphs = false;
    contestants.push_back({name + " without graphs", MakeTorchEvaluator(model, layers)});
  }
#endif
  return contestants;
}

// A contestant's rates by batch size: medians of rounds that take turns with the other contestants,
// so that a machine that slows down slows all of them.
struct Rates {
  std::unique_ptr<Evaluator> evaluator;
  std::vector<std::vector<double>> samples;  // [batches][rounds] rows a second
  double MedianOf(std::size_t batch) const {
    std::vector<double> sorted = samples[batch];
    return Median(sorted);
  }
};

std::vector<int> BatchSizes(int max_batch) {
  std::vector<int> batches;
  for (const int batch : {1, 8, 32}) {
    if (batch < max_batch) batches.push_back(batch);
  }
  batches.push_back(max_batch);
  return batches;
}

void Print(const BenchEvalOptions& options, const std::vector<Contestant>& contestants,
           const std::vector<int>& batches, const std::vector<Rates>& rates) {
  std::optional<double> reference;
  for (std::size_t c = 0; c < contestants.size(); ++c) {
    if (contestants[c].name != kReference) continue;
    reference = rates[c].MedianOf(batches.size() - 1);
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"evaluator", "batch", "rows/s per core", "over module"});
  for (std::size_t c = 0; c < contestants.size(); ++c) {
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const double rate = rates[c].MedianOf(b);
      list.push_back({{"evaluator", contestants[c].name},
                      {"batch", batches[b]},
                      {"rows_per_second_per_core", rate}});
      const bool net = contestants[c].net && reference;
      if (net) list.back()["over_torch_module_fp32"] = rate / *reference;
      table.AddRow({contestants[c].name, std::to_string(batches[b]), ShortNumber(rate),
                    net ? ShortNumber(rate / *reference) : "-"});
    }
  }
  if (options.json) {
    nlohmann::ordered_json net;
    for (const auto& [name, value] : OptionValues(options.net)) net[name] = value;
    PrintJson({{"bench", "eval"}, {"game", options.game}, {"net", net}, {"rates", list}});
  } else {
    table.Print(std::cout);
    if (reference)
      std::cout << "module: LibTorch's operators one by one in fp32, channels last, batch "
                << batches.back() << '\n';
  }
}

void Run(const BenchEvalOptions& options) {
  const auto game = MakeGame(options.game, options.rules);
  const auto max_batch = static_cast<int>(options.max_batch);
  RandomRows rows(*game, max_batch);
  const std::vector<int> batches = BatchSizes(max_batch);
  const std::vector<Contestant> contestants = Contestants(options, *game);
  std::vector<Rates> rates;
  for (const Contestant& contestant : contestants) {
    rates.push_back(
        {contestant.factory->Make(max_batch), std::vector<std::vector<double>>(batches.size())});
  }
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    for (Rates& each : rates) {
      for (std::size_t b = 0; b < batches.size(); ++b) {
        each.samples[b].push_back(
            RowsPerSecond(*each.evaluator, rows, batches[b], options.seconds));
      }
    }
  }
  Print(options, contestants, batches, rates);
}

}  // namespace

void AddBenchEval(CLI::App& app, Session&) {
  const auto options = std::make_shared<BenchEvalOptions>();
  AddGame(app, options->game);
  AddSet(app, options->rules);
  for (const Option<NetOptions>& option : NetOptions::Table()) {
    AddInteger(app, "--" + option.name, options->net.*std::get<0>(option.field), option.facts);
  }
  AddText(app, "--device", options->device,
          {.help = "Of torch: auto, cpu, cuda, or a list: cuda:0,cuda:1"});
  AddInteger(app, "--max-batch", options->max_batch,
             {.min = 1, .max = 1 << 16, .unit = "rows", .help = "Largest batch"});
  AddInteger(app, "--rounds", options->rounds,
             {.min = 1, .max = 1000, .help = "Measurements of each, of which the median counts"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.01, .max = 3600, .unit = "s", .help = "Time for each measurement"});
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
