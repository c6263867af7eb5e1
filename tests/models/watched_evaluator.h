// An evaluator that says what it is asked to compute.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "models/evaluator.h"

namespace qirkat::test {

// Calls `watch` with the size of every batch, on the thread that evaluates, then works like
// `inner`. A cache may answer in its place, as for a network, whatever `inner` says.
class WatchedFactory final : public EvaluatorFactory {
 public:
  using Watch = std::function<void(int)>;
  explicit WatchedFactory(std::shared_ptr<const EvaluatorFactory> inner, Watch watch = {})
      : inner_(std::move(inner)), watch_(std::move(watch)) {}
  std::string model_name() const override { return inner_->model_name(); }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    return std::make_unique<Watched>(inner_->Make(max_batch), watch_);
  }

 private:
  class Watched final : public Evaluator {
   public:
    Watched(std::unique_ptr<Evaluator> inner, const Watch& watch)
        : inner_(std::move(inner)), watch_(watch) {}
    const EvalShape& shape() const override { return inner_->shape(); }
    int max_batch() const override { return inner_->max_batch(); }
    void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
      if (watch_) watch_(batch.size);
      inner_->Evaluate(batch, result);
    }

   private:
    std::unique_ptr<Evaluator> inner_;
    const Watch& watch_;
  };

  std::shared_ptr<const EvaluatorFactory> inner_;
  Watch watch_;
};

}  // namespace qirkat::test
