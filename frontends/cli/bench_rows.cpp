#include "frontends/cli/bench_rows.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "envs/core/random.h"
#include "envs/core/text.h"
#include "models/backends/backends.h"
#include "models/net_weights.h"

namespace qirkat::cli {

NamedModel RandomNet(const AnyGame& game, const NetOptions& net, const BackendOptions& backend) {
  auto factory =
      MakeNetEvaluator(InitialModel(MakeNetSpec(game.info(), net), 1), backend,
                       [&](Evaluator& evaluator) { return PlayCalibrationRows(game, evaluator); });
  return {StrCat("random net ", net.blocks, " x ", net.channels), std::move(factory)};
}

double Median(std::vector<double>& values) {
  std::ranges::sort(values);
  const std::size_t size = values.size();
  return (values[(size - 1) / 2] + values[size / 2]) / 2;
}

RandomRows::RandomRows(const AnyGame& game, int count) : buffers(ShapeOf(game.info()), count) {
  RandomStream random(1);
  while (static_cast<int>(lines_.size()) < count) {
    auto line = game.NewLine(random);
    for (std::uint32_t plies = random.Below(40); plies > 0 && !line->over(); --plies) {
      line->Play(line->legal(
          static_cast<int>(random.Below(static_cast<std::uint32_t>(line->legal_count())))));
    }
    if (line->over()) continue;
    const auto row = lines_.size();
    line->Observe(buffers.Row(static_cast<int>(row)));
    buffers.seeds[row] = random.Next();
    buffers.lines[row] = line.get();
    lines_.push_back(std::move(line));
  }
}

double RowsPerSecond(Evaluator& evaluator, RandomRows& rows, int batch, double seconds) {
  using Clock = std::chrono::steady_clock;
  const EvalBatch input = rows.buffers.Batch(batch, evaluator.needs_lines());
  const EvalResult result = rows.buffers.Result(batch);
  // Warm-up: kernels are compiled, memory is touched.
  for (int i = 0; i < 3; ++i) evaluator.Evaluate(input, result);
  std::int64_t count = 0;
  double elapsed = 0;
  const auto start = Clock::now();
  while (elapsed < seconds) {
    evaluator.Evaluate(input, result);
    count += batch;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return static_cast<double>(count) / elapsed;
}

}  // namespace qirkat::cli
