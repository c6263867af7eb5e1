// qirkat bench analyze GAME: the search of one position in batches, against the evaluator alone.
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/bench_rows.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/support.h"
#include "selfplay/analysis/analysis.h"
#include "selfplay/match/player_spec.h"

namespace qirkat::cli {
namespace {

struct BenchAnalyzeOptions {
  std::string game;
  OptionTexts rules;
  std::string model;
  NetOptions net;
  BackendOptions backend;
  std::int64_t batch = 32;
  std::int64_t visits = 10'000;
  std::int64_t rounds = 5;
  double seconds = 1;
  bool json = false;
};

// Searches of the start position, one after another.
class SearchBench {
 public:
  SearchBench(const BenchAnalyzeOptions& options, const AnyGame& game, const NamedModel& model)
      : visits_(options.visits),
        start_(game.NewLineAt("start")),
        analysis_(MakeAnalysis(
            game, {.spec = model.name, .evaluator = model.factory, .search = PlaySearch({})},
            {.batch = static_cast<int>(options.batch)})) {
    Restart();
  }

  // Evaluations a second.
  double Rate(double seconds) {
    using Clock = std::chrono::steady_clock;
    const std::uint64_t before = analysis_->stats().evaluations;
    double elapsed = 0;
    const auto start = Clock::now();
    while (elapsed < seconds) {
      ++batches_;
      if (!analysis_->Step()) Restart();
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return static_cast<double>(analysis_->stats().evaluations - before) / elapsed;
  }
  double rows_per_batch() const {
    return static_cast<double>(analysis_->stats().evaluations) / static_cast<double>(batches_);
  }

 private:
  void Restart() {
    analysis_->SetLine(*start_, 1);
    analysis_->Begin(visits_);
  }

  std::int64_t visits_;
  std::unique_ptr<AnyLine> start_;
  std::unique_ptr<Analysis> analysis_;
  std::uint64_t batches_ = 0;
};

void Run(BenchAnalyzeOptions& options) {
  const auto game = MakeGame(options.game, options.rules);
  const NamedModel model =
      options.model.empty()
          ? RandomNet(*game, options.net, options.backend)
          : NamedModel{options.model, MakeModel(options.model, game->info(),
                                                NetLoader(*game, options.backend), "--model")};
  const auto batch = static_cast<int>(options.batch);
  RandomRows rows(*game, batch);
  const auto evaluator = model.factory->Make(batch);
  SearchBench search(options, *game, model);
  search.Rate(options.seconds / 5);  // memory is touched, kernels are compiled
  // They take turns, so that a machine that slows down slows both.
  std::vector<double> raw, rates, shares;
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    raw.push_back(RowsPerSecond(*evaluator, rows, batch, options.seconds));
    rates.push_back(search.Rate(options.seconds));
    shares.push_back(rates.back() / raw.back());
  }
  const double raw_rate = Median(raw), rate = Median(rates), share = Median(shares);
  const std::string description = model.factory->description();
  if (options.json) {
    PrintJson({{"bench", "analyze"},
               {"game", options.game},
               {"model", model.name},
               {"evaluator", description},
               {"batch", options.batch},
               {"visits", options.visits},
               {"rounds", options.rounds},
               {"evaluations_per_s", rate},
               {"raw_per_s", raw_rate},
               {"of_raw", share},
               {"rows_per_batch", search.rows_per_batch()}});
    return;
  }
  std::cout << options.game << ", " << model.name << " (" << description << "), " << options.visits
            << " visits from the start position on one core\n";
  TextTable table({"batch", "evaluations/s", "raw rows/s", "of raw", "rows/batch"});
  table.AddRow({std::to_string(options.batch), ShortNumber(rate), ShortNumber(raw_rate),
                ShortNumber(share), ShortNumber(search.rows_per_batch())});
  table.Print(std::cout);
}

}  // namespace

void AddBenchAnalyze(CLI::App& app, Session&) {
  const auto options = std::make_shared<BenchAnalyzeOptions>();
  AddGame(app, options->game);
  AddSet(app, options->rules);
  AddText(app, "--model", options->model,
          {.help = "A model file, hash, uniform or rollout[:playouts=N]; else a random net"});
  for (const Option<NetOptions>& option : NetOptions::Table()) {
    AddInteger(app, "--" + option.name, options->net.*std::get<0>(option.field), option.facts);
  }
  AddInteger(app, "--batch", options->batch,
             {.min = 1, .max = 4096, .unit = "leaves", .help = "Evaluated together"});
  AddInteger(app, "--visits", options->visits,
             {.min = 1, .max = 1e8, .unit = "visits", .help = "Of each search"});
  AddInteger(app, "--rounds", options->rounds,
             {.min = 1, .max = 1000, .help = "Measurements of each, of which the median counts"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.01, .max = 3600, .unit = "s", .help = "Time for each measurement"});
  AddBackend(app, options->backend);
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
