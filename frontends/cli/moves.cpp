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
#include "frontends/cli/position.h"
#include "frontends/cli/support.h"
#include "frontends/pictures/svg_board.h"

namespace qirkat::cli {
namespace {

struct MovesOptions {
  PositionOptions at;
  bool views = false;
  std::optional<std::string> svg;
};

void Run(const MovesOptions& options) {
  const auto game = MakeGame(options.at.game, options.at.rules);
  if (options.views && !game->info().hidden_information) {
    throw UserError(StrCat("--views: ", options.at.game,
                           " hides nothing; accepted: games with hidden information"));
  }
  const auto start = game->NewLineAt(options.at.position);
  const auto line = start->Clone();
  const std::vector<Action> played = PlayTexts(*line, options.at.after, "--after");
  if (options.svg) {
    const std::string last = played.empty() ? "" : ActionTexts(*start, played).back();
    WriteFileAtomically(*options.svg, BoardSvg(*line, last));
  }

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
  AddPosition(app, options->at);
  app.add_flag("--views", options->views,
               "Print what each player may know (games with hidden information)");
  AddSvg(app, options->svg, "Draw the board into this file, legal moves as dots");
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
