#include "tests/envs/reference/reference.h"

#include <algorithm>

#include "tests/envs/reference/support.h"

namespace qirkat::reference {

std::vector<SlowAction> SlowGame::Legal() const {
  if (over()) return {};
  auto actions = Actions();
  std::sort(actions.begin(), actions.end(),
            [](const SlowAction& a, const SlowAction& b) { return a.text < b.text; });
  return actions;
}

void SlowGame::Play(const std::string& text) {
  std::string exact = text;
  for (std::size_t i = 0; i + 1 < exact.size(); ++i) {
    if (IsCapital(exact[i]) && IsDigit(exact[i + 1])) {
      exact[i] = static_cast<char>(exact[i] - 'A' + 'a');
    }
  }
  for (const SlowAction& action : Legal()) {
    if (action.text != exact) continue;
    ++plies_;
    Do(action);
    return;
  }
  throw Refused("illegal action: " + text);
}

std::string SlowGame::ResultText() const {
  const std::string plies = " plies " + std::to_string(plies_) + " reason ";
  if (!over()) return "result * score 0" + plies + "unfinished";
  const std::string sign = result_ > 0 ? "+" : "";
  return "result " + sign + std::to_string(result_) + " score " + std::to_string(Score()) + plies +
         reason_;
}

bool SlowGame::End(const std::string& reason, int result) {
  reason_ = reason;
  result_ = result;
  return true;
}

std::string SlowGame::Name(int square) const { return SquareName(square, columns_); }

std::unique_ptr<SlowGame> MakeSlowGame(const std::string& game, const SlowOptions& options,
                                       const std::string& position) {
  if (game == "reversi") return MakeSlowReversi(options, position);
  if (game == "alquerque") return MakeSlowAlquerque(options, position);
  if (game == "superlogo") return MakeSlowSuperlogo(options, position);
  if (game == "super1al5") return MakeSlowSuper1al5(options, position);
  if (game == "stratego") return MakeSlowStratego(options, position);
  throw Refused("no such game: " + game);
}

}  // namespace qirkat::reference
