#include "models/onednn/onednn_evaluator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/net_output.h"
#include "models/onednn/network.h"
#include "models/onednn/plane_input.h"

// Of the OpenMP library that oneDNN runs on; <omp.h> is not there for every compiler.
extern "C" {
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
}

namespace qirkat {
namespace {

using Type = ElementType;

// Holds oneDNN to one thread in the calling thread, whatever it is allowed at other times.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

class OnednnEvaluator final : public Evaluator {
 public:
  // With `ranges`, which must outlive it, it raises them by what it computes; only fp32 may.
  OnednnEvaluator(std::shared_ptr<const Network> network, int max_batch,
                  ActivationRanges* ranges = nullptr)
      : network_(std::move(network)),
        spec_(network_->net().spec),
        shape_(ShapeOf(spec_)),
        max_batch_(max_batch),
        ranges_(ranges),
        activations_(*network_, LargestPart(max_batch)) {}

  const EvalShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }

  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch_, batch.size, max_batch_);
    const OneThread one_thread;
    for (int first = 0; first < batch.size;) {
      const int left = batch.size - first;
      const int rows = PartRows(left);
      const int used = std::min(rows, left);
      Fill(batch, first, used);
      For(rows).Run();
      for (int row = 0; row < used; ++row) WriteRow(row, first + row, result);
      first += used;
    }
  }

 private:
  // The numbers of rows that there are programs for. A part of a batch leaves at most an eighth of
  // its program's rows unused. Larger parts are not faster, and their activations leave the cache.
  static constexpr std::array<int, 7> kParts = {1, 2, 4, 8, 16, 24, 32};
  static int PartRows(int left) {
    int rows = 1;
    for (const int part : kParts) {
      if (part <= left || part - left <= part / 8) rows = part;
    }
    return rows;
  }
  static int LargestPart(int max_batch) {
    return *std::ranges::find_if(
        kParts, [&](int part) { return part >= max_batch || part == kParts.back(); });
  }

  Program& For(int rows) {
    std::unique_ptr<Program>& program = programs_[rows];
    if (!program) program = std::make_unique<Program>(*network_, rows, activations_, ranges_);
    return *program;
  }

  void Fill(const EvalBatch& batch, int first, int rows) {
    const auto bytes = static_cast<std::size_t>(shape_.plane_bytes);
    const auto planes = batch.planes.subspan(first * bytes, rows * bytes);
    if (network_->edges() == Type::bf16) {
      WritePlanes(planes, rows, spec_.planes(), spec_.squares(), kBf16One,
                  activations_.input.as<std::uint16_t>());
    } else {
      WritePlanes(planes, rows, spec_.planes(), spec_.squares(), 1.0f,
                  activations_.input.as<float>());
    }
    const auto scalars = static_cast<std::size_t>(shape_.scalars);
    std::memcpy(activations_.scalars.data(), batch.scalars.data() + first * scalars,
                rows * scalars * sizeof(float));
  }

  // Of the program's row `row`, to the result's row `to`.
  void WriteRow(int row, int to, const EvalResult& result) const {
    const int squares = spec_.squares(), planes = spec_.policy_planes;
    float* logits = result.policy_logits.data() + static_cast<std::size_t>(to) * shape_.policy_size;
    const float* policy = activations_.policy.as<float>() + row * squares * planes;
    for (int square = 0; square < squares; ++square) {
      for (int plane = 0; plane < planes; ++plane) logits[plane * squares + square] = *policy++;
    }
    std::copy_n(activations_.extras.as<float>() + row * spec_.policy_extras, spec_.policy_extras,
                logits + planes * squares);
    WriteValues(std::span<const float, 5>(activations_.values.as<float>() + row * 5, 5), spec_, to,
                result);
    CheckFinite(result, to, shape_.policy_size);
  }

  static constexpr std::uint16_t kBf16One = std::bit_cast<std::uint32_t>(1.0f) >> 16;

  std::shared_ptr<const Network> network_;
  const NetSpec& spec_;
  const EvalShape shape_;
  const int max_batch_;
  ActivationRanges* const ranges_;
  Activations activations_;
  std::map<int, std::unique_ptr<Program>> programs_;  // by rows
};

class OnednnFactory final : public EvaluatorFactory {
 public:
  OnednnFactory(std::string model_name, std::string description,
                std::shared_ptr<const Network> network)
      : model_name_(std::move(model_name)),
        description_(std::move(description)),
        network_(std::move(network)) {}
  std::string model_name() const override { return model_name_; }
  std::string description() const override { return description_; }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    QIRKAT_CHECK(max_batch >= 1, max_batch);
    return std::make_unique<OnednnEvaluator>(network_, max_batch);
  }

 private:
  std::string model_name_, description_;
  std::shared_ptr<const Network> network_;
};

