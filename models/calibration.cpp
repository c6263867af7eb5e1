#include "models/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "envs/core/error.h"
#include "envs/core/random.h"
#include "models/evaluators.h"

namespace qirkat {
namespace {

constexpr int kGames = 32;
constexpr int kPlies = kCalibrationRows / kGames;  // of each game, by the policy
constexpr int kBatch = 32;

bool IsSet(std::span<const std::uint8_t> bits, std::size_t i) {
  return (bits[i / 8] >> (i % 8)) & 1;
}

Action RandomAction(const AnyLine& line, RandomStream& random) {
  return line.legal(static_cast<int>(random.Below(static_cast<std::uint32_t>(line.legal_count()))));
}

// An action drawn from the softmax of its logits.
Action SampleAction(const AnyLine& line, std::span<const float> logits, RandomStream& random) {
  std::vector<double> shares;
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int k = 0; k < line.legal_count(); ++k) {
    shares.push_back(logits[line.MoverView(line.legal(k))]);
    top = std::max(top, shares.back());
  }
  for (double& share : shares) sum += share = std::exp(share - top);
  double rest = random.Uniform() * sum;
  for (int k = 0; k < line.legal_count(); ++k) {
    if ((rest -= shares[k]) < 0) return line.legal(k);
  }
  return line.legal(line.legal_count() - 1);
}

// A game after random plies, as many as a draw among the plies of a random game says.
std::unique_ptr<AnyLine> StartSomewhere(const AnyGame& game, RandomStream& random) {
  while (true) {
    std::unique_ptr<AnyLine> line = game.NewLine(random);
    if (line->over()) continue;
    const std::uint32_t length = std::max(1u, line->RandomPlayout(random).plies);
    for (std::uint32_t plies = random.Below(length); plies > 0 && !line->over(); --plies) {
      line->Play(RandomAction(*line, random));
    }
    if (!line->over()) return line;
  }
}

}  // namespace

CalibrationRows PlayCalibrationRows(const AnyGame& game, Evaluator& evaluator) {
  const EvalShape shape = ShapeOf(game.info());
  QIRKAT_CHECK(evaluator.shape() == shape && evaluator.max_batch() >= kGames,
               evaluator.max_batch());
  const auto legal_bytes = static_cast<std::size_t>(game.info().legal_bytes);
  RandomStream random(0, 0, 0, StreamPurpose::kCalibration);
  std::vector<std::unique_ptr<AnyLine>> lines;
  for (int g = 0; g < kGames; ++g) lines.push_back(StartSomewhere(game, random));

  CalibrationRows rows;
  EvalBuffers buffers(shape, kGames);
  for (int ply = 0; ply < kPlies; ++ply) {
    for (int g = 0; g < kGames; ++g) {
      if (lines[g]->over()) lines[g] = StartSomewhere(game, random);
      lines[g]->Observe(buffers.Row(g));
      rows.legal.resize(rows.legal.size() + legal_bytes);
      lines[g]->LegalMask(rows.legal.data() + rows.legal.size() - legal_bytes);
    }
    rows.planes.insert(rows.planes.end(), buffers.planes.begin(), buffers.planes.end());
    rows.scalars.insert(rows.scalars.end(), buffers.scalars.begin(), buffers.scalars.end());
    rows.size += kGames;
    evaluator.Evaluate(buffers.Batch(kGames, false), buffers.Result(kGames));
    for (int g = 0; g < kGames; ++g) {
      lines[g]->Play(SampleAction(*lines[g], buffers.Logits(g), random));
    }
  }
  return rows;
}

CalibrationOutput EvaluateRows(Evaluator& evaluator, const CalibrationRows& rows) {
  const EvalShape& shape = evaluator.shape();
  const auto size = static_cast<std::size_t>(rows.size);
  CalibrationOutput output;
  output.policy_logits.resize(size * shape.policy_size);
  output.wdl.resize(size * 3);
  output.score.resize(size);
  output.moves_left.resize(size);
  const auto batch = static_cast<std::size_t>(std::min(evaluator.max_batch(), kBatch));
  for (std::size_t first = 0; first < size; first += batch) {
    const std::size_t count = std::min(batch, size - first);
    const auto part = [&](auto& values, std::size_t width) {
      return std::span(values).subspan(first * width, count * width);
    };
    evaluator.Evaluate({.size = static_cast<int>(count),
                        .planes = part(rows.planes, shape.plane_bytes),
                        .scalars = part(rows.scalars, shape.scalars),
                        .lines = {},
                        .seeds = {}},
                       {.policy_logits = part(output.policy_logits, shape.policy_size),
                        .wdl = part(output.wdl, 3),
                        .score = part(output.score, 1),
                        .moves_left = part(output.moves_left, 1)});
  }
  return output;
}

EvaluatorDifference Compare(const EvalShape& shape, const CalibrationRows& rows,
                            const CalibrationOutput& reference, const CalibrationOutput& other) {
  const std::size_t legal_bytes = (static_cast<std::size_t>(shape.policy_size) + 7) / 8;
  const auto actions = static_cast<std::size_t>(shape.policy_size);
  EvaluatorDifference difference;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows.size); ++row) {
    const auto logits = [&](const CalibrationOutput& output) {
      return std::span(output.policy_logits).subspan(row * actions, actions);
    };
    const auto value = [&](const CalibrationOutput& output) {
      return output.wdl[3 * row] - output.wdl[3 * row + 2];
    };
    const double kl = PolicyKl(logits(reference), logits(other),
                               std::span(rows.legal).subspan(row * legal_bytes, legal_bytes));
    const double error = std::abs(value(reference) - value(other));
    difference.policy_kl += kl / rows.size;
    difference.value_error += error / rows.size;
  }
  return difference;
}

double PolicyKl(std::span<const float> reference, std::span<const float> other,
                std::span<const std::uint8_t> legal) {
  double top = -std::numeric_limits<double>::infinity(), other_top = top;
  for (std::size_t a = 0; a < reference.size(); ++a) {
    if (!IsSet(legal, a)) continue;
    top = std::max<double>(top, reference[a]);
    other_top = std::max<double>(other_top, other[a]);
  }
  // KL = Σ p (ln p - ln q), with p and q in units of their largest share.
  double sum = 0, other_sum = 0, cross = 0;
  for (std::size_t a = 0; a < reference.size(); ++a) {
    if (!IsSet(legal, a)) continue;
    const double p = std::exp(reference[a] - top);
    sum += p;
    other_sum += std::exp(other[a] - other_top);
    cross += p * ((reference[a] - top) - (other[a] - other_top));
  }
  const double kl = cross / sum - std::log(sum) + std::log(other_sum);
  return kl < 0 ? 0 : kl;  // rounding; what is no number stays so
}

}  // namespace qirkat
