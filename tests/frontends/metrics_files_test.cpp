// metrics.jsonl and the TensorBoard event file, read back by a reader of its own.
#include "frontends/metrics/metrics_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "envs/core/error.h"
#include "frontends/metrics/event_file.h"
#include "frontends/metrics/live_line.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using nlohmann::json;

// CRC32C bit by bit.
std::uint32_t SlowCrc(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) * 0x82F63B78u);
  }
  return ~crc;
}

template <class Number>
Number Take(std::string& bytes) {
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.erase(0, sizeof number);
  return number;
}

void ExpectCrc(std::uint32_t masked, const std::string& bytes) {
  const std::uint32_t rotated = masked - 0xA282EAD8u;
  EXPECT_EQ((rotated >> 17) | (rotated << 15), SlowCrc(bytes));
}

// The records of a TFRecord file.
std::vector<std::string> ReadRecords(std::string file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    const std::string length_bytes = file.substr(0, 8);
    const auto length = Take<std::uint64_t>(file);
    ExpectCrc(Take<std::uint32_t>(file), length_bytes);
    records.push_back(file.substr(0, length));
    file.erase(0, length);
    ExpectCrc(Take<std::uint32_t>(file), records.back());
  }
  return records;
}

std::uint64_t TakeVarint(std::string& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = Take<std::uint8_t>(bytes);
    value |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
}

struct ReadEvent {
  double wall_time = 0;
  std::uint64_t step = 0;
  std::string version;
  std::vector<std::pair<std::string, float>> values;
};

std::string TakeText(std::string& bytes) {
  const auto length = TakeVarint(bytes);
  const std::string text = bytes.substr(0, length);
  bytes.erase(0, length);
  return text;
}

// Protobuf by hand: key = field * 8 + wire type (0 varint, 1 eight bytes, 2 length, 5 four bytes).
ReadEvent ParseEvent(std::string bytes) {
  ReadEvent event;
  while (!bytes.empty()) {
    const auto key = TakeVarint(bytes);
    if (key == 1 * 8 + 1) {
      event.wall_time = Take<double>(bytes);
    } else if (key == 2 * 8 + 0) {
      event.step = TakeVarint(bytes);
    } else if (key == 3 * 8 + 2) {
      event.version = TakeText(bytes);
    } else if (key == 5 * 8 + 2) {
      std::string summary = TakeText(bytes);
      while (!summary.empty()) {
        EXPECT_EQ(TakeVarint(summary), 1u * 8 + 2);
        std::string value = TakeText(summary);
        EXPECT_EQ(TakeVarint(value), 1u * 8 + 2);
        const std::string tag = TakeText(value);
        EXPECT_EQ(TakeVarint(value), 2u * 8 + 5);
        event.values.emplace_back(tag, Take<float>(value));
        EXPECT_EQ(value, "");
      }
    } else {
      ADD_FAILURE() << "unexpected field key " << key;
      break;
    }
  }
  return event;
}

std::vector<ReadEvent> ReadEvents(const std::filesystem::path& folder) {
  std::vector<ReadEvent> events;
  for (const auto& [path, bytes] : Snapshot(folder)) {
    if (path.find("events.out.tfevents.") == std::string::npos) continue;
    const auto records = ReadRecords(bytes);
    EXPECT_EQ(ParseEvent(records.at(0)).version, "brain.Event:2");
    for (std::size_t i = 1; i < records.size(); ++i) events.push_back(ParseEvent(records[i]));
  }
  return events;
}

