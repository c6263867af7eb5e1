#include "training/run.h"

#include <chrono>
#include <memory>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "envs/registry.h"
#include "models/backends/backends.h"
#include "models/evaluators.h"
#include "models/net_weights.h"
#include "models/torch/torch_evaluator.h"
#include "selfplay/data/shard.h"
#include "training/estimate.h"
#include "training/learner/checkpoint.h"
#include "training/learner/learner.h"
#include "training/learner/run_metrics.h"
#include "training/rating.h"
#include "training/run_directory.h"
#include "training/window_calibration.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kStepsPerReport = 100;
constexpr std::uint32_t kGamesPerDiskCheck = 64;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// "auto" settled by this machine: a run keeps what it was started with.
void ResolveDevices(RunConfig& config) {
  config.run.SetBackend(InContext("[run] backend, device, precision",
                                  [&] { return ResolveBackend(config.run.Backend()); }));
  const TorchOptions learner = ResolveLearnerDevice(config.learner);
  config.learner.device = learner.device;
  config.learner.precision = learner.precision;
}

class Run {
 public:
  Run(RunConfig config, const RunDirectory& directory, RunObserver& observer,
      const std::atomic<bool>* stop)
      : config_(std::move(config)),
        directory_(directory),
        observer_(observer),
        stop_(stop),
        game_(MakeGame(config_.game, config_.game_options, directory.config().string())),
        info_(game_->info()),
        rating_(game_, config_),
        window_(info_, config_.window) {
    state_.seed = static_cast<std::uint64_t>(config_.run.seed);
  }

  RunSummary Execute();

 private:
  bool Stopped() const { return stop_ && stop_->load(); }
  void Restore();
  void LoadWindow();
  void Announce(const Model& model);
  // Each returns false if it was interrupted.
  bool Play();
  bool Learn();
  void Rate();
  SelfPlayStats PlayMissingGames(bool& complete);
  GameCounts AddToWindow(std::uint64_t generation, std::uint32_t first_game);
  void Report(NamedNumbers values);
  // Returns what was saved.
  Checkpoint Save(const fs::path& directory);
  std::shared_ptr<const EvaluatorFactory> MakeEvaluator() const;
  // Of the newest net, made once: rating and the next self-play ask for the same.
  const std::shared_ptr<const EvaluatorFactory>& NewestEvaluator();

  RunConfig config_;
  const RunDirectory& directory_;
  RunObserver& observer_;
  const std::atomic<bool>* stop_;
  std::shared_ptr<const AnyGame> game_;
  const GameInfo& info_;
  Rating rating_;
  ReplayWindow window_;
  RunState state_;
  std::unique_ptr<Learner> learner_;
  std::shared_ptr<const EvaluatorFactory> evaluator_;  // null: to be made
  RunSummary summary_;
};

RunSummary Run::Execute() {
  Restore();
  const auto generations = static_cast<std::uint64_t>(config_.run.generations);
  while (state_.generation < generations) {
    if (!(state_.learning || Play()) || !Learn()) {
      summary_.interrupted = true;
      break;
    }
    Rate();
  }
  summary_.generations = state_.generation;
  summary_.games = state_.games;
  summary_.positions = state_.positions;
  summary_.steps = state_.step;
  summary_.model = directory_.model();
  return std::move(summary_);
}

// Makes the learner stand where the newest checkpoint says, or at the start of the run.
void Run::Restore() {
  directory_.CheckFreeDisk(config_.run.min_free_disk);
  const std::vector<std::uint64_t> generations = directory_.Checkpoints();
  if (generations.empty()) {
    const Model initial = InitialModel(MakeNetSpec(info_, config_.net), state_.seed);
    learner_ = std::make_unique<Learner>(info_, config_.learner, state_.seed, initial);
    Announce(initial);
    Save(directory_.checkpoint(0));
    WriteModel(directory_.model(), initial);
    Rate();
    return;
  }
  fs::path path = directory_.checkpoint(generations.back());
  Checkpoint checkpoint = ReadCheckpoint(path);
  if (fs::exists(directory_.unfinished())) {
    Checkpoint unfinished = ReadCheckpoint(directory_.unfinished());
    if (unfinished.run.generation == checkpoint.run.generation) {
      checkpoint = std::move(unfinished);
      path = directory_.unfinished();
    }
  }
  learner_ =
      std::make_unique<Learner>(info_, config_.learner, state_.seed, checkpoint.learner.weights);
  learner_->Load(checkpoint.learner, path.string());
  state_ = checkpoint.run;
  Announce(checkpoint.learner.average);
  LoadWindow();
  WriteModel(directory_.model(), checkpoint.learner.average);
}

