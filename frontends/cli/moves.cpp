// qirkat moves GAME: a position and its legal actions.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "envs/core/file.h"
#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "frontends/pictures/svg_board.h"

namespace qirkat::cli {
namespace {

struct MovesOptions {
  std::string game;
  std::string position = "start";
  std::string after;
  OptionTexts rules;
  bool views = false;
  std::optional<std::string> svg;
};

// Returns the text of the last action, "" if there is none.
std::string PlayAll(AnyLine& line, std::string_view actions) {
  std::string last;
  for (const std::string_view text : Split(actions, ' ')) {
    if (text.empty()) continue;
    try {
      const Action action = line.ParseAction(text);
      last = line.ActionText(action);
      line.Play(action);
    } catch (const UserError& error) {
      throw UserError(StrCat("--after: ply ", line.ply() + 1, ": ", error.what()));
    }
  }
  return last;
}

void Run(const MovesOptions& options) {
  const auto game = MakeGame(options.game, options.rules);
  if (options.views && !game->info().hidden_information) {
    throw UserError(StrCat("--views: ", options.game,
                           " hides nothing; accepted: games with hidden information"));
  }
  const auto line = game->NewLineAt(options.position);
  const std::string last = PlayAll(*line, options.after);
  if (options.svg) WriteFileAtomically(*options.svg, BoardSvg(*line, last));

  std::vector<std::pair<std::string, Action>> legal;
  for (int k = 0; k < line->legal_count(); ++k) {
    legal.emplace_back(line->ActionText(line->legal(k)), line->legal(k));
  }
  std::sort(legal.begin(), legal.end());
  std::vector<std::string> texts;
  for (const auto& [text, action] : legal) texts.push_back(StrCat(text, ':', action));
  if (options.views) {
    for (const Player player : {Player{0}, Player{1}}) {
      std::cout << "view of player " << int{player} << ": " << line->ViewText(player) << '\n';
    }
  }
  std::cout << line->PositionText() << '\n' << Join(texts, " ") << '\n';
  if (line->over()) std::cout << ResultText(line->outcome(), line->ply()) << '\n';
}

}  // namespace

void AddMoves(CLI::App& app, Session&) {
  const auto options = std::make_shared<MovesOptions>();
  AddGame(app, options->game);
  AddText(app, "--position", options->position, {.help = "A position text, or start"});
  AddText(app, "--after", options->after,
          {.help = "Actions played first, separated by spaces: \"c4 c3\""});
  AddSet(app, options->rules);
  app.add_flag("--views", options->views,
               "Print what each player may know (games with hidden information)");
  AddSvg(app, options->svg, "Draw the board into this file, legal moves as dots");
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
