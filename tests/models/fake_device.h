// An evaluator that computes beside the CPU, as on a GPU, with the latency that finds mistakes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "models/evaluator.h"

namespace qirkat::test {

// What happens to a batch.
enum class DeviceEvent { kBegin, kCompute, kWait };

// Evaluates with `inner` on a thread of its own for each evaluator. Every second batch is read at
// once, the others only when Wait is called: the earliest and the latest moment that the contract
// allows. Batches are evaluated one call each, in the order of Begin.
class FakeDevice final : public EvaluatorFactory {
 public:
  // `watch` (may be empty) is called on the caller's thread at Begin and Wait, and on the device's
  // thread at compute. What it throws there reaches the caller of Begin, or of Wait.
  using Watch = std::function<void(DeviceEvent)>;
  explicit FakeDevice(std::shared_ptr<const EvaluatorFactory> inner, Watch watch = {});

  std::string model_name() const override;
  bool asynchronous() const override { return true; }
  std::unique_ptr<Evaluator> Make(int max_batch) const override;

  int living() const { return living_; }  // evaluators, each with a thread

 private:
  std::shared_ptr<const EvaluatorFactory> inner_;
  Watch watch_;
  mutable std::atomic<int> living_ = 0;
};

}  // namespace qirkat::test
