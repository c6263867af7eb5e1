// Text that is written over on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace qirkat {

// `line` cut to the width of the terminal behind this file descriptor, if one is there: a line that
// wraps could not be written over.
std::string FitTerminal(std::string line, int descriptor);

// Lines on the standard output, a terminal, that are drawn again in their place.
class LiveBlock {
 public:
  // `text`: whole lines, each with its newline; shown as far as the terminal is wide and high. An
  // empty text takes the block away.
  void Draw(std::string_view text);

 private:
  int lines_ = 0;  // that stand there
};

}  // namespace qirkat
