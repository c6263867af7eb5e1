// qirkat perft GAME DEPTH: counts of action sequences.
#include <iostream>
#include <memory>
#include <string>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {
namespace {

struct PerftOptions {
  std::string game;
  std::int64_t depth = 1;
  std::string position = "start";
  OptionTexts rules;
  bool divide = false;
};

void Run(const PerftOptions& options) {
  const auto game = MakeGame(options.game, options.rules);
  const auto line = game->NewLineAt(options.position);
  const int depth = static_cast<int>(options.depth);
  for (int d = 1; d <= depth; ++d) {
    std::cout << d << ' ' << line->Perft(d) << std::endl;
  }
  if (!options.divide) return;
  for (const std::string& text : line->LegalTexts()) {
    const auto next = line->Clone();
    next->Play(next->ParseAction(text));
    std::cout << text << ' ' << next->Perft(depth - 1) << '\n';
  }
}

}  // namespace

void AddPerft(CLI::App& app, Session&) {
  const auto options = std::make_shared<PerftOptions>();
  AddGame(app, options->game);
  AddInteger(app, "DEPTH", options->depth,
             {.min = 1, .max = 100, .unit = "plies", .help = "Longest sequence"})
      ->required();
  AddText(app, "--position", options->position, {.help = "A position text, or start"});
  AddSet(app, options->rules);
  app.add_flag("--divide", options->divide, "Also print the count behind each first action");
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
