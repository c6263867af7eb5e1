// What a run folder, a checkpoint and shards hold. Only reads: a run may be going on there.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "frontends/cli/inspect.h"
#include "frontends/cli/support.h"
#include "models/tensor_file.h"
#include "selfplay/data/shard.h"
#include "training/config.h"

namespace qirkat::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string ReadText(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = ReadFileBytes(path);
  return std::string(bytes.begin(), bytes.end());
}

Json ParseObject(const std::string& text, const fs::path& path) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw UserError(StrCat(path.string(), ": damaged: no JSON object"));
  return json;
}

std::uint64_t BytesBelow(const fs::path& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// Finished checkpoints have numbers as names.
std::vector<std::string> CheckpointNames(const fs::path& directory) {
  std::vector<std::string> names;
  if (!fs::exists(directory)) return names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (ParseNumber<std::uint64_t>(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// What the config says that is not the default: "search.visits = 200".
std::vector<std::string> ChangedOptions(const RunConfig& config) {
  std::vector<std::string> changed;
  for (const OptionInfo& option : DescribeConfig(config)) {
    if (option.name == "game.name" || option.value == option.default_value) continue;
    changed.push_back(StrCat(option.name, " = ", option.value));
  }
  return changed;
}

// The newest value of every metric.
Json NewestMetrics(const fs::path& path) {
  Json newest = Json::object();
  for (const Json& line : ReadMetrics(path)) newest.update(line);
  return newest;
}

bool HasShards(const fs::path& directory) {
  const fs::recursive_directory_iterator files(directory);
  return std::any_of(begin(files), end(files), [](const auto& entry) {
    return entry.path().extension() == ".h5" || entry.path().extension() == ".journal";
  });
}

Json SumShards(const std::vector<fs::path>& shards) {
  std::uint64_t games = 0, positions = 0, bytes = 0, sealed = 0;
  ShardHeader header;
  for (const fs::path& shard : shards) {
    ShardSummary summary = ReadShardSummary(shard);
    games += summary.games;
    positions += summary.positions;
    bytes += summary.file_bytes;
    sealed += summary.sealed;
    header = std::move(summary.header);
  }
  return {{"game", header.game},     {"game_version", header.game_version},
          {"shards", shards.size()}, {"sealed", sealed},
          {"games", games},          {"positions", positions},
          {"bytes", bytes}};
}

}  // namespace

std::vector<Json> ReadMetrics(const fs::path& path) {
  std::vector<Json> lines;
  const std::string text = ReadText(path);
  const std::string whole = text.substr(0, text.rfind('\n') + 1);
  for (const std::string_view line : Split(whole, '\n')) {
    if (!line.empty()) lines.push_back(ParseObject(std::string(line), path));
  }
  return lines;
}

Json InspectShards(const fs::path& path) {
  Json json = {{"kind", "shards"}, {"path", path.string()}};
  json.update(SumShards(FindShards(path)));
  json["more"] = "qirkat data info " + path.string();
  return json;
}

Json InspectCheckpoint(const fs::path& directory) {
  const fs::path state = directory / "state.json";
  return {{"kind", "checkpoint"},
          {"path", directory.string()},
          {"bytes", BytesBelow(directory)},
          {"state", ParseObject(ReadText(state), state)},
          {"model", InspectModel(directory / "model.qkt")}};
}

Json InspectRun(const fs::path& directory) {
  const RunConfig config = ReadConfig(directory / "config.toml");
  const std::vector<std::string> checkpoints = CheckpointNames(directory / "checkpoints");
  Json json = {{"kind", "run"},
               {"path", directory.string()},
               {"bytes", BytesBelow(directory)},
               {"game", config.game},
               {"changed_options", ChangedOptions(config)}};
  // What `qirkat selfplay` wrote has no checkpoints.
  if (fs::exists(directory / "checkpoints")) {
    json["generations"] = config.run.generations;
    json["checkpoints"] = checkpoints;
  }
  if (!checkpoints.empty()) {
    const fs::path state = directory / "checkpoints" / checkpoints.back() / "state.json";
    json["newest_checkpoint"] = ParseObject(ReadText(state), state);
  }
  if (HasShards(directory)) json["data"] = SumShards(FindShards(directory));
  if (fs::exists(directory / "model.qkt")) json["model"] = InspectModel(directory / "model.qkt");
  const fs::path metrics = directory / "metrics.jsonl";
  if (fs::exists(metrics)) json["newest_metrics"] = NewestMetrics(metrics);
  return json;
}

}  // namespace qirkat::cli