void Run::LoadWindow() {
  const WindowManifest wanted = state_.window;
  window_.Restart(wanted);
  const std::uint64_t end = state_.generation + (state_.learning ? 1 : 0);
  for (std::uint64_t g = wanted.first_generation; g < end; ++g) {
    AddToWindow(g, g == wanted.first_generation ? wanted.first_game : 0);
  }
  if (window_.manifest() != wanted) {
    throw UserError(StrCat((directory_.root() / "data").string(), ": holds ", window_.rows(),
                           " training rows where the checkpoint's replay window has ", wanted.rows,
                           "; games are missing or of another run"));
  }
}

void Run::Announce(const Model& model) {
  std::uint64_t parameters = 0;
  for (const NamedTensor& tensor : model.weights) parameters += tensor.values.size();
  observer_.OnStart(StrCat(info_.name, ": ", config_.run.generations, " generations of ",
                           config_.selfplay.games, " games, from generation ", state_.generation,
                           "; net of ", config_.net.blocks, " blocks x ", config_.net.channels,
                           " channels, ", parameters, " parameters; self-play ",
                           config_.run.backend, ' ', config_.run.device, ' ', config_.run.precision,
                           ", learning ", config_.learner.device, ' ', config_.learner.precision,
                           "; ", EstimateText(EstimateRun(config_, *game_, parameters))));
}

std::shared_ptr<const EvaluatorFactory> Run::MakeEvaluator() const {
  const std::string& kind = config_.run.evaluator;
  if (kind == "uniform") return MakeUniformEvaluator(ShapeOf(info_));
  if (kind == "hash") return MakeHashEvaluator(ShapeOf(info_));
  if (kind == "rollout") return MakeRolloutEvaluator(ShapeOf(info_), 1);
  return MakeNetEvaluator(learner_->Save().average, config_.run.Backend(), [&](Evaluator& fp32) {
    return window_.rows() > 0 ? WindowCalibrationRows(window_, info_)
                              : PlayCalibrationRows(*game_, fp32);
  });
}

const std::shared_ptr<const EvaluatorFactory>& Run::NewestEvaluator() {
  if (!evaluator_) evaluator_ = MakeEvaluator();
  return evaluator_;
}

SelfPlayStats Run::PlayMissingGames(bool& complete) {
  SelfPlayJob job;
  job.game = game_;
  job.evaluator = NewestEvaluator();
  const std::string description = job.evaluator->description();
  observer_.OnEvaluator(state_.generation, description);
  job.search = config_.search;
  job.options = config_.selfplay;
  job.seed = state_.seed;
  job.generation = state_.generation;
  ShardHeader header = MakeShardHeader(info_);
  header.config = ConfigToToml(config_, true);
  header.model = job.evaluator->model_name();
  header.seed = job.seed;
  header.generation = job.generation;
  ShardWriter writer(directory_.data(state_.generation), std::move(header),
                     static_cast<std::uint32_t>(config_.run.games_per_shard));
  const auto games = static_cast<std::uint32_t>(config_.selfplay.games);
  SelfPlayStats stats;
  job.first_game = writer.next_game();
  if (job.first_game < games) {
    stats = RunSelfPlay(
        job,
        [&](GameRecord&& game) {
          if (game.game % kGamesPerDiskCheck == 0) {
            directory_.CheckFreeDisk(config_.run.min_free_disk);
          }
          writer.Append(game);
        },
        [&](const SelfPlayStats& so_far) {
          observer_.OnSelfPlay(state_.generation, so_far, games);
        },
        stop_);
    // The checker has something to say only now.
    if (job.evaluator->description() != description) {
      observer_.OnEvaluator(state_.generation, job.evaluator->description());
    }
  }
  complete = writer.next_game() == games;
  if (complete) writer.Finish();
  return stats;
}

// Reads a generation's games back from its shards: the window holds exactly what a resumed run will
// find.
GameCounts Run::AddToWindow(std::uint64_t generation, std::uint32_t first_game) {
  GameCounts counts;
  for (const fs::path& path : FindShards(directory_.data(generation))) {
    const Shard shard = ReadShard(path);
    const ShardHeader& header = shard.header;
    if (header.game != info_.name || header.game_version != info_.version ||
        header.seed != state_.seed || header.generation != generation) {
      throw UserError(StrCat(path.string(), ": is of another run (", header.game, " version ",
                             header.game_version, ", seed ", header.seed, ", generation ",
                             header.generation, ")"));
    }
    for (const GameRecord& game : shard.games) {
      counts.Add(game);
      if (game.game >= first_game) window_.AddGame(generation, game);
    }
  }
  return counts;
}

