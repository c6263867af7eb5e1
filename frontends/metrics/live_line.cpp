#include "frontends/metrics/live_line.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <utility>

#include "envs/core/text.h"
#include "frontends/metrics/terminal.h"

namespace qirkat {
namespace {

constexpr double kTerminalPace = 0.2;  // seconds between lines
constexpr double kPlainPace = 10;

std::string Rounded(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, std::abs(value) < 10 ? "%.2f" : "%.0f", value);
  return buffer;
}

}  // namespace

LiveLine::LiveLine(std::string what, std::string unit)
    : what_(std::move(what)), unit_(std::move(unit)), terminal_(isatty(STDERR_FILENO) == 1) {}

LiveLine::~LiveLine() {
  if (live_) std::cerr << '\n' << std::flush;
}

void LiveLine::Update(double done, double total, const std::string& more) {
  const double seconds = watch_.Seconds();
  if (first_done_ < 0) first_done_ = done;
  const bool finished = total > 0 && done >= total;
  if (seconds < next_ && !finished) return;
  next_ = seconds + (terminal_ ? kTerminalPace : kPlainPace);

  std::string line = StrCat(what_, ": ", static_cast<std::uint64_t>(done));
  if (total > 0) line += StrCat('/', static_cast<std::uint64_t>(total));
  line += ' ' + unit_;
  const double rate = seconds > 0 ? (done - first_done_) / seconds : 0;
  if (rate > 0) {
    line += StrCat(", ", Rounded(rate), ' ', unit_, "/s");
    if (total > 0) {
      line += finished ? StrCat(", ", DurationText(seconds))
                       : StrCat(", ", DurationText((total - done) / rate), " left");
    }
  }
  if (!more.empty()) line += ", " + more;
  if (terminal_) {
    std::cerr << '\r' << FitTerminal(line, STDERR_FILENO) << "\x1b[K" << std::flush;
    live_ = true;
  } else {
    std::cerr << line << '\n' << std::flush;
  }
}

void LiveLine::Print(const std::string& line) {
  if (live_) std::cerr << "\r\x1b[K";
  live_ = false;
  std::cerr << line << '\n' << std::flush;
}

std::string DurationText(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  const auto two = [](std::int64_t n) { return StrCat(n < 10 ? "0" : "", n); };
  if (whole < 60) return StrCat(whole, " s");
  if (whole < 3600) return StrCat(whole / 60, " min ", two(whole % 60), " s");
  return StrCat(whole / 3600, " h ", two(whole % 3600 / 60), " min");
}

}  // namespace qirkat
