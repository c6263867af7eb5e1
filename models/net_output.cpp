#include "models/net_output.h"

#include <algorithm>
#include <cmath>

namespace qirkat {

EvalShape ShapeOf(const NetSpec& spec) {
  return {.plane_bytes = (spec.planes() * spec.squares() + 7) / 8,
          .scalars = spec.scalars(),
          .policy_size = spec.policy_size()};
}

void WriteValues(std::span<const float, 5> heads, const NetSpec& spec, int row,
                 const EvalResult& result) {
  const float top = std::max({heads[0], heads[1], heads[2]});
  float* wdl = result.wdl.data() + row * 3;
  for (int k = 0; k < 3; ++k) wdl[k] = std::exp(heads[k] - top);
  const float sum = wdl[0] + wdl[1] + wdl[2];
  for (int k = 0; k < 3; ++k) wdl[k] /= sum;
  result.score[row] = heads[3] * spec.score_scale();
  const float softplus = std::max(heads[4], 0.0f) + std::log1p(std::exp(-std::abs(heads[4])));
  result.moves_left[row] = softplus * NetSpec::kMovesLeftScale;
}

}  // namespace qirkat
