#include "envs/core/draw.h"

#include <algorithm>
#include <vector>

#include "envs/core/text.h"

namespace qirkat {
std::string StatusText(const AnyLine& line) {
  if (line.over()) return ResultText(line.outcome(), line.ply());
  const std::string_view name = line.spec().player_names[line.to_move()];
  return StrCat("player ", int{line.to_move()}, name.empty() ? "" : StrCat(" (", name, ')'),
                " to move");
}

std::string DrawBoard(const AnyLine& line, std::optional<Player> viewer) {
  const GameSpec& spec = line.spec();
  std::vector<std::string> cells;
  std::size_t width = 1;
  for (int square = 0; square < spec.squares(); ++square) {
    cells.push_back(viewer ? line.ViewSquareText(*viewer, square) : line.SquareText(square));
    width = std::max(width, cells.back().size());
  }
  const std::size_t margin = std::to_string(spec.rows).size();
  const auto padded = [&](const std::string& text) {
    return ' ' + text + std::string(width - text.size(), ' ');
  };
  // Spaces at the end of a row are cut.
  const auto row_text = [&](const std::string& side, const auto& text_of_file) {
    std::string row = std::string(margin - side.size(), ' ') + side;
    for (int file = 0; file < spec.columns; ++file) row += padded(text_of_file(file));
    return row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
  };
  const std::string files = row_text("", [](int file) { return std::string(1, 'a' + file); });

  std::string board;
  for (int row = 0; row < spec.rows; ++row) {
    const int rank = spec.rank_1_on_top ? row : spec.rows - 1 - row;
    board += row_text(std::to_string(rank + 1), [&](int file) {
      const std::string& cell = cells[rank * spec.columns + file];
      return cell.empty() ? "." : cell;
    });
  }
  return (spec.rank_1_on_top ? files + board : board + files) + StatusText(line) + '\n';
}

}  // namespace qirkat
