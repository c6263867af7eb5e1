// A run's metrics on disk: metrics.jsonl (one object a line) and a TensorBoard event file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

#include "training/run.h"

namespace qirkat {

// Appends to DIRECTORY/metrics.jsonl and opens a new event file beside it. A line that a killed
// process left unfinished is cut off. A resumed run reports again what it computes again, to the
// same numbers: moments (generation, step) that are in metrics.jsonl already are not written twice.
// Throws UserError naming the file if it cannot be written or metrics.jsonl is something else.
class MetricsFiles {
 public:
  explicit MetricsFiles(const std::filesystem::path& directory);
  // Moments must come in rising order of (generation, step).
  void Write(const RunMetrics& metrics);

 private:
  using Moment = std::pair<std::uint64_t, std::uint64_t>;  // generation, step

  std::filesystem::path lines_path_, events_path_;
  std::ofstream lines_, events_;
  bool has_last_ = false;
  Moment last_;  // newest in metrics.jsonl when it was opened
};

}  // namespace qirkat
