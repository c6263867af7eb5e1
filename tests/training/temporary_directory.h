// A directory that lives as long as the object, and bytes of files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace qirkat::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "qirkat-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::filesystem::filesystem_error(name, {});
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string FileText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  ASSERT_TRUE(out.flush()) << path;
}

// What a run made, by path below it: data, checkpoints and model. Not the metrics, which hold
// times.
inline std::map<std::string, std::string> RunFiles(const std::filesystem::path& run) {
  std::map<std::string, std::string> files;
  for (const char* part : {"config.toml", "model.qkt"}) files[part] = FileText(run / part);
  for (const char* part : {"data", "checkpoints"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run / part)) {
      if (!entry.is_regular_file()) continue;
      files[std::filesystem::relative(entry.path(), run).string()] = FileText(entry.path());
    }
  }
  return files;
}

// The same files with the same bytes.
inline void ExpectSameRun(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto left = RunFiles(a), right = RunFiles(b);
  for (const auto& [name, bytes] : left) {
    ASSERT_TRUE(right.contains(name)) << name << " is missing";
    EXPECT_TRUE(right.at(name) == bytes) << name << " differs";
  }
  for (const auto& [name, bytes] : right)
    EXPECT_TRUE(left.contains(name)) << name << " is too many";
}

}  // namespace qirkat::testing
