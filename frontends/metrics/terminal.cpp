#include "frontends/metrics/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <limits>

#include "envs/core/text.h"

namespace qirkat {
namespace {

// Zeros where there is no terminal, or one that does not say.
winsize SizeOf(int descriptor) {
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

}  // namespace

std::string FitTerminal(std::string line, int descriptor) {
  const winsize size = SizeOf(descriptor);
  if (size.ws_col == 0) return line;
  std::size_t width = size.ws_col - 1u;
  if (line.size() <= width) return line;
  while (width > 0 && (line[width] & 0xC0) == 0x80) --width;  // not inside a character
  return line.substr(0, width);
}

void LiveBlock::Draw(std::string_view text) {
  const winsize size = SizeOf(STDOUT_FILENO);
  const int height = size.ws_row > 0 ? size.ws_row - 1 : std::numeric_limits<int>::max();
  std::string drawn;
  if (lines_ > 0) drawn += StrCat("\x1b[", lines_, 'A');  // up to the first line
  for (lines_ = 0; !text.empty() && lines_ < height; ++lines_) {
    const std::size_t end = text.find('\n');
    drawn += FitTerminal(std::string(text.substr(0, end)), STDOUT_FILENO) + "\x1b[K\n";
    text.remove_prefix(end + 1);
  }
  std::cout << drawn << "\x1b[J" << std::flush;  // and nothing of a longer block below
}

}  // namespace qirkat
