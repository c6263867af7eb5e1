#include "training/window_calibration.h"

#include <algorithm>
#include <cstdint>

#include "envs/core/error.h"

namespace qirkat {

CalibrationRows WindowCalibrationRows(const ReplayWindow& window, const GameInfo& info) {
  QIRKAT_CHECK(window.rows() > 0);
  CalibrationRows rows;
  rows.size = static_cast<int>(std::min<std::uint64_t>(kCalibrationRows, window.rows()));
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (int i = 0; i < rows.size; ++i) {
    const std::uint64_t index =
        window.rows() * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(rows.size);
    const WindowRow row = window.row(index);
    append(rows.planes, row.planes);
    append(rows.scalars, row.scalars);
    append(rows.legal, row.legal);
  }
  QIRKAT_CHECK(rows.planes.size() == static_cast<std::size_t>(rows.size * info.plane_bytes),
               rows.planes.size(), rows.size);
  return rows;
}

}  // namespace qirkat
