// qirkat train CONFIG [--run DIR] [--resume] [--section.key VALUE]…: trains a network from
// self-play.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/config_overrides.h"
#include "frontends/cli/support.h"
#include "frontends/metrics/live_line.h"
#include "frontends/metrics/metrics_files.h"
#include "training/run.h"

namespace qirkat::cli {
namespace {

namespace fs = std::filesystem;

struct TrainCommand {
  std::string config, run;
  bool resume = false;
  ConfigOverrides overrides;
};

// Turns what a run reports into the live line and the metrics files.
class TrainObserver : public RunObserver {
 public:
  TrainObserver(const fs::path& directory, const RunConfig& config)
      : directory_(directory),
        generations_(config.run.generations),
        opponent_(config.rating.opponent) {}

  void OnStart(const std::string& summary) override {
    std::cerr << summary << '\n';
    // Only now the directory is this run's.
    files_ = std::make_unique<MetricsFiles>(directory_);
  }
  void OnEvaluator(std::uint64_t generation, const std::string& description) override {
    Print(StrCat("generation ", generation, ": plays with ", description));
  }
  void OnSelfPlay(std::uint64_t generation, const SelfPlayStats& stats,
                  std::uint64_t games) override {
    Phase(generation, "self-play", "games");
    line_->Update(static_cast<double>(stats.games), static_cast<double>(games),
                  EvaluationsText(stats));
  }
  void OnLearn(std::uint64_t generation, std::uint64_t step, std::uint64_t steps) override {
    Phase(generation, "learning", "steps");
    line_->Update(static_cast<double>(step), static_cast<double>(steps));
  }
  void OnMetrics(const RunMetrics& metrics) override {
    files_->Write(metrics);
    for (const auto& [name, value] : metrics.values) newest_[name] = value;
    const std::string& first = metrics.values.front().first;
    if (first.starts_with("selfplay/")) return;
    char text[256];
    if (first.starts_with("rating/")) {
      std::snprintf(text, sizeof text,
                    "generation %d: scores %.1f %% (95 %%: %.1f … %.1f) against %s",
                    static_cast<int>(metrics.generation), 100 * newest_["rating/score_share"],
                    100 * newest_["rating/score_low_share"],
                    100 * newest_["rating/score_high_share"], opponent_.c_str());
      Print(text);
      return;
    }
    std::snprintf(text, sizeof text,
                  "generation %d, step %d: policy loss %.3f nats (target %.3f), value loss %.3f "
                  "nats, %.1f plies a game, window %.0f rows",
                  static_cast<int>(metrics.generation), static_cast<int>(metrics.step),
                  newest_["learner/policy_loss_nats"],
                  newest_["learner/policy_target_entropy_nats"], newest_["learner/value_loss_nats"],
                  newest_["selfplay/mean_game_plies"], newest_["window/rows"]);
    Print(text);
  }
  // Ends the live line.
  void Finish() { line_.reset(); }

 private:
  void Print(const std::string& text) {
    if (line_) {
      line_->Print(text);
    } else {
      std::cerr << text << '\n';
    }
  }
  void Phase(std::uint64_t generation, const std::string& work, const std::string& unit) {
    std::string phase = StrCat("generation ", generation, " of ", generations_, ": ", work);
    if (phase == phase_) return;
    phase_ = std::move(phase);
    line_.reset();
    line_ = std::make_unique<LiveLine>(phase_, unit);
  }

  fs::path directory_;
  std::int64_t generations_;
  std::string opponent_;
  std::unique_ptr<MetricsFiles> files_;
  std::unique_ptr<LiveLine> line_;
  std::string phase_;
  std::map<std::string, double> newest_;
};

void PrintSummary(const RunSummary& summary, const fs::path& directory) {
  const double seconds = summary.selfplay_seconds + summary.learn_seconds + summary.rating_seconds;
  std::cout << (summary.interrupted ? "interrupted and saved" : "trained") << ": "
            << summary.generations << " generations, " << summary.games << " games, "
            << summary.positions << " positions, " << summary.steps << " training steps\n"
            << "time of this call: " << DurationText(seconds) << " (self-play "
            << DurationText(summary.selfplay_seconds) << ", learning "
            << DurationText(summary.learn_seconds) << ", rating "
            << DurationText(summary.rating_seconds) << ")\n"
            << "model: " << summary.model.string() << "\nrun: " << directory.string() << '\n';
  if (summary.interrupted) {
    std::cout << "continue: qirkat train --resume --run " << directory.string() << '\n';
  }
}

void RunTrain(TrainCommand& command) {
  if (command.config.empty() && !(command.resume && !command.run.empty())) {
    throw UserError(
        "train: CONFIG is missing; accepted: a TOML file (configs/*.toml), or --resume --run DIR");
  }
  const fs::path directory = command.run.empty()
                                 ? fs::path("runs") / fs::path(command.config).stem()
                                 : fs::path(command.run);
  const fs::path path =
      command.config.empty() ? directory / "config.toml" : fs::path(command.config);
  const RunConfig config = ReadConfig(path, command.overrides);
  TrainObserver observer(directory, config);
  const RunSummary summary = Train(config, directory, command.resume, observer, &CatchInterrupts());
  observer.Finish();
  PrintSummary(summary, directory);
}

}  // namespace

void AddTrain(CLI::App& app, Session&) {
  auto command = std::make_shared<TrainCommand>();
  AddConfigFile(app, command->config)->required(false);
  AddText(app, "--run", command->run,
          {.help = "Run directory; empty: runs/ and the name of CONFIG"});
  app.add_flag("--resume", command->resume,
               "Continue the run in the directory; without CONFIG by its own config.toml");
  AddConfigOverrides(app, command->overrides);
  app.callback([command] { RunTrain(*command); });
}

}  // namespace qirkat::cli
