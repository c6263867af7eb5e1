// `--section.key VALUE` after CONFIG.
#pragma once

#include <CLI/CLI.hpp>

#include "training/config.h"

namespace qirkat::cli {

// Adds the positional CONFIG, required.
CLI::Option* AddConfigFile(CLI::App& app, std::string& path);

// Adds every option of a config as --section.key, hidden in the help but known to suggestions; what
// the user gives is appended to `overrides`, which must live until the command has run.
void AddConfigOverrides(CLI::App& app, ConfigOverrides& overrides);

}  // namespace qirkat::cli
