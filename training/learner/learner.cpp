#include "training/learner/learner.h"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <cmath>
#include <exception>
#include <numbers>
#include <thread>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/torch/net.h"
#include "models/torch/torch_evaluator.h"
#include "training/learner/batch_loader.h"
#include "training/learner/losses.h"
#include "training/learner/optimizer.h"

namespace qirkat {
namespace {

// bf16 mixed precision for the scope's operations.
class AutocastScope {
 public:
  AutocastScope(torch::DeviceType device, bool enabled)
      : device_(device), before_(at::autocast::is_autocast_enabled(device)) {
    at::autocast::set_autocast_enabled(device_, enabled);
    at::autocast::set_autocast_dtype(device_, torch::kBFloat16);
    // Every weight is cast once a step: there is nothing to keep.
    at::autocast::set_autocast_cache_enabled(false);
  }
  ~AutocastScope() { at::autocast::set_autocast_enabled(device_, before_); }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  torch::DeviceType device_;
  bool before_;
};

}  // namespace

TorchOptions ResolveLearnerDevice(const LearnerOptions& options) {
  TorchOptions resolved =
      ResolveTorchOptions({.device = options.device, .precision = options.precision});
  resolved.device = resolved.device.substr(0, resolved.device.find(','));
  if (resolved.precision == "fp16") {
    if (options.precision != "auto") {
      throw UserError("learner.precision 'fp16' is for playing only; accepted: auto, fp32, bf16");
    }
    resolved.precision = "fp32";
  }
  return resolved;
}

double LearningRate(const LearnerOptions& options, std::uint64_t step, double progress) {
  const double fall = 0.5 * (1 + std::cos(std::numbers::pi * progress));
  const double rate =
      options.final_learning_rate + (options.learning_rate - options.final_learning_rate) * fall;
  const auto warmup = static_cast<double>(options.warmup_steps);
  const auto next = static_cast<double>(step + 1);
  return next < warmup ? rate * next / warmup : rate;
}

std::uint64_t StepsAfter(const LearnerOptions& options, std::uint64_t rows_seen) {
  return static_cast<std::uint64_t>(options.rows_per_new_row * static_cast<double>(rows_seen) /
                                    static_cast<double>(options.batch_size));
}

void RunWithTorchThreads(std::int64_t threads, const std::function<void()>& work) {
  std::exception_ptr failure;
  std::thread thread([&] {
    // The first question makes a thread take the count that another one set last: before, not
    // after. LibTorch hands the count to threads started later: it is set back for them.
    at::get_num_threads();
    at::set_num_threads(static_cast<int>(threads));
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    at::set_num_threads(1);
  });
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

struct Learner::Impl {
  Impl(const GameInfo& game, const LearnerOptions& given, std::uint64_t run_seed,
       const Model& initial)
      : options(given),
        resolved(ResolveLearnerDevice(given)),
        device(resolved.device),
        net(NetFromModel(initial)),
        loader(game, given, run_seed, device.is_cuda()) {
    net->train();
    net->to(device);
    optimizer = std::make_unique<FlatOptimizer>(*net, options);
  }

  Losses Forward(const HostBatch& batch) {
    const auto to_device = [this](const torch::Tensor& tensor) { return tensor.to(device, true); };
    NetOutput output;
    {
      const AutocastScope autocast(device.type(), resolved.precision == "bf16");
      output = net->forward(to_device(batch.planes), to_device(batch.scalars));
    }
    for (torch::Tensor* part :
         {&output.policy_logits, &output.wdl_logits, &output.score, &output.moves_left}) {
      *part = part->to(torch::kFloat32);
    }
    const LossTargets& host = batch.targets;
    const LossTargets targets{.legal = to_device(host.legal),
                              .policy = to_device(host.policy),
                              .wdl = to_device(host.wdl),
                              .result = to_device(host.result),
                              .score = to_device(host.score),
                              .moves_left = to_device(host.moves_left),
                              .weight = to_device(host.weight),
                              .policy_weight = to_device(host.policy_weight)};
    return ComputeLosses(output, targets, net->spec(), options);
  }

  LearnerOptions options;
  TorchOptions resolved;
  torch::Device device;
  QirkatNet net;
  BatchLoader loader;
  std::unique_ptr<FlatOptimizer> optimizer;
};

Learner::Learner(const GameInfo& info, const LearnerOptions& options, std::uint64_t seed,
                 const Model& initial)
    : impl_(std::make_unique<Impl>(info, options, seed, initial)) {}
Learner::~Learner() = default;

std::uint64_t Learner::step() const { return impl_->optimizer->step(); }

StepMetrics Learner::Step(const ReplayWindow& window, double learning_rate, bool more) {
  const HostBatch& batch = impl_->loader.Load(window, step(), more);
  impl_->optimizer->ZeroGradients();
  const Losses losses = impl_->Forward(batch);
  losses.total.backward();
  StepMetrics metrics;
  metrics.loader_wait_seconds = impl_->loader.wait_seconds();
  metrics.gradient_norm = impl_->optimizer->Step(learning_rate);
  const torch::Tensor values =
      torch::stack({losses.total.detach(), losses.policy.detach(), losses.value.detach(),
                    losses.score.detach(), losses.moves_left.detach(), losses.policy_entropy,
                    losses.policy_accuracy, losses.value_accuracy, losses.score_error,
                    losses.moves_left_error})
          .to(torch::kCPU, torch::kFloat64);
  const double* value = values.const_data_ptr<double>();
  for (double* field :
       {&metrics.loss, &metrics.policy_loss_nats, &metrics.value_loss_nats, &metrics.score_loss,
        &metrics.moves_left_loss, &metrics.policy_entropy_nats, &metrics.policy_accuracy,
        &metrics.value_accuracy, &metrics.score_error, &metrics.moves_left_error_plies}) {
    *field = *value++;
  }
  return metrics;
}

LearnerState Learner::Save() const {
  LearnerState state;
  state.weights = ModelFromNet(*impl_->net);
  state.average = Model{impl_->net->spec(), impl_->optimizer->Average()};
  state.optimizer = impl_->optimizer->Save();
  return state;
}

void Learner::Load(const LearnerState& state, const std::string& where) {
  if (state.weights.spec != impl_->net->spec() || state.average.spec != impl_->net->spec()) {
    throw UserError(StrCat(where, ": its network is not the one that the config describes"));
  }
  LoadWeights(state.weights.weights, *impl_->net);
  impl_->optimizer->LoadAverage(state.average.weights);
  impl_->optimizer->Load(state.optimizer, where);
}

}  // namespace qirkat
