// What `qirkat solve` was asked and what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/options.h"
#include "frontends/cli/endgame_file.h"

namespace qirkat::cli {

struct SolveOptions {
  std::string game;
  EndgameSource source;
  OptionTexts rules;
  bool all = false;
  bool check = false;
  std::int64_t hash_mib = 64;
  bool json = false;
};

// Scores and results are those of the side to move.
struct Solved {
  const EndgameTask* task = nullptr;
  int empties = 0;
  int score = 0;
  int result = 0;
  std::vector<std::string> line;  // best play of both to the end
  std::vector<MoveScore> moves;   // with --all, the best first
  std::uint64_t nodes = 0;        // for the value, and for all moves with --all
  double seconds = 0;             // in the same
  double line_seconds = 0;        // for the line, whose positions are solved one by one
};

// Prints everything, as text or as JSON. Returns whether all that was expected was found.
bool PrintSolved(const SolveOptions& options, const AnyGame& game, const std::vector<Solved>& all);

}  // namespace qirkat::cli
