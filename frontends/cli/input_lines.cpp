#include "frontends/cli/input_lines.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {

namespace {

constexpr std::size_t kLongest = 1 << 16;

}  // namespace

// Not std::getline, which goes on waiting after an interrupt.
std::optional<std::string> InputLines::Next() {
  while (true) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos || (at_end_ && !buffer_.empty())) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end == std::string::npos ? end : end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (at_end_ || Interrupted()) return std::nullopt;
    std::array<char, 4096> bytes;
    const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      throw UserError(StrCat("the standard input cannot be read: ", std::strerror(errno)));
    }
    if (buffer_.size() > kLongest) {
      throw UserError(StrCat("a line of the standard input is longer than ", kLongest, " bytes"));
    }
    if (count > 0) buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    at_end_ = count == 0;
  }
}

}  // namespace qirkat::cli
