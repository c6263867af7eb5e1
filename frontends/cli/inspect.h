// What `qirkat inspect` finds out, as JSON; the text form prints the same.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace qirkat::cli {

// Each throws UserError for what is missing, truncated, damaged or foreign.
nlohmann::ordered_json InspectModel(const std::filesystem::path& path);
nlohmann::ordered_json InspectRun(const std::filesystem::path& directory);
nlohmann::ordered_json InspectCheckpoint(const std::filesystem::path& directory);
nlohmann::ordered_json InspectShards(const std::filesystem::path& path);

}  // namespace qirkat::cli
