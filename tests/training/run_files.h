// What a training run leaves on disk, for comparing runs byte for byte.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/frontends/run_program.h"

namespace qirkat::test {

// Config, data, checkpoints and model; not the metrics, which hold times.
inline std::map<std::string, std::string> RunFiles(const std::filesystem::path& run) {
  std::map<std::string, std::string> files = Snapshot(run);
  std::erase_if(files, [](const auto& file) {
    return file.first.starts_with("events.") || file.first == "metrics.jsonl";
  });
  return files;
}

inline void ExpectSameRun(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto left = RunFiles(a), right = RunFiles(b);
  for (const auto& [name, bytes] : left) {
    ASSERT_TRUE(right.contains(name)) << name << " is missing";
    EXPECT_TRUE(right.at(name) == bytes) << name << " differs";
  }
  for (const auto& [name, bytes] : right) EXPECT_TRUE(left.contains(name)) << name;
}

}  // namespace qirkat::test
