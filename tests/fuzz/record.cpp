// Recorded games as `qirkat replay` reads them: "GAME [option=value]…", then a line with an
// optional start and actions. What was played replays from its own texts to the same end.
#include <string>
#include <vector>

#include "envs/core/record_text.h"
#include "envs/core/text.h"
#include "tests/fuzz/game_input.h"

namespace qirkat::fuzz {
namespace {

void Check(const GameInput& input) {
  const RecordText record = SplitRecord(input.rest);
  const auto line = ReadPosition(*input.game, record.start);
  if (line == nullptr) return;
  std::vector<std::string> played;
  for (const std::string_view text : record.actions) {
    const auto before = line->Clone();
    if (!PlayText(*line, text)) break;
    played.push_back(before->ActionText(before->ParseAction(text)));
  }
  CheckLine(*input.game, *line);

  const std::string written = StrCat(line->StartText(), '\t', Join(played, " "));
  const RecordText again = SplitRecord(written);
  QIRKAT_CHECK(again.actions.size() == played.size(), written);
  const auto replayed = input.game->NewLineAt(again.start);
  for (const std::string_view text : again.actions) replayed->Play(replayed->ParseAction(text));
  QIRKAT_CHECK(replayed->StateKey() == line->StateKey(), written);
  QIRKAT_CHECK(replayed->PositionText() == line->PositionText(), written);
  QIRKAT_CHECK(
      ResultText(replayed->outcome(), replayed->ply()) == ResultText(line->outcome(), line->ply()),
      written);
}

}  // namespace
}  // namespace qirkat::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto input = qirkat::fuzz::ReadGameInput(data, size)) qirkat::fuzz::Check(*input);
  return 0;
}
