// Progress of long work on standard error: one live line on a terminal, plain lines at a slower
// pace elsewhere.
#pragma once

#include <string>

#include "frontends/metrics/stopwatch.h"

namespace qirkat {

class LiveLine {
 public:
  // `what` is the work ("generation 3: self-play"), `unit` what is counted ("games").
  LiveLine(std::string what, std::string unit);
  ~LiveLine();  // ends the live line, if one is on the terminal
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // `done` of `total` (0: unknown); `more` is appended. Cheap: mostly only a look at the clock.
  void Update(double done, double total, const std::string& more = "");
  // Writes a plain line, above the live line.
  void Print(const std::string& line);

 private:
  std::string what_, unit_;
  bool terminal_;
  Stopwatch watch_;
  double next_ = 0;         // seconds of watch_ at which the line is due
  double first_done_ = -1;  // work that was done before the watch started (resume)
  bool live_ = false;       // a live line stands on the terminal
};

// "42 s", "3 min 20 s", "2 h 05 min"
std::string DurationText(double seconds);

}  // namespace qirkat
