#include "models/round_robin_evaluator.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

class RoundRobin final : public EvaluatorFactory {
 public:
  explicit RoundRobin(std::vector<std::shared_ptr<const EvaluatorFactory>> parts)
      : parts_(std::move(parts)) {
    QIRKAT_CHECK(!parts_.empty());
  }
  std::string model_name() const override { return parts_.front()->model_name(); }
  std::string description() const override {
    std::vector<std::string> descriptions;
    for (const auto& part : parts_) descriptions.push_back(part->description());
    return Join(descriptions, ", ");
  }
  bool asynchronous() const override {
    return std::ranges::any_of(parts_, [](const auto& part) { return part->asynchronous(); });
  }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    return parts_[made_++ % parts_.size()]->Make(max_batch);
  }

 private:
  std::vector<std::shared_ptr<const EvaluatorFactory>> parts_;
  mutable std::atomic<std::size_t> made_ = 0;
};

}  // namespace

std::shared_ptr<const EvaluatorFactory> MakeRoundRobinEvaluator(
    std::vector<std::shared_ptr<const EvaluatorFactory>> parts) {
  return std::make_shared<const RoundRobin>(std::move(parts));
}

}  // namespace qirkat
