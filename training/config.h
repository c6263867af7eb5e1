// Everything a run can be told, as one value: sections of option tables, read from TOML and the
// command line, written back resolved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/options.h"
#include "models/backend_options.h"
#include "models/net_spec.h"
#include "selfplay/pipeline/self_play.h"
#include "selfplay/search/options.h"

namespace qirkat {

// [run]
struct RunOptions {
  std::int64_t generations = 10;
  std::int64_t seed = 1;
  std::int64_t games_per_shard = 1000;
  std::string evaluator = "net";  // net, hash, uniform, rollout
  std::string backend = "auto";   // of the net, as BackendOptions are
  std::string device = "auto";
  std::string precision = "auto";
  std::string cpu = "auto";
  std::int64_t keep_checkpoints = 0;  // 0: all; else the newest n and every 10th
  std::int64_t min_free_disk = 1024;  // MiB
  BackendOptions Backend() const { return {backend, device, precision, cpu}; }
  void SetBackend(const BackendOptions& options) {
    backend = options.backend;
    device = options.device;
    precision = options.precision;
    cpu = options.cpu;
  }
  static const std::vector<Option<RunOptions>>& Table();
};

// [window]: the replay window, growing as a power law of the rows seen (KataGo).
struct WindowOptions {
  std::int64_t min_rows = 10000;
  std::int64_t max_bytes = 2147483648;  // of packed rows in memory
  double exponent = 0.65;  // rows in the window ~ min_rows × (seen / min_rows)^exponent
  static const std::vector<Option<WindowOptions>>& Table();
};

// [learner]
struct LearnerOptions {
  std::int64_t batch_size = 256;
  double rows_per_new_row = 4;      // training rows for each new row of data
  std::string optimizer = "adamw";  // adamw, sgd
  double learning_rate = 1e-3;
  double final_learning_rate = 1e-4;  // cosine decay over the run
  std::int64_t warmup_steps = 100;
  double weight_decay = 1e-4;
  double momentum = 0.9;       // sgd
  double gradient_clip = 1.0;  // of the norm; 0: none
  double ema_decay = 0.99;     // per step; the EMA weights are what plays
  double policy_loss = 1.0, value_loss = 1.0, score_loss = 0.1, moves_left_loss = 0.05;
  double root_value_share = 0.0;  // W/D/L target = (1 − this) × result + this × root_wdl
  bool augment = true;
  std::string device = "auto";
  std::string precision = "auto";  // fp32, bf16 (autocast)
  std::int64_t threads = 2;        // changes results
  static const std::vector<Option<LearnerOptions>>& Table();
};

// [rating]: games of the newest net against a fixed opponent. They change nothing in the run.
struct RatingOptions {
  std::int64_t every = 1;  // generations; 0: never
  std::string opponent = "rollout:visits=100";
  std::int64_t games = 40;
  std::int64_t visits = 100;  // of the net
  static const std::vector<Option<RatingOptions>>& Table();
};

struct RunConfig {
  std::string game;          // [game] name = "reversi"
  OptionTexts game_options;  // [game] other keys: the rule options
  RunOptions run;
  NetOptions net;
  SearchOptions search;
  SelfPlayOptions selfplay;
  WindowOptions window;
  LearnerOptions learner;
  RatingOptions rating;
};

// One (section.key, value) setting, e.g. from the command line.
using ConfigOverrides = std::vector<std::pair<std::string, std::string>>;

// Reads a TOML file, then applies the overrides. Throws UserError with file and line for unknown or
// repeated keys and sections, wrong types and ranges, syntax errors.
RunConfig ReadConfig(const std::filesystem::path& path, const ConfigOverrides& overrides = {});
RunConfig ParseConfig(std::string_view toml, const std::string& where,
                      const ConfigOverrides& overrides = {});

// The full resolved config as TOML; `only_results`: only options that can change results.
std::string ConfigToToml(const RunConfig& config, bool only_results);
// configs/reference.toml: every option with its default, range, unit, help and source as comments.
std::string ReferenceToml();
// Every option of every section, named "section.key".
std::vector<OptionInfo> DescribeConfig(const RunConfig& config);

}  // namespace qirkat
