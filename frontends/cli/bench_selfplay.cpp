// qirkat bench selfplay GAME: how many positions a second self-play evaluates.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/support.h"
#include "models/backends/backends.h"
#include "models/net_weights.h"
#include "selfplay/pipeline/self_play.h"

namespace qirkat::cli {
namespace {

struct BenchSelfPlayOptions {
  std::string game;
  OptionTexts rules;
  std::string model;
  BackendOptions backend;
  std::int64_t visits = 100;
  std::int64_t slots = 32;
  std::int64_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::int64_t games = 128;
  double seconds = 10;
  bool json = false;
};

struct NamedModel {
  std::string name;
  std::shared_ptr<const EvaluatorFactory> factory;
};

// `--model`, or the tree alone and, where a backend was built, a random net of the default size.
std::vector<NamedModel> Models(BenchSelfPlayOptions& options, const AnyGame& game) {
  if (!options.model.empty()) {
    return {{options.model,
             MakeModel(options.model, game.info(), NetLoader(game, options.backend), "--model")}};
  }
  std::vector<NamedModel> models = {{"hash", MakeModel("hash", game.info(), {}, "--model")}};
  const NetOptions net;
  auto random =
      MakeNetEvaluator(InitialModel(MakeNetSpec(game.info(), net), 1), options.backend,
                       [&](Evaluator& evaluator) { return PlayCalibrationRows(game, evaluator); });
  models.push_back({StrCat("random net ", net.blocks, " x ", net.channels), std::move(random)});
  return models;
}

// Whole games, unless the time is up before.
SelfPlayStats Measure(const BenchSelfPlayOptions& options, std::shared_ptr<const AnyGame> game,
                      std::shared_ptr<const EvaluatorFactory> model, int threads) {
  SelfPlayJob job;
  job.game = std::move(game);
  job.evaluator = std::move(model);
  job.search.visits = options.visits;
  job.options.games = options.games * threads;
  job.options.window = std::max<std::int64_t>(job.options.games, 1);
  job.options.workers = threads;
  job.options.slots = options.slots;
  job.seed = 1;
  std::atomic<bool> stop = false;
  return RunSelfPlay(
      job, [](GameRecord&&) {},
      [&](const SelfPlayStats& now) {
        if (now.seconds >= options.seconds) stop = true;
      },
      &stop);
}

void Run(BenchSelfPlayOptions& options) {
  const auto game = MakeGame(options.game, options.rules);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"model", "threads", "evaluations/s", "per core", "of 1 thread", "games/s",
                   "rows/batch", "tree %", "model %"});
  for (const NamedModel& model : Models(options, *game)) {
    double one = 0;
    for (int threads = 1; threads <= options.threads; ++threads) {
      const SelfPlayStats stats = Measure(options, game, model.factory, threads);
      const double rate = static_cast<double>(stats.evaluations) / stats.seconds;
      if (threads == 1) one = rate;
      const double games = static_cast<double>(stats.games) / stats.seconds;
      const double rows =
          static_cast<double>(stats.evaluations) / static_cast<double>(stats.batches);
      const double busy = stats.select_seconds + stats.evaluate_seconds;
      list.push_back({{"model", model.name},
                      {"threads", threads},
                      {"evaluations_per_s", rate},
                      {"per_core", rate / threads},
                      {"of_1_thread", rate / one},
                      {"games_per_s", games},
                      {"games", stats.games},
                      {"rows_per_batch", rows},
                      {"terminal_visits", stats.terminal_visits},
                      {"seconds", stats.seconds},
                      {"select_seconds", stats.select_seconds},
                      {"evaluate_seconds", stats.evaluate_seconds},
                      {"writer_wait_seconds", stats.writer_wait_seconds},
                      {"tree_bytes", stats.tree_bytes}});
      table.AddRow({model.name, std::to_string(threads), ShortNumber(rate),
                    ShortNumber(rate / threads), ShortNumber(rate / one), ShortNumber(games),
                    ShortNumber(rows), ShortNumber(100 * stats.select_seconds / busy),
                    ShortNumber(100 * stats.evaluate_seconds / busy)});
    }
  }
  if (options.json) {
    PrintJson({{"bench", "selfplay"},
               {"game", options.game},
               {"visits", options.visits},
               {"slots", options.slots},
               {"rates", std::move(list)}});
  } else {
    table.Print(std::cout);
  }
}

}  // namespace

void AddBenchSelfPlay(CLI::App& app, Session&) {
  const auto options = std::make_shared<BenchSelfPlayOptions>();
  AddGame(app, options->game);
  AddSet(app, options->rules);
  AddText(
      app, "--model", options->model,
      {.help = "A model file, hash, uniform or rollout[:playouts=N]; else hash and a random net"});
  AddInteger(app, "--visits", options->visits, {.min = 1, .max = 1e6, .help = "For each move"});
  AddInteger(app, "--slots", options->slots,
             {.min = 1, .max = 65536, .help = "Games at once on each thread"});
  AddInteger(app, "--threads", options->threads,
             {.min = 1, .max = 1024, .help = "Measure 1, 2, … up to this many threads"});
  AddInteger(app, "--games", options->games,
             {.min = 1, .max = 1e6, .help = "Whole games for each thread"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.1, .max = 3600, .unit = "s", .help = "Longest time for each measurement"});
  AddBackend(app, options->backend);
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
