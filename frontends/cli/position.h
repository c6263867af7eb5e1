// Positions as commands take them: `--position`, `--after`, `--set`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/options.h"

namespace qirkat::cli {

struct PositionOptions {
  std::string game;
  OptionTexts rules;
  std::string position = "start";
  std::string after;
};

// Adds the positional GAME and the options; `options` must live until the command has run.
void AddPosition(CLI::App& app, PositionOptions& options);

// Plays action texts, separated by spaces; throws UserError "WHERE: ply N: …". Returns the actions.
std::vector<Action> PlayTexts(AnyLine& line, std::string_view texts, std::string_view where);

// The texts of actions that follow each other from `line` on.
std::vector<std::string> ActionTexts(const AnyLine& line, const std::vector<Action>& actions);

}  // namespace qirkat::cli
