#include "frontends/metrics/metrics_files.h"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "frontends/metrics/event_file.h"
#include "frontends/metrics/stopwatch.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// "rating" of "rating/games": what is reported together.
std::string Group(std::string_view name) { return std::string(name.substr(0, name.find('/'))); }

// Each moment goes to the disk's cache at once, so that a killed run leaves what it reported.
void Append(std::ofstream& file, const fs::path& path, const std::string& bytes) {
  errno = 0;
  file << bytes << std::flush;
  if (!file) throw UserError(StrCat("cannot write ", path.string(), ": ", std::strerror(errno)));
}

std::ofstream OpenForAppending(const fs::path& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  if (!file) throw UserError(StrCat("cannot write ", path.string(), ": ", std::strerror(errno)));
  return file;
}

// A name that TensorBoard knows and that sorts after those of earlier calls.
fs::path NewEventPath(const fs::path& directory) {
  auto second = static_cast<std::uint64_t>(UnixSeconds());
  const auto path = [&] { return directory / StrCat("events.out.tfevents.", second, ".qirkat"); };
  while (fs::exists(path())) ++second;
  return path();
}

}  // namespace

MetricsFiles::MetricsFiles(const fs::path& directory)
    : lines_path_(directory / "metrics.jsonl"), events_path_(NewEventPath(directory)) {
  if (fs::exists(lines_path_)) {
    const std::vector<std::uint8_t> bytes = ReadFileBytes(lines_path_);
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    text = text.substr(0, text.rfind('\n') + 1);
    if (text.size() < bytes.size()) fs::resize_file(lines_path_, text.size());
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!json.is_object() || !json.value("generation", Json()).is_number_unsigned() ||
          !json.value("step", Json()).is_number_unsigned()) {
        throw UserError(StrCat(lines_path_.string(),
                               ": a line is no object with generation and step; move the file away "
                               "to start a new one"));
      }
      const Moment moment = {json["generation"], json["step"]};
      if (moment != last_) last_groups_.clear();
      last_ = moment;
      for (const auto& [name, value] : json.items()) last_groups_.insert(Group(name));
    }
  }
  lines_ = OpenForAppending(lines_path_);
  events_ = OpenForAppending(events_path_);
  Append(events_, events_path_, EventFileHeader(UnixSeconds()));
}

void MetricsFiles::Write(const RunMetrics& metrics) {
  const Moment moment(metrics.generation, metrics.step);
  if (last_ && (moment < *last_ || (moment == *last_ && !metrics.values.empty() &&
                                    last_groups_.contains(Group(metrics.values[0].first))))) {
    return;
  }
  const double now = UnixSeconds();
  Json json;
  json["generation"] = metrics.generation;
  json["step"] = metrics.step;
  json["unix_time_s"] = now;
  for (const auto& [name, value] : metrics.values) json[name] = value;
  Append(lines_, lines_path_, json.dump() + '\n');
  Append(events_, events_path_, ScalarsEvent(now, metrics.step, metrics.values));
}

}  // namespace qirkat
