// How the result of an analysis is shown.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "envs/core/any_line.h"
#include "selfplay/analysis/analysis.h"

namespace qirkat::cli {

// `--batch` and `--cache-mib`.
struct BatchOptions {
  std::int64_t batch = 8;
  std::int64_t cache_mib = 64;

  AnalysisOptions Analysis() const { return {static_cast<int>(batch), cache_mib}; }
};
void AddBatchOptions(CLI::App& app, BatchOptions& options);

// "win 52.1 %, draw 3.0 %, loss 44.9 %, score +1.2, 52.3 plies left; proven win"
std::string ExpectationText(const AnalysisResult& result);
// The lines as a table. `root` is the analyzed position; values are for the player to move there.
std::string LinesText(const AnyLine& root, const AnalysisResult& result);
// visits, win, draw, loss, score, moves_left, proven and the lines of a result.
nlohmann::ordered_json ResultJson(const AnyLine& root, const AnalysisResult& result);

}  // namespace qirkat::cli
