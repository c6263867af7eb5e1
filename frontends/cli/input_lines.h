// What a person types.
#pragma once

#include <optional>
#include <string>

namespace qirkat::cli {

class InputLines {
 public:
  // The next line of the standard input, without its end; nullopt at the end of the input or when
  // an interrupt was caught (CatchInterrupts). Throws UserError if it cannot be read.
  std::optional<std::string> Next();

 private:
  std::string buffer_;  // read and not yet given out
  bool at_end_ = false;
};

}  // namespace qirkat::cli
