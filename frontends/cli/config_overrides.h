// `--section.key VALUE` on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "training/config.h"

namespace qirkat::cli {

// Adds the positional CONFIG, required.
CLI::Option* AddConfigFile(CLI::App& app, std::string& path);

// The group of the options below.
inline constexpr const char* kOverrideGroup = "Options of the config";

// Adds every option of a config as --section.key; the help only says that they are there. What the
// user gives is appended to `overrides`, which must live until the command has run.
void AddConfigOverrides(CLI::App& app, ConfigOverrides& overrides);
// The same of the options of [search] for commands without a config, but for `visits`, which they
// have as an option of their own. The names in `overrides` are without section.
void AddSearchOverrides(CLI::App& app, OptionTexts& overrides);

}  // namespace qirkat::cli
