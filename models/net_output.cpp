#include "models/net_output.h"

#include <algorithm>
#include <cmath>

#include "envs/core/error.h"

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

void CheckFinite(const EvalResult& result, int row, int policy_size) {
  const float* const logits =
      result.policy_logits.data() + static_cast<std::size_t>(row) * policy_size;
  // Times 0: what is finite becomes 0, the rest no number, which stays in the sum.
  float sum = 0;
  for (int a = 0; a < policy_size; ++a) sum += logits[a] * 0.0f;
  for (int k = 0; k < 3; ++k) sum += result.wdl[row * 3 + k] * 0.0f;
  sum += result.score[row] * 0.0f + result.moves_left[row] * 0.0f;
  if (sum != 0) {
    throw UserError("the network's results are no finite numbers: its weights are damaged");
  }
}

}  // namespace qirkat
