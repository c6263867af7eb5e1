#include "envs/core/position_text.h"

#include <algorithm>

namespace qirkat {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A rank's text cut into runs and pieces.
std::vector<std::string_view> PartsOf(std::string_view rank, char separator) {
  if (separator != 0) return Split(rank, separator);
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < rank.size();) {
    std::size_t end = begin + 1;
    while (IsDigit(rank[begin]) && end < rank.size() && IsDigit(rank[end])) ++end;
    parts.push_back(rank.substr(begin, end - begin));
    begin = end;
  }
  return parts;
}

}  // namespace

std::string SquareName(int square, int columns) {
  if (square < 0) return "nowhere";
  return static_cast<char>('a' + square % columns) + std::to_string(square / columns + 1);
}

int SquareNamed(std::string_view name, int columns, int rows) {
  int square = columns * rows - 1;
  while (square >= 0 && SquareName(square, columns) != name) --square;
  return square;
}

std::string BoardText(const std::vector<std::string>& cells, int columns, char separator) {
  const int rows = static_cast<int>(cells.size()) / columns;
  const std::string between(separator != 0 ? 1 : 0, separator);
  std::vector<std::string> ranks;
  for (int row = rows - 1; row >= 0; --row) {
    std::vector<std::string> parts;
    int run = 0;
    for (int file = 0; file < columns; ++file) {
      const std::string& cell = cells[row * columns + file];
      run = cell.empty() ? run + 1 : 0;
      if (run > 1) parts.pop_back();
      parts.push_back(cell.empty() ? std::to_string(run) : cell);
    }
    ranks.push_back(Join(parts, between));
  }
  return Join(ranks, "/");
}

PositionReader::PositionReader(std::string_view game, std::string_view text, int fields,
                               std::string_view accepted)
    : game_(game), text_(text), accepted_(accepted), fields_(Split(text, ' ')) {
  for (const std::string_view field : fields_) {
    if (field.empty()) Fail(field, "an empty field");
  }
  if (static_cast<int>(fields_.size()) != fields) {
    FailWhole("it has ", fields_.size(), " fields instead of ", fields);
  }
}

std::vector<BoardPiece> PositionReader::Board(std::string_view field, int columns, int rows,
                                              char separator) const {
  std::vector<BoardPiece> pieces;
  const auto ranks = Split(field, '/');
  if (static_cast<int>(ranks.size()) != rows) {
    Fail(field, "the board has ", ranks.size(), " ranks instead of ", rows);
  }
  for (int line = 0; line < rows; ++line) {
    const int row = rows - 1 - line;
    int file = 0;
    bool behind_run = false;
    for (const std::string_view part : PartsOf(ranks[line], separator)) {
      if (part.empty()) Fail(part, "rank ", row + 1, " has an empty part");
      if (IsDigit(part[0])) {
        if (behind_run) Fail(part, "not canonical: two runs of empty squares side by side");
        file += Run(part, columns);
      } else if (file < columns) {
        pieces.push_back({row * columns + file, part});
        ++file;
      } else {
        ++file;
      }
      behind_run = IsDigit(part[0]);
      if (file > columns) Fail(part, "rank ", row + 1, " has more than ", columns, " squares");
    }
    if (file < columns) {
      Fail(ranks[line], "rank ", row + 1, " has ", file, " squares instead of ", columns);
    }
  }
  return pieces;
}

int PositionReader::Run(std::string_view digits, int columns) const {
  const auto run = Number(digits, static_cast<std::uint32_t>(columns), "a run of empty squares");
  if (run == 0) Fail(digits, "not canonical: a run of 0 squares");
  return static_cast<int>(run);
}

Player PositionReader::Side(std::string_view field, std::string_view sides) const {
  const auto side = sides.find(field);
  if (field.size() != 1 || side == std::string_view::npos) {
    Fail(field, "the side to move is ", Quoted(field), " instead of ", sides[0], " or ", sides[1]);
  }
  return static_cast<Player>(side);
}

int PositionReader::Square(std::string_view field, int columns, int rows) const {
  const int square = SquareNamed(field, columns, rows);
  if (square < 0) Fail(field, Quoted(field), " is not a square");
  return square;
}

std::uint32_t PositionReader::Number(std::string_view field, std::uint32_t max,
                                     std::string_view what) const {
  if (field.empty() || !std::ranges::all_of(field, IsDigit)) {
    Fail(field, what, " is ", Quoted(field), ", not a number");
  }
  if (field.size() > 1 && field[0] == '0')
    Fail(field, "not canonical: ", what, " has leading zeros");
  const auto value = ParseNumber<std::uint32_t>(field);
  if (!value || *value > max) Fail(field, what, " is above ", max);
  return *value;
}

}  // namespace qirkat