bool Run::Play() {
  bool complete = false;
  const SelfPlayStats stats = PlayMissingGames(complete);
  summary_.selfplay_seconds += stats.seconds;
  if (!complete) return false;
  const GameCounts counts = AddToWindow(state_.generation, 0);
  state_.games += counts.games;
  state_.positions += counts.positions;
  state_.learning = true;
  state_.first_step = state_.step;
  Report(SelfPlayMetrics(counts, stats, window_));
  return true;
}

bool Run::Learn() {
  evaluator_.reset();
  const std::uint64_t last = StepsAfter(config_.learner, window_.rows_seen());
  const std::uint64_t first = state_.first_step;
  const Clock::time_point start = Clock::now();
  RunWithTorchThreads(config_.learner.threads, [&] {
    LearnerMetrics metrics;
    Clock::time_point since = start;
    for (std::uint64_t step = learner_->step(); step < last && !Stopped();) {
      const double done = static_cast<double>(step - first) / static_cast<double>(last - first);
      const double progress = (static_cast<double>(state_.generation) + done) /
                              static_cast<double>(config_.run.generations);
      const double rate = LearningRate(config_.learner, step, progress);
      metrics.Add(learner_->Step(window_, rate, step + 1 < last));
      step = state_.step = learner_->step();
      observer_.OnLearn(state_.generation, step - first, last - first);
      if (step % kStepsPerReport == 0 || step == last) {
        const auto samples = static_cast<double>(metrics.steps() * config_.learner.batch_size);
        Report(metrics.Take(rate, samples / SecondsSince(since)));
        since = Clock::now();
      }
    }
  });
  summary_.learn_seconds += SecondsSince(start);
  directory_.CheckFreeDisk(config_.run.min_free_disk);
  if (learner_->step() < last) {
    Save(directory_.unfinished());
    return false;
  }
  ++state_.generation;
  state_.learning = false;
  const Checkpoint checkpoint = Save(directory_.checkpoint(state_.generation));
  WriteModel(directory_.model(), checkpoint.learner.average);
  fs::remove_all(directory_.unfinished());
  directory_.ThinCheckpoints(config_.run.keep_checkpoints);
  return true;
}

// Reports how the newest net does against the fixed opponent. A run that is killed meanwhile goes
// on without: the games decide nothing.
void Run::Rate() {
  if (!rating_.IsDue(state_.generation) || Stopped()) return;
  const Clock::time_point start = Clock::now();
  const MatchResult match = rating_.Play(NewestEvaluator(), stop_);
  summary_.rating_seconds += SecondsSince(start);
  if (Stopped()) return;
  Report({{"rating/score_share", match.score},
          {"rating/score_low_share", match.score_low},
          {"rating/score_high_share", match.score_high},
          {"rating/games", static_cast<double>(match.games.size())},
          {"rating/seconds", SecondsSince(start)}});
}

void Run::Report(NamedNumbers values) {
  observer_.OnMetrics(
      {.step = state_.step, .generation = state_.generation, .values = std::move(values)});
}

Checkpoint Run::Save(const fs::path& directory) {
  state_.window = window_.manifest();
  Checkpoint checkpoint{.run = state_, .learner = learner_->Save()};
  WriteCheckpoint(directory, checkpoint);
  return checkpoint;
}

}  // namespace

RunSummary Train(const RunConfig& config, const fs::path& directory, bool resume,
                 RunObserver& observer, const std::atomic<bool>* stop) {
  RunConfig resolved = config;
  // First, so that a device that is not there leaves no directory.
  if (!resume) ResolveDevices(resolved);
  const RunDirectory run_directory(directory, resume);
  const fs::path path = run_directory.config();
  if (resume) {
    resolved = MergeResumedConfig(ReadConfig(path), config, path.string());
    ResolveDevices(resolved);
  }
  // A config that cannot run is refused before anything is written.
  Run run(resolved, run_directory, observer, stop);
  if (!resume) WriteFileAtomically(path, ConfigToToml(resolved, false));
  return run.Execute();
}

}  // namespace qirkat
