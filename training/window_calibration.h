// Positions of a run's own games, for backends that calibrate a network.
#pragma once

#include "envs/core/game_info.h"
#include "models/calibration.h"
#include "training/replay_window.h"

namespace qirkat {

// At most kCalibrationRows rows, equally spaced over the window, which has one row at least.
CalibrationRows WindowCalibrationRows(const ReplayWindow& window, const GameInfo& info);

}  // namespace qirkat
