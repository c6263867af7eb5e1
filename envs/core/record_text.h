// A recorded game as a line of text: "[start position TAB] actions separated by spaces".
#pragma once

#include <string_view>
#include <vector>

namespace qirkat {

// Parts of the line, which must outlive it; rules judge them.
struct RecordText {
  std::string_view start = "start";  // as AnyGame::NewLineAt takes it
  std::vector<std::string_view> actions;
};

RecordText SplitRecord(std::string_view line);

}  // namespace qirkat
