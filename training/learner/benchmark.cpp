#include "training/learner/benchmark.h"

#include <torch/torch.h>

#include <chrono>
#include <functional>
#include <memory>

#include "models/evaluators.h"
#include "models/net_weights.h"
#include "models/torch/net.h"
#include "models/torch/torch_evaluator.h"
#include "selfplay/pipeline/self_play.h"
#include "training/learner/learner.h"
#include "training/learner/losses.h"
#include "training/replay_window.h"

namespace qirkat {
namespace {

constexpr int kTurns = 4;
constexpr std::uint64_t kSeed = 1;

// Calls `step` until `seconds` have passed; returns how long that took, and counts the calls.
double Repeat(double seconds, std::int64_t& calls, const std::function<void()>& step) {
  const auto start = std::chrono::steady_clock::now();
  double elapsed = 0;
  do {
    step();
    ++calls;
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  } while (elapsed < seconds);
  return elapsed;
}

void FillWindow(const std::shared_ptr<const AnyGame>& game, ReplayWindow& window) {
  SelfPlayJob job;
  job.game = game;
  job.evaluator = MakeUniformEvaluator(ShapeOf(game->info()));
  job.search.visits = 8;
  job.options.games = 64;
  job.seed = kSeed;
  RunSelfPlay(job, [&](GameRecord&& record) { window.AddGame(0, record); });
}

// The loop of a LibTorch tutorial, in its default settings: plain layout, for which the network
// takes LibTorch's own operators, float32, its own AdamW. It shares the process with the learner,
// and so the allocator that keeps its pages, which helps it as well. What stands in the batch does
// not change its speed.
class PlainLoop {
 public:
  PlainLoop(const Model& model, const LearnerOptions& options)
      : net_(NetFromModel(model)), options_(options), optimizer_(net_->parameters(), 1e-3) {
    const NetSpec& spec = model.spec;
    const std::int64_t rows = options.batch_size;
    net_->train();
    planes_ = torch::zeros({rows, spec.planes(), spec.rows, spec.columns});
    scalars_ = torch::zeros({rows, spec.scalars()});
    targets_.legal = torch::ones({rows, spec.policy_size()}, torch::kBool);
    targets_.policy = torch::full({rows, spec.policy_size()}, 1.0 / spec.policy_size());
    targets_.wdl = torch::full({rows, 3}, 1.0 / 3);
    targets_.result = torch::zeros({rows}, torch::kInt64);
    targets_.score = targets_.moves_left = torch::zeros({rows});
    targets_.weight = targets_.policy_weight = torch::ones({rows});
  }

  void Step() {
    optimizer_.zero_grad();
    const Losses losses =
        ComputeLosses(net_->forward(planes_, scalars_), targets_, net_->spec(), options_);
    losses.total.backward();
    optimizer_.step();
  }

 private:
  QirkatNet net_;
  LearnerOptions options_;
  torch::optim::AdamW optimizer_;
  torch::Tensor planes_, scalars_;
  LossTargets targets_;
};

}  // namespace

LearnerBenchmark BenchmarkLearner(const std::shared_ptr<const AnyGame>& game, const NetOptions& net,
                                  const LearnerOptions& options, double seconds) {
  const GameInfo& info = game->info();
  const Model model = InitialModel(MakeNetSpec(info, net), kSeed);
  LearnerBenchmark result;
  const TorchOptions resolved = ResolveLearnerDevice(options);
  result.device = resolved.device;
  result.precision = resolved.precision;
  for (const NamedTensor& tensor : model.weights) result.parameters += tensor.values.size();

  ReplayWindow window(info, {});
  FillWindow(game, window);
  RunWithTorchThreads(options.threads, [&] {
    Learner learner(info, options, kSeed, model);
    PlainLoop plain(model, options);
    const auto step = [&] { learner.Step(window, options.learning_rate, true); };
    const auto plain_step = [&] { plain.Step(); };
    std::int64_t warm_up = 0, steps = 0, plain_steps = 0;
    double learner_seconds = 0, plain_seconds = 0;
    Repeat(seconds / kTurns, warm_up, step);
    Repeat(seconds / kTurns, warm_up, plain_step);
    for (int turn = 0; turn < kTurns; ++turn) {
      learner_seconds += Repeat(seconds / kTurns, steps, step);
      plain_seconds += Repeat(seconds / kTurns, plain_steps, plain_step);
    }
    const auto rows = static_cast<double>(options.batch_size);
    result.samples_per_s = rows * static_cast<double>(steps) / learner_seconds;
    result.reference_samples_per_s = rows * static_cast<double>(plain_steps) / plain_seconds;
  });
  return result;
}

}  // namespace qirkat
