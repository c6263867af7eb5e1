#include "models/torch/torch_evaluator.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <malloc.h>
#include <torch/torch.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/net_output.h"
#include "models/plane_bits.h"
#include "models/round_robin_evaluator.h"
#include "models/torch/device_evaluator.h"
#include "models/torch/inference_net.h"

namespace qirkat {
namespace {

// The names in a list of devices.
std::vector<std::string> DevicesOf(const std::string& devices) {
  std::vector<std::string> names;
  for (const std::string_view name : Split(devices, ',')) names.emplace_back(name);
  return names;
}

bool IsCpu(const std::string& devices) { return devices.starts_with("cpu"); }

constexpr int kMinRows = 16;
int WholeRows(int max_batch) { return (max_batch + kMinRows - 1) / kMinRows * kMinRows; }

// Holds LibTorch to one thread in the calling thread. Set and put back at every call, because a
// thread inherits whatever another thread set last, and may be the learner's at other times.
class OneTorchThread {
 public:
  OneTorchThread() : before_(at::get_num_threads()) {
    if (before_ != 1) at::set_num_threads(1);
  }
  ~OneTorchThread() {
    if (before_ != 1) at::set_num_threads(before_);
  }
  OneTorchThread(const OneTorchThread&) = delete;
  OneTorchThread& operator=(const OneTorchThread&) = delete;

 private:
  int before_;
};

// A network with one InferenceNet for each batch size that somebody asked for. Shared by threads.
class PackedNets {
 public:
  PackedNets(const Model& model, const std::string& device, const std::string& precision)
      : net_(NetFromModel(model)),
        device_(device),
        type_(precision == "bf16"   ? torch::kBFloat16
              : precision == "fp16" ? torch::kFloat16
                                    : torch::kFloat32) {}

  std::shared_ptr<const InferenceNet> Get(int batch) {
    const std::lock_guard lock(mutex_);
    // Only oneDNN lays out weights by batch size.
    std::shared_ptr<const InferenceNet>& packed = packed_[device_.is_cpu() ? batch : 0];
    if (!packed) packed = std::make_shared<const InferenceNet>(*net_, device_, type_, batch);
    return packed;
  }
  torch::Device device() const { return device_; }

 private:
  QirkatNet net_;
  torch::Device device_;
  torch::ScalarType type_;
  std::mutex mutex_;
  std::map<int, std::shared_ptr<const InferenceNet>> packed_;
};

// On a CPU, in the calling thread.
class TorchEvaluator final : public Evaluator {
 public:
  TorchEvaluator(const NetSpec& spec, const EvalShape& shape, std::shared_ptr<PackedNets> nets,
                 int max_batch)
      : spec_(spec),
        shape_(shape),
        max_batch_(max_batch),
        rows_(WholeRows(max_batch)),
        nets_(std::move(nets)),
        planes_(static_cast<std::size_t>(rows_) * spec.planes() * spec.squares()),
        scalars_(static_cast<std::size_t>(rows_) * spec.scalars()) {}

  const EvalShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }

  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch_, batch.size, max_batch_);
    const OneTorchThread one_thread;
    const c10::InferenceMode inference;
    const int rows = PaddedRows(batch.size);
    Fill(batch, rows);
    std::shared_ptr<const InferenceNet>& net = packed_[rows];
    if (!net) net = nets_->Get(rows);
    const InferenceNet::Output output = net->Forward(
        torch::from_blob(planes_.data(), {rows, spec_.planes(), spec_.rows, spec_.columns}),
        torch::from_blob(scalars_.data(), {rows, spec_.scalars()}));
    for (int row = 0; row < batch.size; ++row) WriteRow(output, row, result);
  }

 private:
  // Few sizes, because oneDNN compiles kernels and lays out weights for each: powers of two.
  int PaddedRows(int size) const {
    const auto power = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)));
    return std::min(rows_, std::max(kMinRows, power));
  }

  // The batch as floats, zeros in the rows that pad it.
  void Fill(const EvalBatch& batch, int rows) {
    const int bits = spec_.planes() * spec_.squares();
    UnpackBits(batch.planes, batch.size, bits, planes_);
    std::fill(planes_.begin() + static_cast<std::ptrdiff_t>(batch.size) * bits,
              planes_.begin() + static_cast<std::ptrdiff_t>(rows) * bits, 0.0f);
    const auto values = static_cast<std::ptrdiff_t>(batch.size) * spec_.scalars();
    std::copy_n(batch.scalars.begin(), values, scalars_.begin());
    std::fill(scalars_.begin() + values, scalars_.end(), 0.0f);
  }

  void WriteRow(const InferenceNet::Output& output, int row, const EvalResult& result) const {
    float* logits = result.policy_logits.data() + row * shape_.policy_size;
    for (const torch::Tensor& part : {output.policy, output.extras}) {
      if (!part.defined()) continue;
      const std::int64_t size = part.numel() / part.size(0);
      logits = std::copy_n(part.const_data_ptr<float>() + row * size, size, logits);
    }
    const float* values = output.values.const_data_ptr<float>() + row * 5;
    WriteValues(std::span<const float, 5>(values, 5), spec_, row, result);
    CheckFinite(result, row, shape_.policy_size);
  }

  NetSpec spec_;
  EvalShape shape_;
  int max_batch_;
  int rows_;  // capacity of the arrays below
  std::shared_ptr<PackedNets> nets_;
  std::map<int, std::shared_ptr<const InferenceNet>> packed_;  // of `nets_`, without its lock
  std::vector<float> planes_, scalars_;
};