bool HasIsa(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

std::string DifferenceText(const EvaluatorDifference& difference) {
  std::array<char, 80> text;
  std::snprintf(text.data(), text.size(), "policy KL %.2g nats, value error %.2g",
                difference.policy_kl, difference.value_error);
  return text.data();
}

// Chooses a network's precision: the first of a list whose evaluator is close enough to fp32.
class PrecisionChoice {
 public:
  PrecisionChoice(const Model& model, const CalibrationSource& source)
      : net_(FoldNet(model)), cpu_(FindOnednnCpu()), source_(source) {}

  std::shared_ptr<const Network> Choose(const std::vector<std::string>& precisions) {
    for (std::size_t i = 0; i < precisions.size(); ++i) {
      const std::string& precision = precisions[i];
      const bool last = i + 1 == precisions.size();
      if (precision == "fp32") {
        Describe(precision, {});
        return Make(precision);
      }
      Calibrate();
      std::shared_ptr<const Network> network = Make(precision);
      OnednnEvaluator evaluator(network, kCalibrationRows);
      const EvaluatorDifference difference =
          Compare(evaluator.shape(), rows_, fp32_, EvaluateRows(evaluator, rows_));
      const PrecisionLimits limits = LimitsOf(precision);
      if (last || (difference.policy_kl <= limits.policy_kl &&
                   difference.value_error <= limits.value_error)) {
        Describe(precision, StrCat("; to fp32: ", DifferenceText(difference)));
        return network;
      }
      refused_ += StrCat("; not ", precision, " (", DifferenceText(difference), ')');
    }
    QIRKAT_CHECK(false, precisions.size());
    return nullptr;
  }

  const std::string& description() const { return description_; }

 private:
  // The stem's type, and the policy's, of int8: bfloat16 where the CPU multiplies it.
  Type Edges() const {
    return std::ranges::find(cpu_.precisions, "bf16") != cpu_.precisions.end() ? Type::bf16
                                                                               : Type::f32;
  }

  std::shared_ptr<const Network> Make(const std::string& precision) {
    if (precision == "fp32") {
      if (!fp32_network_) fp32_network_ = std::make_shared<Network>(net_, Type::f32, Type::f32);
      return fp32_network_;
    }
    const bool int8 = precision == "int8";
    FoldedNet net = int8 ? QuantizeNet(net_, ranges_, cpu_.max_int8_weight) : net_;
    // AMX multiplies whole tiles.
    if (HasIsa(dnnl::cpu_isa::avx512_core_amx)) WidenPooledBlocks(net);
    return std::make_shared<Network>(std::move(net), int8 ? Type::u8 : Type::bf16, Edges());
  }

  // Rows, and what fp32 says of them.
  void Calibrate() {
    if (rows_.size > 0) return;
    const auto network = Make("fp32");
    OnednnEvaluator playing(network, kCalibrationRows);
    rows_ = source_(playing);
    QIRKAT_CHECK(rows_.size > 0);
    OnednnEvaluator measuring(network, kCalibrationRows, &ranges_);
    fp32_ = EvaluateRows(measuring, rows_);
  }

  void Describe(const std::string& precision, const std::string& difference) {
    description_ = StrCat("onednn ", precision, ", ", cpu_.name, difference, refused_);
  }

  const FoldedNet net_;
  const OnednnCpu cpu_;
  const CalibrationSource& source_;
  CalibrationRows rows_;
  CalibrationOutput fp32_;
  std::shared_ptr<const Network> fp32_network_;  // measures, and may be what is taken
  ActivationRanges ranges_;
  std::string refused_, description_;
};

}  // namespace

OnednnCpu FindOnednnCpu() {
  using Isa = dnnl::cpu_isa;
  if (HasIsa(Isa::avx512_core_amx)) {
    return {.name = "AVX-512 with AMX", .precisions = {"int8", "bf16", "fp32"}};
  }
  if (HasIsa(Isa::avx512_core_bf16)) {
    return {.name = "AVX-512 with VNNI and BF16", .precisions = {"int8", "bf16", "fp32"}};
  }
  if (HasIsa(Isa::avx512_core_vnni)) {
    return {.name = "AVX-512 with VNNI", .precisions = {"int8", "fp32"}};
  }
  if (HasIsa(Isa::avx512_core)) {
    return {.name = "AVX-512", .precisions = {"int8", "fp32"}, .max_int8_weight = 63};
  }
  if (HasIsa(Isa::avx2_vnni)) {
    return {.name = "AVX2 with VNNI", .precisions = {"int8", "fp32"}};
  }
  return {.name = "AVX2", .precisions = {"int8", "fp32"}, .max_int8_weight = 63};
}

std::string OnednnVersion() {
  const dnnl::version_t* version = dnnl::version();
  return StrCat(version->major, '.', version->minor, '.', version->patch);
}

std::string ResolveOnednnPrecision(const std::string& precision) {
  const OnednnCpu cpu = FindOnednnCpu();
  if (precision == "auto") return Join(cpu.precisions, ",");
  for (const std::string_view each : Split(precision, ',')) {
    if (std::ranges::find(cpu.precisions, each) == cpu.precisions.end()) {
      throw UserError(StrCat("precision ", Quoted(precision), " is not there with onednn on ",
                             cpu.name, "; accepted: auto, or one or more of ",
                             Join(cpu.precisions, ", "),
                             " with commas between (the first that is close enough to fp32)"));
    }
  }
  return precision;
}

PrecisionLimits LimitsOf(const std::string& precision) {
  if (precision == "int8") return {.policy_kl = 0.01, .value_error = 0.02};
  return {.policy_kl = 0.002, .value_error = 0.01};
}

std::shared_ptr<const EvaluatorFactory> MakeOnednnEvaluator(const Model& model,
                                                            const std::string& precision,
                                                            const CalibrationSource& source) {
  const std::string resolved = ResolveOnednnPrecision(precision);
  std::vector<std::string> precisions;
  for (const std::string_view each : Split(resolved, ',')) precisions.emplace_back(each);
  PrecisionChoice choice(model, source);
  auto network = choice.Choose(precisions);
  return std::make_shared<OnednnFactory>(ModelName(model), choice.description(),
                                         std::move(network));
}

}  // namespace qirkat