std::vector<json> ReadLines(const std::filesystem::path& folder) {
  std::ifstream file(folder / "metrics.jsonl");
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

RunMetrics At(std::uint64_t generation, std::uint64_t step) {
  return {.step = step,
          .generation = generation,
          .values = {{"learner/policy_loss_nats", 1.5 + static_cast<double>(step)},
                     {"learner/samples_per_s", 1e6}}};
}

TEST(MetricsFiles, CrcOfTheStandard) { EXPECT_EQ(SlowCrc("123456789"), 0xE3069283u); }

TEST(MetricsFiles, BothFilesHoldEveryNumber) {
  const TemporaryFolder folder;
  MetricsFiles files(folder.path());
  files.Write(At(0, 300));
  files.Write(At(1, 1000000));
  const auto lines = ReadLines(folder.path());
  const auto events = ReadEvents(folder.path());
  ASSERT_EQ(lines.size(), 2u);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(lines[1]["generation"], 1);
  EXPECT_EQ(lines[1]["step"], 1000000);
  EXPECT_EQ(lines[1]["learner/policy_loss_nats"], 1000001.5);
  EXPECT_EQ(events[0].step, 300u);
  EXPECT_EQ(events[1].step, 1000000u);
  EXPECT_GT(events[1].wall_time, 1.7e9);
  EXPECT_EQ(events[0].values,
            (std::vector<std::pair<std::string, float>>{{"learner/policy_loss_nats", 301.5f},
                                                        {"learner/samples_per_s", 1e6f}}));
}

TEST(MetricsFiles, ResumeWritesNoMomentTwiceAndCutsATornLine) {
  const TemporaryFolder folder;
  {
    MetricsFiles files(folder.path());
    files.Write(At(0, 100));
    files.Write(At(1, 100));
  }
  std::ofstream(folder.path() / "metrics.jsonl", std::ios::app) << "{\"generation\":1,\"st";
  MetricsFiles files(folder.path());
  files.Write(At(0, 100));
  files.Write(At(1, 100));
  files.Write(At(1, 200));
  const auto lines = ReadLines(folder.path());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2]["step"], 200);
  const auto events = ReadEvents(folder.path());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].step, 200u);
}

TEST(MetricsFiles, ResumeWritesWhatTheNewestMomentLacks) {
  const TemporaryFolder folder;
  RunMetrics rating = At(1, 100);
  rating.values = {{"rating/score_share", 0.5}};
  { MetricsFiles(folder.path()).Write(At(1, 100)); }
  {
    MetricsFiles files(folder.path());
    files.Write(At(1, 100));
    files.Write(rating);
  }
  MetricsFiles files(folder.path());
  files.Write(At(1, 100));
  files.Write(rating);
  const auto lines = ReadLines(folder.path());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["rating/score_share"], 0.5);
}

TEST(MetricsFiles, OnlyATornLine) {
  const TemporaryFolder folder;
  folder.Write("metrics.jsonl", "{\"gen");
  MetricsFiles files(folder.path());
  files.Write(At(0, 100));
  EXPECT_EQ(ReadLines(folder.path()).size(), 1u);
}

TEST(MetricsFiles, ForeignFileIsRefusedAndKept) {
  for (const std::string text : {"hello\n", "{\"step\":1}\n", "[1]\n", "\n"}) {
    const TemporaryFolder folder;
    folder.Write("metrics.jsonl", text);
    EXPECT_THROW(MetricsFiles files(folder.path()), UserError) << text;
    EXPECT_EQ(ReadFile(folder.path() / "metrics.jsonl"), text);
  }
}

TEST(MetricsFiles, FolderThatIsNotThere) {
  EXPECT_THROW(MetricsFiles files("/nonexistent/run"), UserError);
}

// A limit on the size of files fails a write as a full disk does.
TEST(MetricsFiles, FullDisk) {
  const TemporaryFolder folder;
  MetricsFiles files(folder.path());
  files.Write(At(0, 1));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit = {10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::string message;
  try {
    files.Write(At(0, 2));
  } catch (const UserError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(message, ::testing::HasSubstr("metrics.jsonl: File too large"));
  EXPECT_EQ(ReadLines(folder.path()).size(), 1u);
}

TEST(LiveLine, Durations) {
  EXPECT_EQ(DurationText(0.4), "0 s");
  EXPECT_EQ(DurationText(61), "1 min 01 s");
  EXPECT_EQ(DurationText(2 * 3600 + 5 * 60), "2 h 05 min");
}

}  // namespace
}  // namespace qirkat::test
