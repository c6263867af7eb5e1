// qirkat bench env [GAME]: rates of the rules and of the vectorized envs, one table for all games.
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
  std::string game;
  std::string options;  // that differ from their defaults
  int state_bytes;
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
double StepRate(const AnyGame& game, const BenchEnvOptions& options, int threads,
                bool observations) {
  const int envs = static_cast<int>(options.envs) * threads;
  const auto env = MakeVectorEnv(game.info().name, game.info().OptionValues(),
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

// "name=value" of each option that is not at its default.
std::string ChangedOptions(const GameInfo& info) {
  std::vector<std::string> texts;
  for (const OptionInfo& option : info.options) {
    if (option.value != option.default_value) texts.push_back(option.name + '=' + option.value);
  }
  return Join(texts, " ");
}

// 1, 2, 4, … and the most.
std::vector<int> ThreadCounts(std::int64_t most) {
  std::vector<int> counts;
  for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(static_cast<int>(most));
  return counts;
}

void Measure(const AnyGame& game, const BenchEnvOptions& options, std::vector<Rate>& rates) {
  const auto add = [&](const std::string& measure, const std::string& unit, int threads,
                       double rate, double one) {
    rates.push_back({game.info().name, ChangedOptions(game.info()), game.info().state_bytes,
                     measure, unit, threads, rate, rate / one});
  };
  const double nodes = PerftRate(game, options.seconds);
  add("perft", "nodes/s", 1, nodes, nodes);
  for (const bool observations : {false, true}) {
    double one = 0;
    for (const int threads : ThreadCounts(options.threads)) {
      const double rate = StepRate(game, options, threads, observations);
      if (threads == 1) one = rate;
      add(observations ? "steps with observations" : "steps", "steps/s", threads, rate, one);
    }
  }
}

// The rules as given; where the game begins with placing pieces and nothing is said of it, random
// placements, or that phase would be most of what is measured.
OptionTexts MeasuredRules(const std::string& game, OptionTexts rules) {
  const auto made = MakeGame(game, rules);
  for (const OptionInfo& option : made->info().options) {
    const auto is_given = [&](const auto& rule) { return rule.first == option.name; };
    if (option.name == "setup" && std::ranges::none_of(rules, is_given)) {
      rules.emplace_back("setup", "random");
    }
  }
  return rules;
}

void Run(const BenchEnvOptions& options) {
  const bool all = options.game.empty();
  if (all && !options.rules.empty()) {
    throw UserError("--set needs a game: qirkat bench env GAME --set …");
  }
  std::vector<Rate> rates;
  for (const std::string& name : all ? GameNames() : std::vector{options.game}) {
    Measure(*MakeGame(name, MeasuredRules(name, options.rules)), options, rates);
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"game", "options", "state", "measure", "unit", "threads", "rate", "per core",
                   "of 1 thread"});
  for (const Rate& rate : rates) {
    const double per_core = rate.per_second / rate.threads;
    list.push_back({{"game", rate.game},
                    {"options", rate.options},
                    {"state_bytes", rate.state_bytes},
                    {"measure", rate.measure},
                    {"unit", rate.unit},
                    {"threads", rate.threads},
                    {"rate", rate.per_second},
                    {"per_core", per_core},
                    {"of_1_thread", rate.ratio}});
    table.AddRow({rate.game, rate.options, StrCat(rate.state_bytes, " B"), rate.measure, rate.unit,
                  std::to_string(rate.threads), ShortNumber(rate.per_second), ShortNumber(per_core),
                  ShortNumber(rate.ratio)});
  }
  if (options.json) {
    PrintJson({{"bench", "env"}, {"envs_per_thread", options.envs}, {"rates", std::move(list)}});
  } else {
    table.Print(std::cout);
  }
}

}  // namespace

void AddBenchEnv(CLI::App& app, Session&) {
  const auto options = std::make_shared<BenchEnvOptions>();
  AddGame(app, options->game)->required(false);
  AddSet(app, options->rules);
  AddInteger(app, "--envs", options->envs,
             {.min = 1, .max = 1 << 20, .help = "Games stepped together, for each thread"});
  AddInteger(app, "--threads", options->threads,
             {.min = 1, .max = 1024, .help = "Measure 1, 2, 4, … and this many threads"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.01, .max = 3600, .unit = "s", .help = "Time for each measurement"});
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
