// qirkat bench env GAME: rates of the rules and of the vectorized envs.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "envs/registry.h"
#include "envs/vector_env.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {
namespace {

struct BenchEnvOptions {
  std::string game;
  OptionTexts rules;
  std::int64_t envs = 256;
  std::int64_t threads = std::max(1u, std::thread::hardware_concurrency());
  double seconds = 1;
  bool json = false;
};

struct Rate {
  std::string measure;
  std::string unit;
  int threads;
  double per_second;
  double ratio;  // to the same measure with one thread
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Nodes a second of the first depth that takes at least a third of `seconds`.
double PerftRate(const AnyGame& game, double seconds) {
  const auto line = game.NewLineAt("start");
  for (int depth = 1;; ++depth) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t nodes = line->Perft(depth);
    const double elapsed = SecondsSince(start);
    if (elapsed * 3 >= seconds || nodes == 0) return static_cast<double>(nodes) / elapsed;
  }
}

// Steps a second of random games.
double StepRate(const BenchEnvOptions& options, int threads, bool observations) {
  const int envs = static_cast<int>(options.envs) * threads;
  const auto env = MakeVectorEnv(options.game, options.rules,
                                 {.envs = envs, .threads = threads, .observations = observations});
  // Warm-up: games spread over all phases, threads started.
  for (int i = 0; i < 200; ++i) env->StepRandom();
  std::int64_t steps = 0;
  const auto start = std::chrono::steady_clock::now();
  double elapsed = 0;
  while (elapsed < options.seconds) {
    for (int i = 0; i < 16; ++i) env->StepRandom();
    steps += 16 * envs;
    elapsed = SecondsSince(start);
  }
  return static_cast<double>(steps) / elapsed;
}

std::vector<Rate> Measure(const BenchEnvOptions& options) {
  std::vector<Rate> rates;
  const auto game = MakeGame(options.game, options.rules);
  rates.push_back({"perft", "nodes/s", 1, PerftRate(*game, options.seconds), 1});
  for (const bool observations : {false, true}) {
    const std::string measure = observations ? "steps with observations" : "steps";
    double one = 0;
    for (int threads = 1; threads <= options.threads; ++threads) {
      const double rate = StepRate(options, threads, observations);
      if (threads == 1) one = rate;
      rates.push_back({measure, "steps/s", threads, rate, rate / one});
    }
  }
  return rates;
}

void Run(const BenchEnvOptions& options) {
  const std::vector<Rate> rates = Measure(options);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"measure", "unit", "threads", "rate", "per core", "of 1 thread"});
  for (const Rate& rate : rates) {
    const double per_core = rate.per_second / rate.threads;
    list.push_back({{"measure", rate.measure},
                    {"unit", rate.unit},
                    {"threads", rate.threads},
                    {"rate", rate.per_second},
                    {"per_core", per_core},
                    {"of_1_thread", rate.ratio}});
    table.AddRow({rate.measure, rate.unit, std::to_string(rate.threads),
                  ShortNumber(rate.per_second), ShortNumber(per_core), ShortNumber(rate.ratio)});
  }
  if (options.json) {
    PrintJson({{"bench", "env"},
               {"game", options.game},
               {"envs_per_thread", options.envs},
               {"rates", std::move(list)}});
  } else {
    table.Print(std::cout);
  }
}

}  // namespace

void AddBenchEnv(CLI::App& app, Session&) {
  const auto options = std::make_shared<BenchEnvOptions>();
  AddGame(app, options->game);
  AddSet(app, options->rules);
  AddInteger(app, "--envs", options->envs,
             {.min = 1, .max = 1 << 20, .help = "Games stepped together, for each thread"});
  AddInteger(app, "--threads", options->threads,
             {.min = 1, .max = 1024, .help = "Measure 1, 2, … up to this many threads"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.01, .max = 3600, .unit = "s", .help = "Time for each measurement"});
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
