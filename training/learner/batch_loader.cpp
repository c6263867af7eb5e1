#include "training/learner/batch_loader.h"

#include <chrono>
#include <span>

#include "envs/core/random.h"

namespace qirkat {
namespace {

template <class T>
std::span<T> SpanOf(const torch::Tensor& tensor) {
  return {static_cast<T*>(tensor.mutable_data_ptr()), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

HostBatch::HostBatch(const GameInfo& info, std::int64_t rows, bool pinned) {
  const auto make = [pinned](at::IntArrayRef shape, torch::ScalarType type = torch::kFloat32) {
    return torch::empty(shape, torch::TensorOptions(type).pinned_memory(pinned));
  };
  planes = make({rows, info.rows, info.columns, info.planes()}).permute({0, 3, 1, 2});
  scalars = make({rows, info.scalars()});
  targets = {.legal = make({rows, info.policy_size}, torch::kBool),
             .policy = make({rows, info.policy_size}),
             .wdl = make({rows, 3}),
             .result = make({rows}, torch::kInt64),
             .score = make({rows}),
             .moves_left = make({rows}),
             .weight = make({rows}),
             .policy_weight = make({rows})};
}

BatchArrays HostBatch::Arrays() {
  return {.planes = SpanOf<float>(planes),
          .scalars = SpanOf<float>(scalars),
          .legal = SpanOf<std::uint8_t>(targets.legal),
          .policy = SpanOf<float>(targets.policy),
          .wdl = SpanOf<float>(targets.wdl),
          .result = SpanOf<std::int64_t>(targets.result),
          .score = SpanOf<float>(targets.score),
          .moves_left = SpanOf<float>(targets.moves_left),
          .weight = SpanOf<float>(targets.weight),
          .policy_weight = SpanOf<float>(targets.policy_weight)};
}

BatchLoader::BatchLoader(const GameInfo& info, const LearnerOptions& options, std::uint64_t seed,
                         bool pinned)
    : info_(info),
      options_(options),
      seed_(seed),
      augmenter_(info),
      batches_{HostBatch(info, options.batch_size, pinned),
               HostBatch(info, options.batch_size, pinned)} {}

void BatchLoader::Assemble(const ReplayWindow& window, std::uint64_t step) {
  RandomStream augmentation(seed_, step, 0, StreamPurpose::kAugmentation);
  AssembleBatch(window, SampleRows(window, seed_, step, static_cast<int>(options_.batch_size)),
                info_, augmenter_, options_.augment ? &augmentation : nullptr,
                options_.root_value_share, BatchOf(step).Arrays());
}

const HostBatch& BatchLoader::Load(const ReplayWindow& window, std::uint64_t step, bool more) {
  const auto start = std::chrono::steady_clock::now();
  if (next_.valid() && next_step_ == step) {
    next_.get();
  } else {
    next_ = {};  // waits: the thread may be writing the batch that is wanted now
    Assemble(window, step);
  }
  wait_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (more) {
    next_step_ = step + 1;
    next_ = std::async(std::launch::async,
                       [this, &window, next = next_step_] { Assemble(window, next); });
  }
  return BatchOf(step);
}

}  // namespace qirkat
