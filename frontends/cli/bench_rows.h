// What is measured: models, positions to evaluate, and how fast an evaluator does so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "envs/core/any_line.h"
#include "models/backend_options.h"
#include "models/evaluators.h"
#include "models/net_spec.h"

namespace qirkat::cli {

struct NamedModel {
  std::string name;
  std::shared_ptr<const EvaluatorFactory> factory;
};

// An untrained network: speed does not depend on the weights.
NamedModel RandomNet(const AnyGame& game, const NetOptions& net, const BackendOptions& backend);

// Of one value at least; sorts them.
double Median(std::vector<double>& values);

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
