// A board of any game as an SVG picture.
#pragma once

#include <string>
#include <string_view>

#include "envs/core/any_line.h"

namespace qirkat {

// The position with coordinates and its status below. Pieces are discs where the game names a dark
// and a light one, else their square texts. The squares of `last_action` are tinted (an action text
// of this game; "" for none), and where the legal actions lead is dotted: to the last square that
// an action's text names, as `d3`, `c2xc4`; actions that name none (`pass`) leave no dot.
std::string BoardSvg(const AnyLine& line, std::string_view last_action = "");

}  // namespace qirkat
