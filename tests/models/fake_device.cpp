#include "tests/models/fake_device.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "envs/core/error.h"

namespace qirkat::test {
namespace {

class DeviceEvaluator final : public Evaluator {
 public:
  DeviceEvaluator(std::unique_ptr<Evaluator> inner, const FakeDevice::Watch& watch,
                  std::atomic<int>& living)
      : inner_(std::move(inner)), watch_(watch), living_(living), thread_([this] { Serve(); }) {
    ++living_;
  }
  ~DeviceEvaluator() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
    --living_;
  }

  const EvalShape& shape() const override { return inner_->shape(); }
  int max_batch() const override { return inner_->max_batch(); }
  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    Begin(batch, result);
    Wait();
  }

  void Begin(const EvalBatch& batch, const EvalResult& result) override {
    Tell(DeviceEvent::kBegin);
    {
      const std::lock_guard lock(mutex_);
      QIRKAT_CHECK(state_ == State::kIdle);
      state_ = State::kBegun;
      wanted_ = ++batches_ % 2 == 0;
      batch_ = batch;
      result_ = result;
    }
    changed_.notify_all();
  }

  void Wait() override {
    Tell(DeviceEvent::kWait);
    std::unique_lock lock(mutex_);
    QIRKAT_CHECK(state_ != State::kIdle);
    wanted_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return state_ == State::kDone; });
    state_ = State::kIdle;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  enum class State { kIdle, kBegun, kDone };

  void Tell(DeviceEvent event) const {
    if (watch_) watch_(event);
  }

  void Serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ended_ || (state_ == State::kBegun && wanted_); });
      if (ended_) return;
      lock.unlock();
      std::exception_ptr error;
      try {
        Tell(DeviceEvent::kCompute);
        inner_->Evaluate(batch_, result_);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      error_ = error;
      state_ = State::kDone;
      changed_.notify_all();
    }
  }

  std::unique_ptr<Evaluator> inner_;
  const FakeDevice::Watch& watch_;
  std::atomic<int>& living_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kIdle;
  bool wanted_ = false;  // the batch may be read
  bool ended_ = false;
  std::uint64_t batches_ = 0;
  EvalBatch batch_;
  EvalResult result_;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace

FakeDevice::FakeDevice(std::shared_ptr<const EvaluatorFactory> inner, Watch watch)
    : inner_(std::move(inner)), watch_(std::move(watch)) {}

std::string FakeDevice::model_name() const { return inner_->model_name(); }

std::unique_ptr<Evaluator> FakeDevice::Make(int max_batch) const {
  return std::make_unique<DeviceEvaluator>(inner_->Make(max_batch), watch_, living_);
}

}  // namespace qirkat::test
