#include "selfplay/search/phase_clock.h"

namespace qirkat {

PhaseSeconds PhaseClock::Seconds() const {
  constexpr auto kSelect = static_cast<std::size_t>(Phase::kSelect);
  constexpr auto kWrite = static_cast<std::size_t>(Phase::kWrite);
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  // What moves cost is booked apart in every turn.
  double detailed = 0;
  for (std::size_t p = 0; p < kPhaseNames.size(); ++p) {
    if (p != kWrite) detailed += seconds(detailed_times_[p]);
  }
  PhaseSeconds sum;
  for (std::size_t p = 0; p < kPhaseNames.size(); ++p) {
    sum[p] = seconds(detailed_times_[p]);
    if (p != kSelect || detailed == 0) sum[p] += seconds(plain_times_[p]);
    if (p != kWrite && detailed > 0) {
      sum[p] += seconds(plain_times_[kSelect]) * (seconds(detailed_times_[p]) / detailed);
    }
  }
  return sum;
}

}  // namespace qirkat
