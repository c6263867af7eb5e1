// What the fuzz targets of a game's texts share. An input is a line "GAME [option=value]…" and what
// the target makes of the rest. A broken promise is an InternalError that nobody catches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "envs/core/any_line.h"
#include "envs/core/error.h"

namespace qirkat::fuzz {

struct GameInput {
  std::shared_ptr<const AnyGame> game;
  std::string_view rest;  // behind the first line
};
// Nothing if the game has no such option. A name that no game has stands for one of them.
std::optional<GameInput> ReadGameInput(const std::uint8_t* data, std::size_t size);

// "one\ntwo" -> {"one", "two"}; the second part is empty without a newline.
std::pair<std::string_view, std::string_view> CutLine(std::string_view text);

// Whether `read` takes its input; a refusal must be one line that says something.
template <class Read>
bool Accepts(Read read) {
  try {
    read();
    return true;
  } catch (const UserError& error) {
    const std::string_view message = error.what();
    QIRKAT_CHECK(!message.empty() && message.find('\n') == std::string_view::npos, message);
    return false;
  }
}

// The line at a position text, or nothing if the text is refused. An accepted text must be the one
// that the position writes.
std::unique_ptr<AnyLine> ReadPosition(const AnyGame& game, std::string_view text);

// Checks all that a line says of its position: legal actions, their texts and mask, observations,
// drawings, and its own text.
void CheckLine(const AnyGame& game, const AnyLine& line);

// Plays the legal action of this text. It must be taken if it is the text of a legal action up to
// capital file letters, and refused otherwise; returns which.
bool PlayText(AnyLine& line, std::string_view text);

}  // namespace qirkat::fuzz
