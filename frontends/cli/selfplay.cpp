// qirkat selfplay CONFIG --model MODEL --games N --out DIR [--section.key VALUE]…
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envs/core/file.h"
#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/config_overrides.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/support.h"
#include "frontends/metrics/live_line.h"
#include "selfplay/data/shard.h"
#include "selfplay/pipeline/self_play.h"
#include "training/config.h"
#include "training/estimate.h"

namespace qirkat::cli {
namespace {

struct SelfPlayCommand {
  std::string config;
  std::string model;
  std::int64_t games = 0;
  std::string out;
  bool resume = false;
  ConfigOverrides overrides;
};

// Stores in `config` what its device and precision stand for here.
SelfPlayJob MakeJob(const SelfPlayCommand& command, RunConfig& config) {
  SelfPlayJob job;
  job.game = MakeGame(config.game, config.game_options, command.config);
  BackendOptions backend = config.run.Backend();
  job.evaluator =
      MakeModel(command.model, job.game->info(), NetLoader(*job.game, backend), "--model");
  config.run.SetBackend(backend);
  job.search = config.search;
  job.options = config.selfplay;
  job.seed = static_cast<std::uint64_t>(config.run.seed);
  return job;
}

ShardHeader MakeHeader(const SelfPlayJob& job, const RunConfig& config) {
  ShardHeader header = MakeShardHeader(job.game->info());
  header.config = ConfigToToml(config, true);
  header.model = job.evaluator->model_name();
  header.seed = job.seed;
  header.generation = job.generation;
  return header;
}

void PrintSummary(const SelfPlayCommand& command, const SelfPlayJob& job,
                  const SelfPlayStats& stats) {
  std::cout << "evaluator " << job.evaluator->description() << '\n';
  const auto total = static_cast<std::uint32_t>(job.options.games);
  const std::uint64_t saved = job.first_game + stats.games;
  std::cout << "games " << saved << " of " << total << " in " << command.out << " (" << stats.games
            << " now, " << stats.positions << " positions)\n";
  if (stats.games > 0) {
    const double seconds = stats.seconds;
    std::cout << DurationText(seconds) << ", "
              << ShortNumber(static_cast<double>(stats.games) / seconds) << " games/s, "
              << ShortNumber(static_cast<double>(stats.positions) / seconds) << " positions/s, "
              << EvaluationsText(stats) << '\n';
  }
  if (saved < total) std::cout << "interrupted; --resume goes on from there\n";
}

// Refuses a folder with anything that this call would overwrite or mix with. Changes nothing.
void CheckOutput(const std::filesystem::path& out, bool resume) {
  if (std::filesystem::exists(out / "checkpoints")) {
    throw UserError(StrCat(out.string(), ": holds a training run; accepted: another --out"));
  }
  if (!resume && std::filesystem::exists(out / "config.toml")) {
    throw UserError(StrCat(out.string(),
                           ": already holds self-play games or another config.toml; accepted: "
                           "another --out, or --resume to continue them"));
  }
}

void Run(SelfPlayCommand& command) {
  if (command.games > 0) {
    command.overrides.emplace_back("selfplay.games", std::to_string(command.games));
  }
  RunConfig config = ReadConfig(command.config, command.overrides);
  SelfPlayJob job = MakeJob(command, config);
  const std::atomic<bool>& stop = CatchInterrupts();
  const std::filesystem::path out = command.out;
  CheckOutput(out, command.resume);
  ShardWriter writer(out, MakeHeader(job, config),
                     static_cast<std::uint32_t>(config.run.games_per_shard));
  if (!command.resume && !writer.Shards().empty()) {
    throw UserError(StrCat(out.string(),
                           ": already holds self-play games; accepted: another --out, or --resume "
                           "to continue them"));
  }
  // Without workers and slots: equal games give equal folders.
  const std::string toml = ConfigToToml(config, true);
  const std::filesystem::path stored = out / "config.toml";
  const auto same = [&](const std::vector<std::uint8_t>& bytes) {
    return std::string(bytes.begin(), bytes.end()) == toml;
  };
  if (std::filesystem::exists(stored) && !same(ReadFileBytes(stored))) {
    throw UserError(StrCat(
        stored.string(), ": is not the config of these self-play games; accepted: another --out"));
  }
  WriteFileAtomically(stored, toml);
  job.first_game = writer.next_game();

  std::cerr << config.game << ": "
            << MemoryText(
                   EstimateSelfPlayMemory(config, *job.game, job.evaluator->Make(1)->cacheable()))
            << '\n';
  SelfPlayStats stats;
  {
    LiveLine progress("self-play", "games");
    stats = RunSelfPlay(
        job, [&](GameRecord&& game) { writer.Append(game); },
        [&](const SelfPlayStats& now) {
          progress.Update(static_cast<double>(job.first_game + now.games),
                          static_cast<double>(job.options.games), EvaluationsText(now));
        },
        &stop);
  }
  // The open shard of an interrupted run stays a journal, so that --resume ends with the same
  // bytes.
  if (job.first_game + stats.games >= static_cast<std::uint64_t>(job.options.games)) {
    writer.Finish();
  }
  PrintSummary(command, job, stats);
}

}  // namespace

void AddSelfPlay(CLI::App& app, Session&) {
  const auto command = std::make_shared<SelfPlayCommand>();
  AddConfigFile(app, command->config);
  AddText(app, "--model", command->model,
          {.help = "Who plays: a model file, hash, uniform or rollout[:playouts=N]"})
      ->required();
  AddInteger(app, "--games", command->games,
             {.min = 1, .max = 1e9, .help = "Games to play; as --selfplay.games"});
  AddText(app, "--out", command->out, {.help = "Folder for the shards"})->required();
  app.add_flag("--resume", command->resume,
               "Continue what an interrupted call left in --out, given the same options");
  AddConfigOverrides(app, command->overrides);
  app.callback([command] { Run(*command); });
}

}  // namespace qirkat::cli
