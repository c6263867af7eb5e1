#include "selfplay/search/phase_clock.h"

namespace qirkat {

PhaseTimes& PhaseTimes::operator+=(const PhaseTimes& other) {
  for (std::size_t p = 0; p < kPhaseNames.size(); ++p) {
    plain[p] += other.plain[p];
    detailed[p] += other.detailed[p];
  }
  return *this;
}

PhaseTimes& PhaseTimes::operator-=(const PhaseTimes& other) {
  for (std::size_t p = 0; p < kPhaseNames.size(); ++p) {
    plain[p] -= other.plain[p];
    detailed[p] -= other.detailed[p];
  }
  return *this;
}

PhaseSeconds PhaseTimes::SharedOut() const {
  constexpr auto kSelect = static_cast<std::size_t>(Phase::kSelect);
  constexpr auto kWrite = static_cast<std::size_t>(Phase::kWrite);
  // What moves cost is booked apart in every turn.
  double turns = 0;
  for (std::size_t p = 0; p < kPhaseNames.size(); ++p) {
    if (p != kWrite) turns += detailed[p];
  }
  PhaseSeconds sum;
  for (std::size_t p = 0; p < kPhaseNames.size(); ++p) {
    sum[p] = detailed[p];
    if (p != kSelect || turns == 0) sum[p] += plain[p];
    if (p != kWrite && turns > 0) sum[p] += plain[kSelect] * (detailed[p] / turns);
  }
  return sum;
}

}  // namespace qirkat
