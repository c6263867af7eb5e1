#include "envs/core/random.h"

namespace qirkat {

double RandomStream::Normal() {
  while (true) {
    const double u = 2 * Uniform() - 1;
    const double v = 2 * Uniform() - 1;
    const double s = u * u + v * v;
    if (s < 1 && s > 0) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

double RandomStream::Gamma(double shape) {
  if (shape < 1) return Gamma(shape + 1) * std::pow(UniformPositive(), 1 / shape);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = Normal();
    const double cube = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (cube <= 0) continue;
    if (std::log(UniformPositive()) < 0.5 * x * x + d - d * cube + d * std::log(cube)) {
      return d * cube;
    }
  }
}

}  // namespace qirkat
