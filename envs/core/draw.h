// A board as text for a terminal: one drawing for all games.
#pragma once

#include <optional>
#include <string>

#include "envs/core/any_line.h"

namespace qirkat {

// Who is to move ("player 0 (black, X) to move"; the name only where the game gives one), or the
// result as ResultText writes it.
std::string StatusText(const AnyLine& line);

// The board with ranks at the side and files beside rank 1, "." for an empty square; then the
// status. Every line ends with a newline. With a `viewer` it shows only what he may know.
std::string DrawBoard(const AnyLine& line, std::optional<Player> viewer = {});

}  // namespace qirkat
