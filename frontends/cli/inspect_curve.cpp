// The learning curve of a run, from its config and metrics.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/inspect.h"
#include "frontends/pictures/svg_chart.h"
#include "training/config.h"

namespace qirkat::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Lines hold what was measured at their moment, so most lack most metrics.
std::optional<double> Number(const Json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

ChartSeries Curve(const std::vector<Json>& lines, const char* x, const char* metric) {
  ChartSeries series;
  for (const Json& line : lines) {
    const auto at = Number(line, x), value = Number(line, metric);
    if (at && value) series.points.push_back({*at, *value});
  }
  return series;
}

Chart ScoreChart(const RunConfig& config, const std::vector<Json>& lines) {
  ChartSeries score = Curve(lines, "generation", "rating/score_share");
  score.name = "score";
  for (const Json& line : lines) {
    const auto at = Number(line, "generation");
    const auto low = Number(line, "rating/score_low_share");
    const auto high = Number(line, "rating/score_high_share");
    if (at && low && high) score.band.push_back({*at, *low, *high});
  }
  if (!score.band.empty()) score.name += " with its 95 % interval";
  Chart chart = {.title = StrCat(config.game, ": the net against ", config.rating.opponent),
                 .x_label = "generation",
                 .y_label = "score (win 1, draw ½)",
                 .y_range = {{0, 1}}};
  if (!score.points.empty()) chart.series = {std::move(score)};
  return chart;
}

Chart LossChart(const RunConfig& config, const std::vector<Json>& lines, const char* name,
                const char* metric) {
  Chart chart = {.title = StrCat(config.game, ": ", name),
                 .x_label = "training steps",
                 .y_label = "cross-entropy (nats)"};
  ChartSeries losses = Curve(lines, "step", metric);
  if (!losses.points.empty()) chart.series = {std::move(losses)};
  return chart;
}

}  // namespace

std::string LearningCurveSvg(const fs::path& run) {
  const RunConfig config = ReadConfig(run / "config.toml");
  const fs::path path = run / "metrics.jsonl";
  const std::vector<Json> lines = ReadMetrics(path);
  std::vector<std::vector<Chart>> rows = {
      {ScoreChart(config, lines)},
      {LossChart(config, lines, "policy loss", "learner/policy_loss_nats"),
       LossChart(config, lines, "value loss", "learner/value_loss_nats")}};
  for (std::vector<Chart>& row : rows) {
    std::erase_if(row, [](const Chart& chart) { return chart.series.empty(); });
  }
  std::erase_if(rows, [](const std::vector<Chart>& row) { return row.empty(); });
  if (rows.empty()) {
    throw UserError(StrCat(path.string(),
                           ": no learning curve yet; accepted: a run that has trained (`qirkat "
                           "train`)"));
  }
  return ChartsSvg(rows);
}

}  // namespace qirkat::cli
