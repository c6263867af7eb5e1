// Positions to solve, from a text or an .obf file: a position a line, behind it what its moves are
// worth: "POSITION; G8:+18; H1:-2;".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "envs/core/any_line.h"

namespace qirkat::cli {

struct MoveScore {
  std::string move;  // as the game writes it
  int score = 0;     // for the side that makes it
};

struct EndgameTask {
  std::string where;  // "--position", "FILE:LINE"
  std::unique_ptr<AnyLine> line;
  std::vector<MoveScore> expected;
};

struct EndgameSource {
  std::optional<std::string> position;  // --position
  std::optional<std::string> file;      // --file; "-" is the standard input
};

// Blank lines are skipped. What stands behind the position is looked at only `with_expectations`.
// Throws UserError, with file and line, if anything is wrong or there is nothing to solve.
std::vector<EndgameTask> ReadEndgameTasks(const AnyGame& game, const EndgameSource& source,
                                          bool with_expectations);

}  // namespace qirkat::cli
