// Evaluators that need no network.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "models/evaluator.h"

namespace qirkat {

// Equal logits, W/D/L (1/3, 1/3, 1/3), score 0.
std::shared_ptr<const EvaluatorFactory> MakeUniformEvaluator(const EvalShape& shape);

// A fake network: every output is a hash of the row's observation. Exact and fast, for tests and
// for measuring everything around the network. Logits lie in [-2, 2].
std::shared_ptr<const EvaluatorFactory> MakeHashEvaluator(const EvalShape& shape);

// Equal logits; W/D/L are the shares of `playouts` uniformly random games from the position, score
// and moves left their means. Random numbers come from the row's seed alone. Needs lines.
std::shared_ptr<const EvaluatorFactory> MakeRolloutEvaluator(const EvalShape& shape, int playouts);

// The evaluator of a spec: "uniform", "hash" or "rollout[:playouts=N]" with N in 1 … 1000000 (1 if
// not given). Throws UserError that names the spec and `where` it stands.
std::shared_ptr<const EvaluatorFactory> MakeEvaluator(std::string_view spec, const EvalShape& shape,
                                                      std::string_view where);

// The arrays of a batch and its results, owned and allocated once.
struct EvalBuffers {
  std::vector<std::uint8_t> planes;
  std::vector<float> scalars;
  std::vector<const AnyLine*> lines;
  std::vector<std::uint64_t> seeds;
  std::vector<float> policy_logits, wdl, score, moves_left;

  EvalBuffers(const EvalShape& shape, int capacity);
  ObservationRow Row(int i);  // where row i's observation goes
  EvalBatch Batch(int size, bool with_lines) const;
  EvalResult Result(int size);
  std::span<const float> Logits(int i) const;

 private:
  EvalShape shape_;
};

}  // namespace qirkat
