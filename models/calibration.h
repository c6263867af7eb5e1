// Positions on which a network is measured: to choose the ranges of int8, and to compare a
// precision with fp32.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "envs/core/any_line.h"
#include "models/evaluator.h"

namespace qirkat {

// Rows as an evaluator takes them, with what is legal there.
struct CalibrationRows {
  int size = 0;
  std::vector<std::uint8_t> planes;  // [size, plane_bytes] bit-packed
  std::vector<float> scalars;        // [size, scalars]
  std::vector<std::uint8_t> legal;   // [size, (policy_size + 7) / 8] bit-packed, mover's view
};

inline constexpr int kCalibrationRows = 256;

// kCalibrationRows positions of games: random play to a ply of its game, then eight plies sampled
// from the evaluator's policy. Always the same for the same evaluator.
CalibrationRows PlayCalibrationRows(const AnyGame& game, Evaluator& evaluator);

// What an evaluator says of such rows.
struct CalibrationOutput {
  std::vector<float> policy_logits, wdl, score, moves_left;  // as in EvalResult, all rows
};
CalibrationOutput EvaluateRows(Evaluator& evaluator, const CalibrationRows& rows);

// How far an evaluator is from another one.
struct EvaluatorDifference {
  double policy_kl = 0;    // mean of KL(reference || other) over the legal actions, nats
  double value_error = 0;  // mean of |difference of win - loss|, 0 .. 2
};
EvaluatorDifference Compare(const EvalShape& shape, const CalibrationRows& rows,
                            const CalibrationOutput& reference, const CalibrationOutput& other);

// KL(softmax(reference) || softmax(other)) over the actions whose bit is set in `legal`, in nats.
double PolicyKl(std::span<const float> reference, std::span<const float> other,
                std::span<const std::uint8_t> legal);

}  // namespace qirkat
