// The files of tests/data.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace qirkat {

// The option `setup` of trace_stratego.txt.
inline constexpr std::string_view kTraceSetups =
    "694959193757S69482598B6739B649BFB8578B8B,73919594969528496S75946B9376B8B8B8758BFB";

inline std::vector<std::string> LinesOf(const std::string& name) {
  std::ifstream file(std::string(QIRKAT_TEST_DATA) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace qirkat
