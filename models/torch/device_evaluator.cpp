#include "models/torch/device_evaluator.h"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "envs/core/error.h"
#include "models/net_output.h"

namespace qirkat {
namespace {

using torch::Tensor;

// Bits of [B, bytes] as numbers 0 and 1, [B, bytes * 8]; bit 0 of a byte first.
Tensor UnpackOnDevice(const Tensor& packed, const Tensor& shifts) {
  return packed.unsqueeze(2).bitwise_right_shift(shifts).bitwise_and_(1).flatten(1);
}

class DeviceEvaluator final : public Evaluator {
 public:
  DeviceEvaluator(const NetSpec& spec, torch::Device device,
                  std::shared_ptr<const InferenceNet> net, int max_batch, int rows)
      : spec_(spec),
        shape_(ShapeOf(spec)),
        device_(device),
        net_(std::move(net)),
        max_batch_(max_batch),
        rows_(rows),
        packed_(Host({rows, shape_.plane_bytes}, torch::kUInt8)),
        scalars_(Host({rows, shape_.scalars}, torch::kFloat32)),
        logits_(Host({rows, shape_.policy_size}, torch::kFloat32)),
        values_(Host({rows, 5}, torch::kFloat32)),
        shifts_(torch::arange(8, torch::kUInt8).to(device)) {
    if (!device.is_cpu()) {
      stream_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
      done_.emplace(device.type());
      // The network and the shifts are there before the stream takes them.
      c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
    }
  }
  ~DeviceEvaluator() override {
    if (stream_) stream_->synchronize();
  }

  const EvalShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }

  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    Begin(batch, result);
    Wait();
  }

  void Begin(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch_, batch.size, max_batch_);
    QIRKAT_CHECK(size_ == 0, size_);
    const c10::InferenceMode inference;
    size_ = batch.size;
    result_ = result;
    Fill(batch.planes, batch.size, packed_.mutable_data_ptr<std::uint8_t>(), shape_.plane_bytes);
    Fill(batch.scalars, batch.size, scalars_.mutable_data_ptr<float>(), shape_.scalars);
    std::optional<c10::StreamGuard> guard;
    if (stream_) guard.emplace(*stream_);
    const Tensor bits = UnpackOnDevice(packed_.to(device_, true), shifts_);
    const InferenceNet::Output output =
        net_->Forward(bits.narrow(1, 0, spec_.planes() * spec_.squares())
                          .view({rows_, spec_.planes(), spec_.rows, spec_.columns}),
                      scalars_.to(device_, true));
    std::int64_t first = 0;
    for (const Tensor& part : {output.policy, output.extras}) {
      if (!part.defined()) continue;
      const Tensor flat = part.flatten(1);
      logits_.narrow(1, first, flat.size(1)).copy_(flat, true);
      first += flat.size(1);
    }
    values_.copy_(output.values.flatten(1), true);
    if (stream_) done_->record(*stream_);
  }

  void Wait() override {
    if (size_ == 0) return;
    if (stream_) done_->synchronize();
    const int size = std::exchange(size_, 0);
    const float* const logits = logits_.const_data_ptr<float>();
    std::copy_n(logits, static_cast<std::int64_t>(size) * shape_.policy_size,
                result_.policy_logits.begin());
    const float* const values = values_.const_data_ptr<float>();
    for (int row = 0; row < size; ++row) {
      WriteValues(std::span<const float, 5>(values + row * 5, 5), spec_, row, result_);
      CheckFinite(result_, row, shape_.policy_size);
    }
  }

 private:
  Tensor Host(at::IntArrayRef shape, torch::ScalarType type) const {
    return torch::zeros(shape, torch::TensorOptions(type).pinned_memory(device_.is_cuda()));
  }

  // The rows, then zeros in those that pad the batch.
  template <class T>
  void Fill(std::span<const T> rows, int size, T* to, int width) const {
    const std::int64_t values = static_cast<std::int64_t>(size) * width;
    std::copy_n(rows.begin(), values, to);
    std::fill(to + values, to + static_cast<std::int64_t>(rows_) * width, T{});
  }

  NetSpec spec_;
  EvalShape shape_;
  torch::Device device_;
  std::shared_ptr<const InferenceNet> net_;
  int max_batch_;
  int rows_;                           // of every batch on the device
  Tensor packed_, scalars_;            // of the batch under way, page-locked
  Tensor logits_, values_;             // what it says, likewise
  Tensor shifts_;                      // 0 … 7, on the device
  std::optional<c10::Stream> stream_;  // of devices that have streams
  std::optional<c10::Event> done_;     // behind the batch under way
  int size_ = 0;                       // of the batch under way; 0: none
  EvalResult result_;
};

}  // namespace

std::unique_ptr<Evaluator> MakeDeviceEvaluator(const NetSpec& spec, torch::Device device,
                                               std::shared_ptr<const InferenceNet> net,
                                               int max_batch, int rows) {
  return std::make_unique<DeviceEvaluator>(spec, device, std::move(net), max_batch, rows);
}

}  // namespace qirkat
