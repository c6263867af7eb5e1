// Positions to evaluate, and how fast an evaluator does so.
#pragma once

#include <memory>
#include <vector>

#include "envs/core/any_line.h"
#include "models/evaluators.h"

namespace qirkat::cli {

// `count` positions of random games as the rows of a batch.
class RandomRows {
 public:
  RandomRows(const AnyGame& game, int count);

  EvalBuffers buffers;

 private:
  std::vector<std::unique_ptr<AnyLine>> lines_;
};

// Evaluates the first `batch` rows again and again in this thread.
double RowsPerSecond(Evaluator& evaluator, RandomRows& rows, int batch, double seconds);

}  // namespace qirkat::cli
