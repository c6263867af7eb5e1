// Action texts: "GAME [option=value]…", a line with the actions played first, and the text of one
// action in the rest.
#include "envs/core/record_text.h"
#include "tests/fuzz/game_input.h"

namespace qirkat::fuzz {
namespace {

void Check(const GameInput& input) {
  const auto [before, text] = CutLine(input.rest);
  const RecordText record = SplitRecord(before);
  const auto line = ReadPosition(*input.game, record.start);
  if (line == nullptr) return;
  for (const std::string_view action : record.actions) {
    if (!PlayText(*line, action)) return;
  }
  if (PlayText(*line, text)) CheckLine(*input.game, *line);
}

}  // namespace
}  // namespace qirkat::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto input = qirkat::fuzz::ReadGameInput(data, size)) qirkat::fuzz::Check(*input);
  return 0;
}
