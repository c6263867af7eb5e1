#include "models/torch/plain_evaluator.h"

#include <torch/torch.h>

#include <algorithm>
#include <string>
#include <vector>

#include "envs/core/error.h"
#include "models/net_output.h"
#include "models/plane_bits.h"
#include "models/torch/net.h"

namespace qirkat {
namespace {

class PlainTorchEvaluator final : public Evaluator {
 public:
  PlainTorchEvaluator(const Model& model, int max_batch)
      : spec_(model.spec),
        shape_(ShapeOf(spec_)),
        max_batch_(max_batch),
        net_(NetFromModel(model)),
        planes_(static_cast<std::size_t>(max_batch) * spec_.planes() * spec_.squares()) {
    for (torch::Tensor& weight : net_->parameters()) {
      if (weight.dim() == 4) weight.set_data(weight.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
  const EvalShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }

  void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
    QIRKAT_CHECK(batch.size >= 1 && batch.size <= max_batch_, batch.size, max_batch_);
    const c10::InferenceMode inference;
    const int rows = batch.size;
    UnpackBits(batch.planes, rows, spec_.planes() * spec_.squares(), planes_);
    auto* scalars = const_cast<float*>(batch.scalars.data());  // only read
    const NetOutput output =
        net_(torch::from_blob(planes_.data(), {rows, spec_.planes(), spec_.rows, spec_.columns})
                 .contiguous(at::MemoryFormat::ChannelsLast),
             torch::from_blob(scalars, {rows, spec_.scalars()}));
    const auto copy = [](const torch::Tensor& from, std::span<float> to) {
      const torch::Tensor plain = from.contiguous();
      std::copy_n(plain.const_data_ptr<float>(), plain.numel(), to.begin());
    };
    copy(output.policy_logits, result.policy_logits);
    copy(output.wdl_logits.softmax(1), result.wdl);
    copy(output.score * spec_.score_scale(), result.score);
    copy(output.moves_left * NetSpec::kMovesLeftScale, result.moves_left);
  }

 private:
  NetSpec spec_;
  EvalShape shape_;
  int max_batch_;
  QirkatNet net_;
  std::vector<float> planes_;
};

class PlainTorchFactory final : public EvaluatorFactory {
 public:
  explicit PlainTorchFactory(const Model& model) : model_(model), name_(ModelName(model)) {}
  std::string model_name() const override { return name_; }
  std::string description() const override { return "a LibTorch module, fp32"; }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    QIRKAT_CHECK(max_batch >= 1, max_batch);
    return std::make_unique<PlainTorchEvaluator>(model_, max_batch);
  }

 private:
  Model model_;
  std::string name_;
};

}  // namespace

std::shared_ptr<const EvaluatorFactory> MakePlainTorchEvaluator(const Model& model) {
  return std::make_shared<const PlainTorchFactory>(model);
}

}  // namespace qirkat
