// Stratego games and positions for several tests.
#pragma once

#include <string>
#include <vector>

#include "envs/core/position_text.h"
#include "envs/core/random.h"
#include "envs/core/typed_line.h"
#include "envs/stratego/stratego.h"

namespace qirkat {

inline TypedGame<Stratego> StrategoWith(const OptionTexts& options) {
  return TypedGame<Stratego>(ParseOptions<StrategoOptions>(options, "test"));
}

inline RandomStream StreamOf(std::uint64_t number) {
  return RandomStream(7, 0, number, StreamPurpose::kTest);
}

// The text of a position of few pieces, most of them in a walled corner, so that they chase each
// other and shuttle. Some texts are refused: a flag has moved, or no flag is left.
inline std::string RandomStrategoPosition(RandomStream& random) {
  std::vector<std::string> cells(100);
  const auto place = [&](std::uint32_t square, char owner, char letter) {
    if (!cells[square].empty()) return;
    cells[square] = {owner, letter};
    if (random.Below(letter == 'F' || letter == 'B' ? 40 : 3) == 0) cells[square] += '+';
    if (random.Below(4) == 0) cells[square] += '!';
  };
  if (random.Below(20) != 0) place(99, 'b', 'F');
  if (random.Below(20) != 0) place(98, 'r', 'F');
  const std::uint32_t files = 2 + random.Below(3);
  const std::uint32_t ranks = 2 + random.Below(3);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) place(rank * 10 + files, 'r', 'B');
  for (std::uint32_t file = 0; file < files; ++file) place(ranks * 10 + file, 'b', 'B');
  const std::uint32_t pieces = 1 + random.Below(3);
  for (const char owner : {'r', 'b'}) {
    for (std::uint32_t i = 0; i < pieces; ++i) {
      const bool is_anywhere = random.Below(10) == 0;
      const std::uint32_t square =
          is_anywhere ? random.Below(40) : random.Below(ranks) * 10 + random.Below(files);
      place(square, owner, "S123456789456789"[random.Below(16)]);
    }
  }
  const std::uint32_t quiet = random.Below(4) == 0 ? 190 + random.Below(12) : random.Below(3);
  return StrCat(BoardText(cells, 10, ','), ' ', "rb"[random.Below(2)], " play ", quiet);
}

}  // namespace qirkat