// Of one device.
class TorchFactory final : public EvaluatorFactory {
 public:
  TorchFactory(const Model& model, const TorchOptions& resolved)
      : name_(ModelName(model)),
        description_(StrCat("torch ", resolved.device, ' ', resolved.precision)),
        spec_(model.spec),
        as_device_(resolved.as_device || resolved.device != "cpu"),
        graphs_(resolved.graphs),
        shape_(ShapeOf(spec_)),
        nets_(std::make_shared<PackedNets>(model, resolved.device, resolved.precision)) {}
  std::string model_name() const override { return name_; }
  std::string description() const override { return description_; }
  bool asynchronous() const override { return as_device_; }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    QIRKAT_CHECK(max_batch >= 1, max_batch);
    if (!as_device_) return std::make_unique<TorchEvaluator>(spec_, shape_, nets_, max_batch);
    const int rows = WholeRows(max_batch);
    return MakeDeviceEvaluator(spec_, nets_->device(), nets_->Get(rows), max_batch, rows, graphs_);
  }

 private:
  std::string name_, description_;
  NetSpec spec_;
  bool as_device_, graphs_;
  EvalShape shape_;
  std::shared_ptr<PackedNets> nets_;
};

// One device of a list.
std::string ResolveDevice(const std::string& device, int gpus) {
  if (device == "cpu") return device;
  std::string accepted = "auto, cpu";
  for (int gpu = 0; gpu < gpus; ++gpu) accepted += StrCat(", cuda:", gpu);
  if (device.starts_with("cuda:")) {
    const auto gpu = ParseNumber<int>(std::string_view(device).substr(5));
    if (gpu && *gpu >= 0 && *gpu < gpus) return device;
  }
  throw UserError(StrCat("device ", Quoted(device), " is not there; accepted: ", accepted));
}

std::string ResolveDevices(const std::string& devices) {
  const int gpus = static_cast<int>(torch::cuda::device_count());
  if (devices == "auto" && gpus == 0) return "cpu";
  std::vector<std::string> resolved;
  if (devices == "auto" || (devices == "cuda" && gpus > 0)) {
    for (int gpu = 0; gpu < gpus; ++gpu) resolved.push_back(StrCat("cuda:", gpu));
  } else {
    for (const std::string& device : DevicesOf(devices)) {
      resolved.push_back(ResolveDevice(device, gpus));
    }
  }
  return Join(resolved, ",");
}

// auto is bf16 where the CPU multiplies it in hardware (AMX comes with AVX512_BF16); elsewhere it
// is emulated and slower than fp32.
std::string ResolvePrecision(const std::string& precision, const std::string& device) {
  const std::vector<std::string> possible = TorchPrecisions(device);
  if (precision == "auto") {
    return !IsCpu(device) || __builtin_cpu_supports("avx512bf16") ? possible.back() : "fp32";
  }
  if (std::ranges::find(possible, precision) == possible.end()) {
    throw UserError(StrCat("precision ", Quoted(precision), " is not there on ", device,
                           "; accepted: auto, ", Join(possible, ", ")));
  }
  return precision;
}

}  // namespace

void PrepareTorchProcess() {
  ::setenv("MKL_CBWR", "AUTO,STRICT", 1);
  // Large tensors come and go at every step: keep their pages instead of returning them to the
  // system.
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
  at::set_num_threads(1);
  // On GPUs: nothing that a timing chooses, no sums in any order, no fewer bits than asked for.
  at::Context& context = at::globalContext();
  context.setBenchmarkCuDNN(false);
  context.setDeterministicCuDNN(true);
  context.setAllowTF32CuDNN(false);
  context.setAllowTF32CuBLAS(false);
}

std::string TorchVersion() { return TORCH_VERSION; }

std::vector<std::string> TorchPrecisions(const std::string& device) {
  if (IsCpu(device)) {
    return CpuComputesBf16() ? std::vector<std::string>{"fp32", "bf16"}
                             : std::vector<std::string>{"fp32"};
  }
  // GPUs multiply bf16 from compute capability 8 on.
  if (!at::detail::getCUDAHooks().supportsBFloat16ConvolutionWithCuDNNv8()) return {"fp32", "fp16"};
  return {"fp32", "fp16", "bf16"};
}

TorchOptions ResolveTorchOptions(const TorchOptions& options) {
  const std::string device = ResolveDevices(options.device);
  return {.device = device,
          .precision = ResolvePrecision(options.precision, device),
          .as_device = options.as_device,
          .graphs = options.graphs};
}

std::shared_ptr<const EvaluatorFactory> MakeTorchEvaluator(const Model& model,
                                                           const TorchOptions& options) {
  TorchOptions resolved = ResolveTorchOptions(options);
  std::vector<std::shared_ptr<const EvaluatorFactory>> factories;
  for (const std::string& device : DevicesOf(resolved.device)) {
    resolved.device = device;
    factories.push_back(std::make_shared<const TorchFactory>(model, resolved));
  }
  return factories.size() == 1 ? factories.front() : MakeRoundRobinEvaluator(std::move(factories));
}

}  // namespace qirkat
