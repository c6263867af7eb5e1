// A run's metrics on disk: metrics.jsonl (one object a line) and a TensorBoard event file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "training/run.h"

namespace qirkat {

// Appends to DIRECTORY/metrics.jsonl and opens a new event file beside it. A line that a killed
// process left unfinished is cut off. A resumed run reports again what it computes again, to the
// same numbers: what is in metrics.jsonl already of a moment (generation, step) is not written
// twice. Throws UserError naming the file if it cannot be written or metrics.jsonl is something
// else.
class MetricsFiles {
 public:
  explicit MetricsFiles(const std::filesystem::path& directory);
  // Moments must come in rising order of (generation, step).
  void Write(const RunMetrics& metrics);

 private:
  using Moment = std::pair<std::uint64_t, std::uint64_t>;  // generation, step

  std::filesystem::path lines_path_, events_path_;
  std::ofstream lines_, events_;
  // Newest in metrics.jsonl when it was opened, and what stands there of it ("selfplay", "rating").
  std::optional<Moment> last_;
  std::set<std::string> last_groups_;
};

}  // namespace qirkat
