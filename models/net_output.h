// From what the heads of a network say to the units of EvalResult.
#pragma once

#include <span>

#include "models/evaluator.h"
#include "models/net_spec.h"

namespace qirkat {

EvalShape ShapeOf(const NetSpec& spec);

// Writes W/D/L, score and moves left of a row. `heads`: logits of win, draw, loss, then score and
// moves left in the net's units, moves left before its softplus.
void WriteValues(std::span<const float, 5> heads, const NetSpec& spec, int row,
                 const EvalResult& result);

// Throws UserError if one of a row's results is no finite number: the weights are damaged.
void CheckFinite(const EvalResult& result, int row, int policy_size);

}  // namespace qirkat
