#include "selfplay/search/root_policy.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace qirkat {

void RootPolicy::Temper(std::span<const float> net, std::span<float> clean) const {
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

void RootPolicy::AddNoise(std::span<float> priors, RandomStream& random) const {
  const double alpha = noise_total_ / static_cast<double>(priors.size());
  std::vector<double> noise(priors.size());
  double sum = 0;
  for (double& share : noise) sum += share = random.Gamma(alpha);
  // With a tiny parameter every share can underflow.
  if (!(sum > 0)) return;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    priors[k] = static_cast<float>(priors[k] + noise_fraction_ * (noise[k] / sum - priors[k]));
  }
}

}  // namespace qirkat
