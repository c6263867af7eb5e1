// What the slow games share: squares, limits, option values and the pieces of position texts.
#pragma once

#include <string>
#include <vector>

#include "tests/envs/reference/reference.h"

namespace qirkat::reference {

// N, NE, E, SE, S, SW, W, NW.
inline constexpr int kFileStep[8] = {0, 1, 1, 1, 0, -1, -1, -1};
inline constexpr int kRankStep[8] = {1, 1, 0, -1, -1, -1, 0, 1};

// The square `distance` steps from `square` in a direction 0 … 7; -1 off the board.
int Go(int square, int direction, int distance, int columns, int ranks);
std::string SquareName(int square, int columns);
// Throws Refused unless `text` is the name of a square.
int ParseSquare(const std::string& text, int columns, int ranks);

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

// 0 turns a limit off.
inline bool Reached(int counter, int limit) { return limit > 0 && counter >= limit; }

// Each takes an option out of `options`, or its default if it is not there, and throws Refused for
// a wrong value. What is left at the end does not exist: RefuseUnknown.
int TakeInteger(SlowOptions& options, const std::string& name, int by_default, int max);
std::string TakeText(SlowOptions& options, const std::string& name, const std::string& by_default);
std::string TakeChoice(SlowOptions& options, const std::string& name,
                       const std::vector<std::string>& choices);  // the first is the default
void RefuseUnknown(const SlowOptions& options);

void Require(bool condition, const std::string& otherwise);  // throws Refused
// Keeps empty parts.
std::vector<std::string> Split(const std::string& text, char separator);
// A decimal number without leading zeros, 0 … max; throws Refused.
int ParseNumber(const std::string& text, int max);

// A board text, ranks from the top down: each cell's text, "" for an empty one; cells and runs of a
// rank are joined by `separator` ("" or ","). With "" a cell's text is one character.
std::string BoardText(const std::vector<std::string>& cells, int columns,
                      const std::string& separator);
// Takes more than the canonical form, but nothing of a wrong size; throws Refused.
std::vector<std::string> ParseBoard(const std::string& text, int columns, int ranks,
                                    const std::string& separator);

}  // namespace qirkat::reference
