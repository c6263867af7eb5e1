// What `qirkat inspect` finds out, as JSON; the text form prints the same.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace qirkat::cli {

// Each throws UserError for what is missing, truncated, damaged or foreign.
nlohmann::ordered_json InspectModel(const std::filesystem::path& path);
nlohmann::ordered_json InspectRun(const std::filesystem::path& directory);
nlohmann::ordered_json InspectCheckpoint(const std::filesystem::path& directory);
nlohmann::ordered_json InspectShards(const std::filesystem::path& path);

// The lines of a run's metrics.jsonl, oldest first. A line that is being written now is left out.
std::vector<nlohmann::ordered_json> ReadMetrics(const std::filesystem::path& path);
// The learning curve of a run as a picture: its score against the fixed opponent by generation and
// its policy and value losses by training step, as far as its metrics have them.
std::string LearningCurveSvg(const std::filesystem::path& run);

}  // namespace qirkat::cli
