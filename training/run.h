// A training run: generations of self-play and learning in one directory, resumable after any kill.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "selfplay/pipeline/self_play.h"
#include "training/config.h"

namespace qirkat {

// Numbers of one moment, by name with the unit in the name ("selfplay/games_per_s",
// "learner/policy_loss_nats").
struct RunMetrics {
  std::uint64_t step = 0;  // training steps so far
  std::uint64_t generation = 0;
  std::vector<std::pair<std::string, double>> values;
};

// How a run reports; called from one thread at a time. Libraries never print.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void OnStart(const std::string& /*summary*/) {}
  // How this generation's network is evaluated: backend, precision, how far from fp32.
  virtual void OnEvaluator(std::uint64_t /*generation*/, const std::string& /*description*/) {}
  virtual void OnSelfPlay(std::uint64_t /*generation*/, const SelfPlayStats&,
                          std::uint64_t /*games*/) {}
  virtual void OnLearn(std::uint64_t /*generation*/, std::uint64_t /*step*/,
                       std::uint64_t /*steps*/) {}
  virtual void OnMetrics(const RunMetrics&) {}
};

struct RunSummary {
  std::uint64_t generations = 0, games = 0, positions = 0, steps = 0;
  double selfplay_seconds = 0, learn_seconds = 0, rating_seconds = 0;
  std::filesystem::path model;  // the newest playing model
  bool interrupted = false;
};

// A run directory:
//   config.toml                 the full resolved config
//   data/gen-0000/shard-*.h5    the games of generation 0, played by checkpoint 0
//   checkpoints/0000/           model.qkt (EMA: what plays), weights.qkt, optimizer.qkt, state.json
//   model.qkt                   the newest playing model (a copy, renamed into place)
//   metrics.jsonl, events.*     written by the frontends
// Throws UserError if the directory already has a run and `resume` is false, if it has none and
// `resume` is true, if the config differs in an option that changes results, if the disk is full.
RunSummary Train(const RunConfig& config, const std::filesystem::path& directory, bool resume,
                 RunObserver& observer, const std::atomic<bool>* stop = nullptr);

}  // namespace qirkat
