// qirkat bench selfplay GAME: how many positions a second self-play evaluates, and what it does
// with its time.
#include <stdlib.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/registry.h"
#include "frontends/cli/bench_rows.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/config_overrides.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/support.h"
#include "selfplay/data/shard.h"
#include "selfplay/pipeline/run_games.h"
#include "selfplay/pipeline/self_play.h"

namespace qirkat::cli {
namespace {

struct BenchSelfPlayOptions {
  std::string game;
  OptionTexts rules;
  std::string model;
  BackendOptions backend;
  OptionTexts search;
  std::int64_t visits = 100;
  std::int64_t slots = 32;
  std::int64_t groups = 0;
  std::int64_t cache_mib = SelfPlayOptions().cache_mib;
  std::int64_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::int64_t repeat = 1;
  double seconds = 5;
  bool json = false;
};

// `--model`, or the tree alone and a random net of the default size.
std::vector<NamedModel> Models(BenchSelfPlayOptions& options, const AnyGame& game) {
  if (!options.model.empty()) {
    return {{options.model,
             MakeModel(options.model, game.info(), NetLoader(game, options.backend), "--model")}};
  }
  std::vector<NamedModel> models = {{"hash", MakeModel("hash", game.info(), {}, "--model")}};
  models.push_back(RandomNet(game, {}, options.backend));
  return models;
}

// A new folder for shards, removed with what is in it.
class ShardFolder {
 public:
  ShardFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "qirkat-bench-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw UserError(pattern + ": cannot make this folder");
    path_ = pattern;
  }
  ~ShardFolder() {
    std::error_code ignored;  // a folder that stays in the temporary folder does no harm
    std::filesystem::remove_all(path_, ignored);
  }
  ShardFolder(const ShardFolder&) = delete;
  ShardFolder& operator=(const ShardFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What was done between two moments.
SelfPlayStats Between(const SelfPlayStats& begin, SelfPlayStats end) {
  end.games -= begin.games;
  end.positions -= begin.positions;
  end.evaluations -= begin.evaluations;
  end.cache_hits -= begin.cache_hits;
  end.terminal_visits -= begin.terminal_visits;
  end.batches -= begin.batches;
  end.seconds -= begin.seconds;
  end.writer_seconds -= begin.writer_seconds;
  end.phases -= begin.phases;
  return end;
}

// Games from start to end, written as shards, with every slot busy: after a warm-up the time is
// measured while new games keep starting.
SelfPlayStats PlayFor(const BenchSelfPlayOptions& options, std::shared_ptr<const AnyGame> game,
                      std::shared_ptr<const EvaluatorFactory> model, int threads) {
  SelfPlayJob job;
  job.game = std::move(game);
  job.evaluator = std::move(model);
  job.search = ParseOptions<SearchOptions>(options.search, "--search");
  job.search.visits = options.visits;
  job.options.games = 1'000'000'000;
  job.options.window = std::max<std::int64_t>(256, 2 * options.slots * threads);
  job.options.workers = threads;
  job.options.slots = options.slots;
  job.options.cache_mib = options.cache_mib;
  job.groups = static_cast<int>(options.groups);
  job.seed = 1;
  const ShardFolder folder;
  ShardHeader header = MakeShardHeader(job.game->info());
  header.model = job.evaluator->model_name();
  ShardWriter writer(folder.path(), std::move(header), 1000);

  const double warm_up = options.seconds / 5;
  SelfPlayStats begin, end;
  std::atomic<bool> stop = false;
  const auto observe = [&](const SelfPlayStats& now) {
    if (stop) return;
    if (begin.seconds == 0 && now.seconds >= warm_up) begin = now;
    end = now;
    stop = Interrupted() || (begin.seconds > 0 && now.seconds - begin.seconds >= options.seconds);
  };
  RunSelfPlay(
      job, [&](GameRecord&& record) { writer.Append(record); }, observe, &stop);
  return Between(begin, end);
}

// Rows a second of the evaluator alone on so many threads, in the batches that self-play makes.
double RawRate(const BenchSelfPlayOptions& options, const AnyGame& game,
               const std::shared_ptr<const EvaluatorFactory>& model, int threads) {
  const auto slots = static_cast<int>(options.slots);
  const int groups = std::min(slots, SlotGroups(static_cast<int>(options.groups), {model}));
  const int batch = (slots + groups - 1) / groups;
  std::vector<std::future<double>> rates;
  for (int thread = 0; thread < threads; ++thread) {
    rates.push_back(std::async(std::launch::async, [&] {
      RandomRows rows(game, batch);
      return RowsPerSecond(*model->Make(batch), rows, batch, options.seconds / 5);
    }));
  }
  double sum = 0;
  for (std::future<double>& rate : rates) sum += rate.get();
  return sum;
}

// What is reported of a model on so many threads, by name.
using Numbers = std::map<std::string, double>;

Numbers Measure(const BenchSelfPlayOptions& options, const std::shared_ptr<const AnyGame>& game,
                const NamedModel& model, int threads) {
  const double raw_before = RawRate(options, *game, model.factory, threads);
  const SelfPlayStats stats = PlayFor(options, game, model.factory, threads);
  const double raw = (raw_before + RawRate(options, *game, model.factory, threads)) / 2;
  const double rate = static_cast<double>(stats.evaluations) / stats.seconds;
  Numbers numbers = {
      {"evaluations_per_s", rate},
      {"per_core", rate / threads},
      {"raw_per_core", raw / threads},
      {"of_raw", rate / raw},
      {"cache_hits_share", stats.cache_hits_share()},
      {"games_per_s", static_cast<double>(stats.games) / stats.seconds},
      {"terminal_visits_per_s", static_cast<double>(stats.terminal_visits) / stats.seconds},
      {"rows_per_batch",
       static_cast<double>(stats.evaluations) / static_cast<double>(stats.batches)},
      {"tree_bytes", static_cast<double>(stats.tree_bytes)}};
  double total = 0;
  const PhaseSeconds phases = stats.phases.SharedOut();
  for (const double seconds : phases) total += seconds;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    numbers[StrCat(kPhaseNames[p], "_share")] = phases[p] / total;
  }
  numbers["writer_share"] = stats.writer_seconds / total;
  return numbers;
}

// Of each number its median over the measurements.
Numbers Medians(const std::vector<Numbers>& measured) {
  Numbers medians;
  for (const auto& [name, unused] : measured.front()) {
    std::vector<double> values;
    for (const Numbers& numbers : measured) values.push_back(numbers.at(name));
    medians[name] = Median(values);
  }
  return medians;
}

struct Row {
  std::string model;
  int threads;
  Numbers numbers;
};

// One row for each number of threads. Every repetition measures all of them, so that what else the
// machine does meets all alike.
std::vector<Row> MeasureModel(const BenchSelfPlayOptions& options,
                              const std::shared_ptr<const AnyGame>& game, const NamedModel& model) {
  std::vector<std::vector<Numbers>> measured(options.threads);
  for (std::int64_t r = 0; r < options.repeat; ++r) {
    for (std::size_t t = 0; t < measured.size() && !Interrupted(); ++t) {
      Numbers numbers = Measure(options, game, model, static_cast<int>(t) + 1);
      const Numbers& one = t == 0 ? numbers : measured[0].back();
      numbers["of_1_thread"] = numbers.at("evaluations_per_s") / one.at("evaluations_per_s");
      if (!Interrupted()) measured[t].push_back(std::move(numbers));
    }
  }
  std::vector<Row> rows;
  for (std::size_t t = 0; t < measured.size(); ++t) {
    if (measured[t].empty()) break;
    rows.push_back({model.name, static_cast<int>(t) + 1, Medians(measured[t])});
  }
  return rows;
}

void Print(const BenchSelfPlayOptions& options, const std::vector<Row>& rows) {
  TextTable rates({"model", "threads", "evaluations/s", "per core", "of 1 thread", "raw per core",
                   "of raw", "cache hits %", "games/s", "rows/batch"});
  TextTable times({"model", "threads", "select", "rules", "encode", "evaluate", "backup", "write",
                   "wait", "writer"});
  for (const Row& row : rows) {
    const auto text = [&](const char* name, double scale = 1) {
      return ShortNumber(scale * row.numbers.at(name));
    };
    rates.AddRow({row.model, std::to_string(row.threads), text("evaluations_per_s"),
                  text("per_core"), text("of_1_thread"), text("raw_per_core"), text("of_raw"),
                  text("cache_hits_share", 100), text("games_per_s"), text("rows_per_batch")});
    std::vector<std::string> cells = {row.model, std::to_string(row.threads)};
    for (const char* phase : kPhaseNames)
      cells.push_back(text((std::string(phase) + "_share").c_str(), 100));
    cells.push_back(text("writer_share", 100));
    times.AddRow(std::move(cells));
  }
  std::cout << options.game << ", " << options.visits << " visits a move, " << options.slots
            << " games at once on each thread\n";
  rates.Print(std::cout);
  std::cout << "\nshare of the threads' time in %; writer: what the thread that writes took beside "
               "them\n";
  times.Print(std::cout);
}

void PrintAsJson(const BenchSelfPlayOptions& options, const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json entry = {{"model", row.model}, {"threads", row.threads}};
    for (const auto& [name, value] : row.numbers) entry[name] = value;
    list.push_back(std::move(entry));
  }
  PrintJson({{"bench", "selfplay"},
             {"game", options.game},
             {"visits", options.visits},
             {"slots", options.slots},
             {"groups", options.groups},
             {"cache_mib", options.cache_mib},
             {"repeat", options.repeat},
             {"rates", std::move(list)}});
}

void Run(BenchSelfPlayOptions& options) {
  CatchInterrupts();
  const auto game = MakeGame(options.game, options.rules);
  std::vector<Row> rows;
  for (const NamedModel& model : Models(options, *game)) {
    for (Row& row : MeasureModel(options, game, model)) rows.push_back(std::move(row));
  }
  options.json ? PrintAsJson(options, rows) : Print(options, rows);
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
  AddInteger(
      app, "--groups", options->groups,
      {.min = 0, .max = 2, .help = "Of slots on each thread, taking turns; 0: 2 on GPUs, else 1"});
  AddInteger(app, "--cache-mib", options->cache_mib,
             {.min = 0, .max = 1 << 20, .unit = "MiB", .help = "As selfplay.cache_mib"});
  AddInteger(app, "--threads", options->threads,
             {.min = 1, .max = 1024, .help = "Measure 1, 2, … up to this many threads"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.1, .max = 3600, .unit = "s", .help = "Time for each measurement"});
  AddInteger(app, "--repeat", options->repeat,
             {.min = 1, .max = 1000, .help = "Measure so often and show medians"});
  AddBackend(app, options->backend);
  AddSearchOverrides(app, options->search);
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
