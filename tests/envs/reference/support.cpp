#include "tests/envs/reference/support.h"

#include <algorithm>

namespace qirkat::reference {

int Go(int square, int direction, int distance, int columns, int ranks) {
  const int file = square % columns + distance * kFileStep[direction];
  const int rank = square / columns + distance * kRankStep[direction];
  const bool on_board = file >= 0 && file < columns && rank >= 0 && rank < ranks;
  return on_board ? rank * columns + file : -1;
}

std::string SquareName(int square, int columns) {
  return static_cast<char>('a' + square % columns) + std::to_string(square / columns + 1);
}

int ParseSquare(const std::string& text, int columns, int ranks) {
  for (int square = 0; square < columns * ranks; ++square) {
    if (SquareName(square, columns) == text) return square;
  }
  throw Refused("not a square: " + text);
}

int TakeInteger(SlowOptions& options, const std::string& name, int by_default, int max) {
  return ParseNumber(TakeText(options, name, std::to_string(by_default)), max);
}

std::string TakeText(SlowOptions& options, const std::string& name, const std::string& by_default) {
  const auto found = options.find(name);
  if (found == options.end()) return by_default;
  const std::string value = found->second;
  options.erase(found);
  return value;
}

std::string TakeChoice(SlowOptions& options, const std::string& name,
                       const std::vector<std::string>& choices) {
  const std::string value = TakeText(options, name, choices[0]);
  Require(std::ranges::count(choices, value) == 1, "no such value of " + name + ": " + value);
  return value;
}

void RefuseUnknown(const SlowOptions& options) {
  if (!options.empty()) throw Refused("no such option: " + options.begin()->first);
}

void Require(bool condition, const std::string& otherwise) {
  if (!condition) throw Refused(otherwise);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

int ParseNumber(const std::string& text, int max) {
  int number = 0;
  for (const char c : text) {
    Require(IsDigit(c), "not a number: " + text);
    number = number * 10 + (c - '0');
    Require(number <= max, "more than " + std::to_string(max) + ": " + text);
  }
  Require(std::to_string(number) == text, "not a canonical number: " + text);
  return number;
}

std::string BoardText(const std::vector<std::string>& cells, int columns,
                      const std::string& separator) {
  std::string text;
  const int ranks = static_cast<int>(cells.size()) / columns;
  for (int rank = ranks - 1; rank >= 0; --rank) {
    std::vector<std::string> parts;
    int run = 0;
    for (int file = 0; file < columns; ++file) {
      const std::string& cell = cells[rank * columns + file];
      if (cell.empty()) ++run;
      const bool run_ends = !cell.empty() || file == columns - 1;
      if (run > 0 && run_ends) {
        parts.push_back(std::to_string(run));
        run = 0;
      }
      if (!cell.empty()) parts.push_back(cell);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? separator : "") + parts[i];
    if (rank > 0) text += '/';
  }
  return text;
}

namespace {
// "2l2" -> "2", "l", "2"; with a separator: what stands between separators.
std::vector<std::string> RankParts(const std::string& text, const std::string& separator) {
  if (!separator.empty()) return Split(text, separator[0]);
  std::vector<std::string> parts;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = IsDigit(c);
    if (digit && in_number) {
      parts.back() += c;
    } else {
      parts.push_back(std::string(1, c));
    }
    in_number = digit;
  }
  return parts;
}
}  // namespace

std::vector<std::string> ParseBoard(const std::string& text, int columns, int ranks,
                                    const std::string& separator) {
  const auto rank_texts = Split(text, '/');
  Require(static_cast<int>(rank_texts.size()) == ranks, "wrong number of ranks");
  std::vector<std::string> cells(columns * ranks);
  for (int line = 0; line < ranks; ++line) {
    const int rank = ranks - 1 - line;
    int file = 0;
    for (const std::string& part : RankParts(rank_texts[line], separator)) {
      Require(!part.empty(), "an empty cell text");
      if (IsDigit(part[0])) {
        file += ParseNumber(part, columns);
      } else {
        Require(file < columns, "a rank is too long");
        cells[rank * columns + file] = part;
        ++file;
      }
    }
    Require(file == columns, "a rank of the wrong length: " + rank_texts[line]);
  }
  return cells;
}

}  // namespace qirkat::reference
