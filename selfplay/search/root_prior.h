// What the root's prior is made of besides the network.
#pragma once

#include <span>

#include "envs/core/random.h"
#include "selfplay/search/options.h"

namespace qirkat {

class RootPrior {
 public:
  explicit RootPrior(const SearchOptions& options)
      : noise_fraction_(options.noise_fraction),
        noise_total_(options.noise_total),
        noise_shape_(options.noise_shape),
        temperature_(options.policy_temperature) {}

  // clean[k] ∝ net[k]^(1 / policy_temperature), summing to 1 (KataGo's root policy temperature).
  void Temper(std::span<const float> net, std::span<float> clean) const;

  // Mixes Dirichlet noise into n priors that sum to 1 (AlphaGo Zero). The parameters sum to
  // noise_total: a share 1 - noise_shape of it is spread evenly, the rest goes to the actions whose
  // log prior, cut off at log 0.01, is above the mean, in proportion to by how much (KataGo's
  // shaped Dirichlet noise): what the network takes for hopeless is tried less.
  void AddNoise(std::span<float> priors, RandomStream& random) const;

 private:
  double noise_fraction_;
  double noise_total_;
  double noise_shape_;
  double temperature_;
};

}  // namespace qirkat
