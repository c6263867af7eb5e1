// qirkat replay GAME < games: plays recorded games by the rules.
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include "envs/core/record_text.h"
#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {
namespace {

struct ReplayOptions {
  std::string game;
  OptionTexts rules;
  bool trace = false;
};

// Plays one line of input and prints what the command promises. Returns whether every action was
// legal.
bool Replay(const AnyGame& game, std::string_view text, bool trace) {
  const RecordText record = SplitRecord(text);
  const auto line = game.NewLineAt(record.start);
  for (const std::string_view action_text : record.actions) {
    try {
      const Action action = line->ParseAction(action_text);
      if (trace) {
        std::cout << line->PositionText() << '\t' << Join(line->LegalTexts(), ",") << '\t'
                  << line->ActionText(action) << '\n';
      }
      line->Play(action);
    } catch (const UserError& error) {
      std::cout << OneLine(StrCat("error: ply ", line->ply() + 1, " action ", action_text, ": ",
                                  error.what()))
                << '\n';
      return false;
    }
  }
  std::cout << ResultText(line->outcome(), line->ply()) << '\n';
  return true;
}

void Run(const ReplayOptions& options, Session& session) {
  const auto game = MakeGame(options.game, options.rules);
  // Else an output that cannot be written would look like an input that cannot be read.
  std::cin.tie(nullptr);
  std::string text;
  std::int64_t number = 0;
  while (std::getline(std::cin, text)) {
    ++number;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    try {
      if (!Replay(*game, text, options.trace)) session.exit_code = kExitCheckFailed;
    } catch (const UserError& error) {
      throw UserError(StrCat("standard input, line ", number, ": ", error.what()));
    }
  }
  if (std::cin.bad()) {
    throw UserError(StrCat("the standard input cannot be read: ", std::strerror(errno)));
  }
}

}  // namespace

void AddReplay(CLI::App& app, Session& session) {
  const auto options = std::make_shared<ReplayOptions>();
  app.footer(
      "Standard input: a game a line, [start position TAB] actions separated by spaces.\n"
      "Exit code 1 if an action was illegal.\n\n" +
      app.get_footer());
  AddGame(app, options->game);
  AddSet(app, options->rules);
  app.add_flag("--trace", options->trace, "Print each position, its legal actions and the action");
  app.callback([options, &session] { Run(*options, session); });
}

}  // namespace qirkat::cli
