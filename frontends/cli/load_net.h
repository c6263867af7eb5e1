// Model files as evaluators, with whatever network backend this program was built with.
#pragma once

#include <string>

#include "selfplay/match/player_spec.h"

namespace qirkat::cli {

// Empty if no backend was built. A file that is loaded twice gives one shared factory. A net
// trained under other rule options is used, with a warning on standard error. `device` and
// `precision` must outlive the loader: its first load replaces "auto" in them by what it means on
// this machine.
LoadNet NetLoader(std::string& device, std::string& precision);

}  // namespace qirkat::cli
