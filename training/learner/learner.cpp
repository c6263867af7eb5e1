#include "training/learner/learner.h"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <cmath>
#include <exception>
#include <numbers>
#include <thread>

#include "envs/core/error.h"
#include "envs/core/random.h"
#include "envs/core/text.h"
#include "models/plane_bits.h"
#include "models/torch/net.h"
#include "models/torch/torch_evaluator.h"
#include "training/batch.h"
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

template <class T>
std::span<T> SpanOf(const torch::Tensor& tensor) {
  return {static_cast<T*>(tensor.mutable_data_ptr()), static_cast<std::size_t>(tensor.numel())};
}

// The CPU tensors that a batch is written into, allocated once.
struct HostBatch {
  HostBatch(const GameInfo& info, std::int64_t rows)
      : planes(torch::empty({rows, info.planes(), info.rows, info.columns})),
        scalars(torch::empty({rows, info.scalars()})),
        legal(torch::empty({rows, info.policy_size}, torch::kBool)),
        policy(torch::empty({rows, info.policy_size})),
        wdl(torch::empty({rows, 3})),
        result(torch::empty({rows}, torch::kInt64)),
        score(torch::empty({rows})),
        moves_left(torch::empty({rows})),
        weight(torch::empty({rows})),
        policy_weight(torch::empty({rows})),
        packed(static_cast<std::size_t>(rows) * info.plane_bytes) {}

  BatchArrays Arrays() {
    return {.planes = packed,
            .scalars = SpanOf<float>(scalars),
            .legal = SpanOf<std::uint8_t>(legal),
            .policy = SpanOf<float>(policy),
            .wdl = SpanOf<float>(wdl),
            .result = SpanOf<std::int64_t>(result),
            .score = SpanOf<float>(score),
            .moves_left = SpanOf<float>(moves_left),
            .weight = SpanOf<float>(weight),
            .policy_weight = SpanOf<float>(policy_weight)};
  }

  torch::Tensor planes, scalars, legal, policy, wdl, result, score, moves_left, weight,
      policy_weight;
  std::vector<std::uint8_t> packed;
};

}  // namespace

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
      : info(game),
        options(given),
        seed(run_seed),
        resolved(ResolveTorchOptions({.device = given.device, .precision = given.precision})),
        device(resolved.device),
        augmenter(game),
        net(NetFromModel(initial)),
        host(game, given.batch_size) {
    net->train();
    net->to(device);
    optimizer = std::make_unique<FlatOptimizer>(*net, options);
  }

  void Fill(const ReplayWindow& window) {
    const std::uint64_t step = optimizer->step();
    RandomStream augmentation(seed, step, 0, StreamPurpose::kAugmentation);
    AssembleBatch(window, SampleRows(window, seed, step, static_cast<int>(options.batch_size)),
                  info, augmenter, options.augment ? &augmentation : nullptr,
                  options.root_value_share, host.Arrays());
    UnpackBits(host.packed, static_cast<int>(options.batch_size), info.planes() * info.squares,
               SpanOf<float>(host.planes));
  }

  Losses Forward() {
    NetOutput output;
    {
      const AutocastScope autocast(device.type(), resolved.precision == "bf16");
      output = net->forward(
          host.planes.to(device, torch::kFloat32, false, false, torch::MemoryFormat::ChannelsLast),
          host.scalars.to(device));
    }
    output.policy_logits = output.policy_logits.to(torch::kFloat32);
    output.wdl_logits = output.wdl_logits.to(torch::kFloat32);
    output.score = output.score.to(torch::kFloat32);
    output.moves_left = output.moves_left.to(torch::kFloat32);
    const LossTargets targets{.legal = host.legal.to(device),
                              .policy = host.policy.to(device),
                              .wdl = host.wdl.to(device),
                              .result = host.result.to(device),
                              .score = host.score.to(device),
                              .moves_left = host.moves_left.to(device),
                              .weight = host.weight.to(device),
                              .policy_weight = host.policy_weight.to(device)};
    return ComputeLosses(output, targets, net->spec(), options);
  }

  GameInfo info;
  LearnerOptions options;
  std::uint64_t seed;
  TorchOptions resolved;
  torch::Device device;
  Augmenter augmenter;
  QirkatNet net;
  HostBatch host;
  std::unique_ptr<FlatOptimizer> optimizer;
};

Learner::Learner(const GameInfo& info, const LearnerOptions& options, std::uint64_t seed,
                 const Model& initial)
    : impl_(std::make_unique<Impl>(info, options, seed, initial)) {}
Learner::~Learner() = default;

std::uint64_t Learner::step() const { return impl_->optimizer->step(); }

StepMetrics Learner::Step(const ReplayWindow& window, double learning_rate) {
  impl_->Fill(window);
  impl_->optimizer->ZeroGradients();
  const Losses losses = impl_->Forward();
  losses.total.backward();
  StepMetrics metrics;
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
