#include "frontends/cli/position.h"

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {

void AddPosition(CLI::App& app, PositionOptions& options) {
  AddGame(app, options.game);
  AddText(app, "--position", options.position, {.help = "A position text, or start"});
  AddText(app, "--after", options.after,
          {.help = "Actions played first, separated by spaces: \"c4 c3\""});
  AddSet(app, options.rules);
}

std::vector<Action> PlayTexts(AnyLine& line, std::string_view texts, std::string_view where) {
  std::vector<Action> actions;
  for (const std::string_view text : Split(texts, ' ')) {
    if (text.empty()) continue;
    actions.push_back(
        InContext(StrCat(where, ": ply ", line.ply() + 1), [&] { return line.ParseAction(text); }));
    line.Play(actions.back());
  }
  return actions;
}

std::vector<std::string> ActionTexts(const AnyLine& line, const std::vector<Action>& actions) {
  std::vector<std::string> texts;
  const auto copy = line.Clone();
  for (const Action action : actions) {
    texts.push_back(copy->ActionText(action));
    copy->Play(action);
  }
  return texts;
}

}  // namespace qirkat::cli
