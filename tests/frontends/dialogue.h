// A program that asks and is answered, line by line.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/frontends/run_program.h"

namespace qirkat::test {

class Dialogue {
 public:
  explicit Dialogue(const Arguments& arguments);
  ~Dialogue();  // kills the program if it still runs
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  // Everything that the program writes until it asks ("> " at the end) or ends.
  std::string Read();
  // Writes a line and reads what comes back.
  std::string Say(const std::string& line);
  void Signal(int signal) const;
  // Ends its input; returns its exit code.
  int Finish();

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace qirkat::test
