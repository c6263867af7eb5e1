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
#include "models/torch/cuda_graph.h"

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
                  std::shared_ptr<const InferenceNet> net, int max_batch, int rows, bool graphs)
      : spec_(spec),
        shape_(ShapeOf(spec)),
        device_(device),
        net_(std::move(net)),
        max_batch_(max_batch),
        rows_(rows),
        packed_(rows, shape_.plane_bytes, torch::kUInt8, device),
        scalars_(rows, shape_.scalars, torch::kFloat32, device),
        logits_(rows, shape_.policy_size, torch::kFloat32, device),
        values_(rows, 5, torch::kFloat32, device),
        shifts_(torch::arange(8, torch::kUInt8).to(device)) {
    if (device.is_cpu()) return;
    const c10::impl::VirtualGuardImpl impl(device.type());
    stream_ = impl.getStreamFromGlobalPool(device);
    done_.emplace(device.type());
    // The network and the arrays are there before the stream takes them. Not synchronizeDevice,
    // which fails while another evaluator records its graph.
    done_->record(impl.getStream(device));
    done_->block(*stream_);
    if (!graphs || !device.is_cuda()) return;
    const c10::StreamGuard guard(*stream_);
    const c10::InferenceMode inference;
    graph_ = RecordCudaGraph([this] { Compute(); });
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
    Fill(batch.planes, batch.size, packed_.host);
    Fill(batch.scalars, batch.size, scalars_.host);
    std::optional<c10::StreamGuard> guard;
    if (stream_) guard.emplace(*stream_);
    packed_.device.copy_(packed_.host, true);
    scalars_.device.copy_(scalars_.host, true);
    graph_ ? graph_->Replay() : Compute();
    logits_.host.copy_(logits_.device, true);
    values_.host.copy_(values_.device, true);
    if (stream_) done_->record(*stream_);
  }

  void Wait() override {
    if (size_ == 0) return;
    if (stream_) done_->synchronize();
    const int size = std::exchange(size_, 0);
    const float* const logits = logits_.host.const_data_ptr<float>();
    std::copy_n(logits, static_cast<std::int64_t>(size) * shape_.policy_size,
                result_.policy_logits.begin());
    const float* const values = values_.host.const_data_ptr<float>();
    for (int row = 0; row < size; ++row) {
      WriteValues(std::span<const float, 5>(values + row * 5, 5), spec_, row, result_);
      CheckFinite(result_, row, shape_.policy_size);
    }
  }

 private:
  // An array [rows, width] on both sides, page-locked here.
  struct Staged {
    Staged(int rows, std::int64_t width, torch::ScalarType type, torch::Device on)
        : host(torch::zeros({rows, width}, torch::TensorOptions(type).pinned_memory(on.is_cuda()))),
          device(torch::zeros({rows, width}, torch::TensorOptions(type).device(on))) {}
    Tensor host, device;
  };

  // From the device's packed rows and scalars to its logits and values.
  void Compute() {
    const Tensor bits = UnpackOnDevice(packed_.device, shifts_);
    const InferenceNet::Output output =
        net_->Forward(bits.narrow(1, 0, spec_.planes() * spec_.squares())
                          .view({rows_, spec_.planes(), spec_.rows, spec_.columns}),
                      scalars_.device);
    std::int64_t first = 0;
    for (const Tensor& part : {output.policy, output.extras}) {
      if (!part.defined()) continue;
      const Tensor flat = part.flatten(1);
      logits_.device.narrow(1, first, flat.size(1)).copy_(flat);
      first += flat.size(1);
    }
    values_.device.copy_(output.values.flatten(1));
  }

  // The rows, then zeros in those that pad the batch.
  template <class T>
  static void Fill(std::span<const T> rows, int size, const Tensor& to) {
    T* const data = to.mutable_data_ptr<T>();
    const std::int64_t values = size * to.size(1);
    std::copy_n(rows.begin(), values, data);
    std::fill(data + values, data + to.numel(), T{});
  }

  NetSpec spec_;
  EvalShape shape_;
  torch::Device device_;
  std::shared_ptr<const InferenceNet> net_;
  int max_batch_;
  int rows_;                           // of every batch on the device
  Staged packed_, scalars_;            // of the batch under way
  Staged logits_, values_;             // what it says
  Tensor shifts_;                      // 0 … 7, on the device
  std::optional<c10::Stream> stream_;  // of devices that have streams
  std::optional<c10::Event> done_;     // behind the batch under way
  std::unique_ptr<CudaGraph> graph_;   // of Compute; null: layer by layer
  int size_ = 0;                       // of the batch under way; 0: none
  EvalResult result_;
};

}  // namespace

std::unique_ptr<Evaluator> MakeDeviceEvaluator(const NetSpec& spec, torch::Device device,
                                               std::shared_ptr<const InferenceNet> net,
                                               int max_batch, int rows, bool graphs) {
  return std::make_unique<DeviceEvaluator>(spec, device, std::move(net), max_batch, rows, graphs);
}

}  // namespace qirkat
