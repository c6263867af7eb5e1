#include "selfplay/search/root_prior.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace qirkat {
namespace {

// Shares of the Dirichlet parameters that stand out from the others; they sum to 1, or are all 0 if
// none does.
std::vector<double> ShapeOfNoise(std::span<const float> priors) {
  constexpr double kCut = 0.01, kSmallest = 1e-20;
  std::vector<double> shape(priors.size());
  double mean = 0;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    shape[k] = std::log(std::min<double>(priors[k], kCut) + kSmallest);
    mean += shape[k] / static_cast<double>(priors.size());
  }
  double sum = 0;
  for (double& share : shape) sum += share = std::max(share - mean, 0.0);
  if (!(sum > 0)) return std::vector<double>(priors.size());
  for (double& share : shape) share /= sum;
  return shape;
}

}  // namespace

void RootPrior::Temper(std::span<const float> net, std::span<float> clean) const {
  if (temperature_ == 1) {
    std::copy(net.begin(), net.end(), clean.begin());
    return;
  }
  // Relative to the largest, so that a low temperature cannot make them all 0.
  const double largest = *std::max_element(net.begin(), net.end());
  double sum = 0;
  for (std::size_t k = 0; k < net.size(); ++k) {
    const double share = std::pow(net[k] / largest, 1 / temperature_);
    clean[k] = static_cast<float>(share);
    sum += share;
  }
  for (float& prior : clean) prior = static_cast<float>(prior / sum);
}

void RootPrior::AddNoise(std::span<float> priors, RandomStream& random) const {
  const double even = 1 / static_cast<double>(priors.size());
  std::vector<double> noise(priors.size(), even);
  if (noise_shape_ > 0) {
    const std::vector<double> shape = ShapeOfNoise(priors);
    const bool shaped = std::any_of(shape.begin(), shape.end(), [](double x) { return x > 0; });
    for (std::size_t k = 0; shaped && k < noise.size(); ++k) {
      noise[k] += noise_shape_ * (shape[k] - even);
    }
  }
  double sum = 0;
  for (double& share : noise) sum += share = share > 0 ? random.Gamma(noise_total_ * share) : 0;
  // With a tiny parameter every share can underflow.
  if (!(sum > 0)) return;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    priors[k] = static_cast<float>(priors[k] + noise_fraction_ * (noise[k] / sum - priors[k]));
  }
}

}  // namespace qirkat
