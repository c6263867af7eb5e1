// What the root's prior is made of besides the network.
#pragma once

#include <span>

#include "envs/core/random.h"
#include "selfplay/search/options.h"

namespace qirkat {

class RootPolicy {
 public:
  explicit RootPolicy(const SearchOptions& options)
      : noise_fraction_(options.noise_fraction),
        noise_total_(options.noise_total),
        temperature_(options.policy_temperature) {}

  // clean[k] ∝ net[k]^(1 / policy_temperature), summing to 1 (KataGo's root policy temperature).
  void Temper(std::span<const float> net, std::span<float> clean) const;

  // Mixes Dirichlet(noise_total / n) noise into n priors that sum to 1 (AlphaGo Zero; the parameter
  // scaled with the number of actions as in KataGo).
  void AddNoise(std::span<float> priors, RandomStream& random) const;

 private:
  double noise_fraction_;
  double noise_total_;
  double temperature_;
};

}  // namespace qirkat
