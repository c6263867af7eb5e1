// Position texts: fields separated by single spaces, the first of them a board. Only the canonical
// form is accepted; every error says what is wrong, at which character, and what is accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "envs/core/types.h"

namespace qirkat {

// "a1", "j10"; "nowhere" for -1, where an action leaves the board.
std::string SquareName(int square, int columns);
// Its inverse; -1 if no square of the board has this name.
int SquareNamed(std::string_view name, int columns, int rows);

// A board's text: ranks from the top down, separated by '/'; a decimal number is a run of empty
// squares. `cells[square]` is empty or a piece. Pieces of several characters need a separator
// between the parts of a rank (',', or 0 for none).
std::string BoardText(const std::vector<std::string>& cells, int columns, char separator);

// A piece of a board's text: where it stands, and the part of the text that names it.
struct BoardPiece {
  int square;
  std::string_view text;
};

class PositionReader {
 public:
  // Splits `text`, which must outlive the reader, into exactly `fields` fields. `accepted`
  // describes the form: it ends every error message.
  PositionReader(std::string_view game, std::string_view text, int fields,
                 std::string_view accepted);

  std::string_view field(int index) const { return fields_[index]; }

  // The pieces of a board, in the order of the text; the inverse of BoardText. Without a separator
  // a piece is one character that is not a digit.
  std::vector<BoardPiece> Board(std::string_view field, int columns, int rows,
                                char separator) const;
  // 0 or 1, whose letters `sides` holds ("ld").
  Player Side(std::string_view field, std::string_view sides) const;
  int Square(std::string_view field, int columns, int rows) const;
  // A decimal number without leading zeros. `what` names it in errors.
  std::uint32_t Number(std::string_view field, std::uint32_t max, std::string_view what) const;

  // Throws UserError "GAME position 'TEXT': REASON at character N; accepted: FORM". `place` is the
  // part of the text that is wrong.
  template <class... Values>
  [[noreturn]] void Fail(std::string_view place, const Values&... reason) const {
    const auto character = static_cast<std::size_t>(place.data() - text_.data()) + 1;
    FailWhole(reason..., " at character ", character);
  }
  // The same for a fault that has no single place.
  template <class... Values>
  [[noreturn]] void FailWhole(const Values&... reason) const {
    throw UserError(StrCat(game_, " position ", Quoted(text_, 200), ": ", reason...,
                           "; accepted: ", accepted_));
  }

 private:
  // The squares that a run of digits stands for.
  int Run(std::string_view digits, int columns) const;

  std::string_view game_;
  std::string_view text_;
  std::string_view accepted_;
  std::vector<std::string_view> fields_;
};

}  // namespace qirkat
