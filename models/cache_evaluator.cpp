#include "models/cache_evaluator.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "envs/core/error.h"

namespace qirkat {
namespace {

class CacheEvaluator final : public Evaluator, private RowCache {
 public:
  using Entry = EvaluationCache::Entry;

  // What one row of a batch takes besides its entry.
  static std::size_t RowBytes(const EvalShape& shape) {
    return shape.plane_bytes + shape.scalars * sizeof(float) + sizeof(Source) + sizeof(Miss);
  }

  CacheEvaluator(std::unique_ptr<Evaluator> inner, std::size_t bytes, ObservationHash hash)
      : inner_(std::move(inner)),
        shape_(inner_->shape()),
        cache_(shape_, bytes, hash),
        planes_(inner_->max_batch() * static_cast<std::size_t>(shape_.plane_bytes)),
        scalars_(inner_->max_batch() * static_cast<std::size_t>(shape_.scalars)) {
    sources_.reserve(inner_->max_batch());
    misses_.reserve(inner_->max_batch());
  }

  const EvalShape& shape() const override { return shape_; }
  int max_batch() const override { return inner_->max_batch(); }
  bool cacheable() const override { return false; }
  RowCache* cache() override { return this; }

  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    Begin(batch, result);
    Wait();
  }

  // The rows that are not known go to the front of the caller's result, in order; Wait moves them
  // to their places.
  void Begin(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch(), batch.size, max_batch());
    QIRKAT_CHECK(sources_.empty(), sources_.size());
    cache_.BeginBatch();
    result_ = result;
    for (int row = 0; row < batch.size; ++row) AddRow(cache_.KeyOf(batch, row), row);
    if (misses_.empty()) return;
    const std::size_t rows = misses_.size();
    OrForget([&] {
      inner_->Begin({.size = static_cast<int>(rows),
                     .planes = planes_,
                     .scalars = scalars_,
                     .lines = {},
                     .seeds = {}},
                    {.policy_logits = result.policy_logits.first(rows * shape_.policy_size),
                     .wdl = result.wdl.first(rows * 3),
                     .score = result.score.first(rows),
                     .moves_left = result.moves_left.first(rows)});
    });
  }

  void Wait() override {
    if (!misses_.empty()) OrForget([&] { inner_->Wait(); });
    // From the back: a row's result stands at its place or before it, and what a row overwrites is
    // needed by none before it.
    for (int row = static_cast<int>(sources_.size()) - 1; row >= 0; --row) {
      const Source& source = sources_[row];
      if (source.entry != EvaluationCache::kNone) {
        cache_.Read(source.entry, result_, row);
      } else if (source.miss != row) {
        MoveRow(source.miss, row);
      }
    }
    for (const Miss& miss : misses_) {
      if (miss.entry != EvaluationCache::kNone) cache_.Write(miss.entry, result_, miss.row);
    }
    sources_.clear();
    misses_.clear();
  }

 private:
  // Where a row's result comes from: an entry, or row `miss` of what `inner` computes.
  struct Source {
    Entry entry = EvaluationCache::kNone;
    int miss = 0;
  };
  // A row that is computed, and the entry that will keep it.
  struct Miss {
    int row;
    Entry entry;
  };

  bool Answer(const EvalBatch& batch, int row, const EvalResult& result) override {
    const Entry entry = cache_.Find(cache_.KeyOf(batch, row));
    if (entry == EvaluationCache::kNone) return false;
    cache_.Read(entry, result, row);
    ++hits_;
    return true;
  }
  std::uint64_t hits() const override { return hits_; }

  void AddRow(const EvaluationCache::Key& key, int row) {
    const Entry known = cache_.Find(key);
    if (known != EvaluationCache::kNone) {
      ++hits_;
      const int miss = cache_.waits_for(known);
      sources_.push_back(miss < 0 ? Source{.entry = known} : Source{.miss = miss});
      return;
    }
    const auto miss = static_cast<int>(misses_.size());
    std::ranges::copy(key.planes, planes_.begin() + miss * shape_.plane_bytes);
    std::ranges::copy(key.scalars, scalars_.begin() + miss * shape_.scalars);
    sources_.push_back({.miss = miss});
    misses_.push_back({.row = row, .entry = cache_.Reserve(key, miss)});
  }

  void MoveRow(int from, int to) {
    const auto move = [&](std::span<float> values, int size) {
      std::copy_n(&values[from * size], size, &values[to * size]);
    };
    move(result_.policy_logits, shape_.policy_size);
    move(result_.wdl, 3);
    move(result_.score, 1);
    move(result_.moves_left, 1);
  }

  // Where `inner` fails, nothing of the batch is kept.
  template <class Call>
  void OrForget(Call call) {
    try {
      call();
    } catch (...) {
      for (const Miss& miss : misses_) {
        if (miss.entry != EvaluationCache::kNone) cache_.Forget(miss.entry);
      }
      sources_.clear();
      misses_.clear();
      throw;
    }
  }

  std::unique_ptr<Evaluator> inner_;
  EvalShape shape_;
  EvaluationCache cache_;
  std::vector<std::uint8_t> planes_;  // of the rows that are computed
  std::vector<float> scalars_;
  // Of the batch under way:
  std::vector<Source> sources_;  // by row
  std::vector<Miss> misses_;
  EvalResult result_;
  std::uint64_t hits_ = 0;
};

class CacheFactory final : public EvaluatorFactory {
 public:
  CacheFactory(std::shared_ptr<const EvaluatorFactory> inner, std::size_t bytes,
               ObservationHash hash)
      : inner_(std::move(inner)), bytes_(inner_->asynchronous() ? bytes / 2 : bytes), hash_(hash) {}
  std::string model_name() const override { return inner_->model_name(); }
  std::string description() const override { return inner_->description(); }
  bool asynchronous() const override { return inner_->asynchronous(); }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    auto inner = inner_->Make(max_batch);
    if (!inner->cacheable()) return inner;
    const std::size_t rows = max_batch * CacheEvaluator::RowBytes(inner->shape());
    const std::size_t left = bytes_ - std::min(bytes_, rows);
    if (EvaluationCache::EntryBytes(inner->shape()) * EvaluationCache::kWays > left) return inner;
    return std::make_unique<CacheEvaluator>(std::move(inner), left, hash_);
  }

 private:
  std::shared_ptr<const EvaluatorFactory> inner_;
  std::size_t bytes_;
  ObservationHash hash_;
};

}  // namespace

std::shared_ptr<const EvaluatorFactory> MakeCachedEvaluator(
    std::shared_ptr<const EvaluatorFactory> inner, std::size_t bytes, ObservationHash hash) {
  if (bytes == 0) return inner;
  return std::make_shared<const CacheFactory>(std::move(inner), bytes, hash);
}

}  // namespace qirkat
