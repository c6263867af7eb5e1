// qirkat bench eval GAME: rows a second of every evaluator on one core, by batch size.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "models/evaluators.h"
#include "models/net_weights.h"
#include "models/onednn/onednn_evaluator.h"
#ifdef QIRKAT_WITH_TORCH
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
  double seconds = 0.5;
  bool json = false;
};

struct Contestant {
  std::string name;
  std::shared_ptr<const EvaluatorFactory> factory;
};

// The evaluators that need no network, and an untrained network in every backend and precision of
// this program, onednn's on the CPU, torch's on the device: speed does not depend on the weights.
std::vector<Contestant> Contestants(const BenchEvalOptions& options, const AnyGame& game) {
  const GameInfo& info = game.info();
  std::vector<Contestant> contestants;
  for (const char* spec : {"uniform", "hash", "rollout"}) {
    contestants.push_back({spec, MakeEvaluator(spec, ShapeOf(info), "bench eval")});
  }
  const Model model = InitialModel(MakeNetSpec(info, options.net), 1);
  const auto calibrate = [&](Evaluator& fp32) { return PlayCalibrationRows(game, fp32); };
  for (const std::string& precision : FindOnednnCpu().precisions) {
    contestants.push_back(
        {StrCat("onednn ", precision), MakeOnednnEvaluator(model, precision, calibrate)});
  }
#ifdef QIRKAT_WITH_TORCH
  const std::string device = ResolveTorchOptions({.device = options.device}).device;
  for (const std::string& precision : TorchPrecisions(device)) {
    contestants.push_back({StrCat("torch ", device, ' ', precision),
                           MakeTorchEvaluator(model, {.device = device, .precision = precision})});
  }
#endif
  return contestants;
}

// A batch of positions from random games.
class Positions {
 public:
  Positions(const AnyGame& game, int count) : buffers(ShapeOf(game.info()), count) {
    RandomStream random(1);
    while (static_cast<int>(lines_.size()) < count) {
      auto line = game.NewLine(random);
      for (std::uint32_t plies = random.Below(40); plies > 0 && !line->over(); --plies) {
        line->Play(line->legal(
            static_cast<int>(random.Below(static_cast<std::uint32_t>(line->legal_count())))));
      }
      if (line->over()) continue;
      const auto row = lines_.size();
      line->Observe(buffers.Row(static_cast<int>(row)));
      buffers.seeds[row] = random.Next();
      buffers.lines[row] = line.get();
      lines_.push_back(std::move(line));
    }
  }

  EvalBuffers buffers;

 private:
  std::vector<std::unique_ptr<AnyLine>> lines_;
};

double RowsPerSecond(Evaluator& evaluator, EvalBuffers& buffers, int batch, double seconds) {
  using Clock = std::chrono::steady_clock;
  const EvalBatch rows = buffers.Batch(batch, evaluator.needs_lines());
  const EvalResult result = buffers.Result(batch);
  // Warm-up: kernels are compiled, memory is touched.
  for (int i = 0; i < 3; ++i) evaluator.Evaluate(rows, result);
  std::int64_t count = 0;
  double elapsed = 0;
  const auto start = Clock::now();
  while (elapsed < seconds) {
    evaluator.Evaluate(rows, result);
    count += batch;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return static_cast<double>(count) / elapsed;
}

void Run(const BenchEvalOptions& options) {
  const auto game = MakeGame(options.game, options.rules);
  const auto max_batch = static_cast<int>(options.max_batch);
  Positions positions(*game, max_batch);
  std::vector<int> batches;
  for (int batch = 1; batch < max_batch; batch *= 4) batches.push_back(batch);
  batches.push_back(max_batch);

  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"evaluator", "batch", "rows/s per core", "of largest batch"});
  for (const Contestant& contestant : Contestants(options, *game)) {
    const auto evaluator = contestant.factory->Make(max_batch);
    std::vector<double> rates;
    for (const int batch : batches) {
      rates.push_back(RowsPerSecond(*evaluator, positions.buffers, batch, options.seconds));
    }
    for (std::size_t i = 0; i < batches.size(); ++i) {
      const double ratio = rates[i] / rates.back();
      list.push_back({{"evaluator", contestant.name},
                      {"batch", batches[i]},
                      {"rows_per_second_per_core", rates[i]},
                      {"of_largest_batch", ratio}});
      table.AddRow(
          {contestant.name, std::to_string(batches[i]), ShortNumber(rates[i]), ShortNumber(ratio)});
    }
  }
  if (options.json) {
    nlohmann::ordered_json net;
    for (const auto& [name, value] : OptionValues(options.net)) net[name] = value;
    PrintJson({{"bench", "eval"}, {"game", options.game}, {"net", net}, {"rates", list}});
  } else {
    table.Print(std::cout);
  }
}

}  // namespace

void AddBenchEval(CLI::App& app, Session&) {
  const auto options = std::make_shared<BenchEvalOptions>();
  AddGame(app, options->game);
  AddSet(app, options->rules);
  for (const Option<NetOptions>& option : NetOptions::Table()) {
    AddInteger(app, "--" + option.name, options->net.*std::get<0>(option.field), option.facts);
  }
  AddText(app, "--device", options->device, {.help = "Of torch: auto, cpu, cuda or cuda:N"});
  AddInteger(app, "--max-batch", options->max_batch,
             {.min = 1, .max = 1 << 16, .unit = "rows", .help = "Largest batch"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.01, .max = 3600, .unit = "s", .help = "Time for each measurement"});
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
