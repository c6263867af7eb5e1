// Model files as evaluators, with whatever network backends this program was built with.
#pragma once

#include <string>

#include "envs/core/any_line.h"
#include "models/backend_options.h"
#include "selfplay/match/player_spec.h"

namespace CLI {
class App;
}

namespace qirkat::cli {

// `--backend`, `--device`, `--precision`: of every net that a command loads.
void AddBackend(CLI::App& app, BackendOptions& options);

// A file that is loaded twice in the same way gives one shared factory. A net trained under other
// rule options is used, with a warning on standard error. `game` and `options` must outlive the
// loader: a load leaves in `options` what it used, without "auto".
LoadNet NetLoader(const AnyGame& game, BackendOptions& options);

}  // namespace qirkat::cli
