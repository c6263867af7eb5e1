// Position texts and, in the first line, games and their rule options: "GAME [option=value]…", then
// a position text. A few random plies are played from an accepted one.
#include "envs/core/random.h"
#include "tests/fuzz/game_input.h"

namespace qirkat::fuzz {
namespace {

constexpr int kPlies = 4;

void Check(const GameInput& input) {
  const auto line = ReadPosition(*input.game, input.rest);
  if (line == nullptr) return;
  // Texts of different lengths play on in different ways.
  RandomStream random(1, 0, input.rest.size(), StreamPurpose::kTest);
  CheckLine(*input.game, *line);
  for (int ply = 0; ply < kPlies && !line->over(); ++ply) {
    const auto count = static_cast<std::uint32_t>(line->legal_count());
    line->Play(line->legal(static_cast<int>(random.Below(count))));
    CheckLine(*input.game, *line);
  }
}

}  // namespace
}  // namespace qirkat::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto input = qirkat::fuzz::ReadGameInput(data, size)) qirkat::fuzz::Check(*input);
  return 0;
}
