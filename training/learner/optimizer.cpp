#include "training/learner/optimizer.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "training/learner/learner.h"

namespace qirkat {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
constexpr std::int64_t kAlignment = 16;  // floats: every tensor starts at a cache line

}  // namespace

FlatOptimizer::FlatOptimizer(QirkatNetImpl& net, const LearnerOptions& options)
    : options_(options) {
  const torch::NoGradGuard no_grad;
  auto tensors = NetState(net);
  std::int64_t end = 0, weights_end = 0;
  for (const auto& [name, tensor] : tensors) {
    slices_.push_back({name, tensor.sizes().vec(), end, tensor.numel()});
    end += (tensor.numel() + kAlignment - 1) / kAlignment * kAlignment;
    if (tensor.requires_grad()) {
      ++parameters_;
      weights_end = end;
    }
    QIRKAT_CHECK(tensor.requires_grad() == (parameters_ == slices_.size()), name);
  }
  const torch::TensorOptions like = tensors.front().second.options().requires_grad(false);
  state_ = torch::zeros(end, like);
  weights_ = state_.narrow(0, 0, weights_end);
  gradients_ = torch::zeros(weights_end, like);
  decay_ = torch::zeros(weights_end, like);
  first_ = torch::zeros(weights_end, like);
  if (options_.optimizer == "adamw") second_ = torch::zeros(weights_end, like);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Slice& slice = slices_[i];
    torch::Tensor& tensor = tensors[i].second;
    const torch::Tensor view = state_.narrow(0, slice.offset, slice.size).view(slice.shape);
    view.copy_(tensor);
    tensor.set_data(view);
    if (i < parameters_) {
      tensor.mutable_grad() = gradients_.narrow(0, slice.offset, slice.size).view(slice.shape);
      if (slice.shape.size() > 1) {
        decay_.narrow(0, slice.offset, slice.size).fill_(options_.weight_decay);
      }
    }
  }
  average_ = state_.clone();
}

void FlatOptimizer::ZeroGradients() { gradients_.zero_(); }

double FlatOptimizer::Step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  const double norm = gradients_.norm().item<double>();
  if (options_.gradient_clip > 0 && norm > options_.gradient_clip) {
    gradients_.mul_(options_.gradient_clip / norm);
  }
  ++step_;
  if (second_.defined()) {
    AdamW(learning_rate);
  } else {
    Sgd(learning_rate);
  }
  average_.lerp_(state_, 1 - options_.ema_decay);
  return norm;
}

void FlatOptimizer::AdamW(double learning_rate) {
  first_.lerp_(gradients_, 1 - kBeta1);
  second_.mul_(kBeta2).addcmul_(gradients_, gradients_, 1 - kBeta2);
  const auto step = static_cast<double>(step_);
  const double bias1 = 1 - std::pow(kBeta1, step), bias2 = 1 - std::pow(kBeta2, step);
  const torch::Tensor scale = second_.sqrt().div_(std::sqrt(bias2)).add_(kEpsilon);
  weights_.addcmul_(weights_, decay_, -learning_rate);
  weights_.addcdiv_(first_, scale, -learning_rate / bias1);
}

void FlatOptimizer::Sgd(double learning_rate) {
  gradients_.addcmul_(weights_, decay_);
  first_.mul_(options_.momentum).add_(gradients_);
  weights_.add_(first_, -learning_rate);
}

NamedTensor FlatOptimizer::Read(const torch::Tensor& flat, const Slice& slice) const {
  const torch::Tensor values =
      flat.narrow(0, slice.offset, slice.size).to(torch::kCPU).contiguous();
  const float* data = values.const_data_ptr<float>();
  return {slice.name, slice.shape, {data, data + slice.size}};
}

std::vector<NamedTensor> FlatOptimizer::Average() const {
  std::vector<NamedTensor> tensors;
  for (const Slice& slice : slices_) tensors.push_back(Read(average_, slice));
  return tensors;
}

void FlatOptimizer::LoadAverage(const std::vector<NamedTensor>& average) {
  QIRKAT_CHECK(average.size() == slices_.size(), average.size(), slices_.size());
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const Slice& slice = slices_[i];
    QIRKAT_CHECK(average[i].name == slice.name && average[i].shape == slice.shape, slice.name);
    average_.narrow(0, slice.offset, slice.size)
        .copy_(torch::from_blob(const_cast<float*>(average[i].values.data()), slice.size));
  }
}

std::vector<std::pair<std::string, torch::Tensor>> FlatOptimizer::Moments() const {
  if (second_.defined()) return {{"exp_avg/", first_}, {"exp_avg_sq/", second_}};
  return {{"momentum/", first_}};
}

TensorFile FlatOptimizer::Save() const {
  TensorFile file{.kind = kOptimizerKind, .metadata = {}, .tensors = {}};
  file.metadata = nlohmann::json{{"optimizer", options_.optimizer}, {"step", step_}}.dump();
  for (const auto& [prefix, flat] : Moments()) {
    for (std::size_t i = 0; i < parameters_; ++i) {
      file.tensors.push_back(Read(flat, slices_[i]));
      file.tensors.back().name = prefix + slices_[i].name;
    }
  }
  return file;
}

void FlatOptimizer::Load(const TensorFile& file, const std::string& where) {
  const nlohmann::json metadata = nlohmann::json::parse(file.metadata, nullptr, false);
  if (!metadata.is_object() || metadata.value("optimizer", "") != options_.optimizer ||
      !metadata.contains("step")) {
    throw UserError(StrCat(where, ": not the state of optimizer '", options_.optimizer, "'"));
  }
  const auto moments = Moments();
  if (file.tensors.size() != moments.size() * parameters_) {
    throw UserError(StrCat(where, ": holds ", file.tensors.size(), " tensors, this network needs ",
                           moments.size() * parameters_));
  }
  auto from = file.tensors.begin();
  for (const auto& [prefix, flat] : moments) {
    for (std::size_t i = 0; i < parameters_; ++i, ++from) {
      const Slice& slice = slices_[i];
      if (from->name != prefix + slice.name || from->shape != slice.shape) {
        throw UserError(StrCat(where, ": has tensor ", Quoted(from->name),
                               " where this network needs '", prefix, slice.name, "'"));
      }
      flat.narrow(0, slice.offset, slice.size)
          .copy_(torch::from_blob(const_cast<float*>(from->values.data()), slice.size));
    }
  }
  step_ = metadata.at("step").get<std::uint64_t>();
}

}  // namespace qirkat
