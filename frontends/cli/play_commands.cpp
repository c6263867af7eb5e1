// What a person can type besides actions.
#include <filesystem>
#include <iostream>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "frontends/cli/analysis_text.h"
#include "frontends/cli/play_session.h"
#include "frontends/cli/position.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {

struct PlaySession::Command {
  const char* name;
  const char* argument;  // "" if it takes none; in brackets if it may be left out
  const char* help;
  void (PlaySession::*run)(std::string_view argument);
};

const std::vector<PlaySession::Command>& PlaySession::Commands() {
  static const std::vector<Command> commands = {
      {"moves", "", "the legal actions", &PlaySession::Moves},
      {"hint", "[VISITS]", "what the opponent's search would play in your place",
       &PlaySession::Hint},
      {"undo", "", "back to your last decision", &PlaySession::Undo},
      {"board", "", "draw the board", &PlaySession::Board},
      {"position", "", "the position as text", &PlaySession::Position},
      {"save", "FILE", "write the game for qirkat replay", &PlaySession::Save},
      {"resign", "", "give up", &PlaySession::Resign},
      {"help", "", "this list", &PlaySession::Help},
      {"quit", "", "end, as Ctrl-D does", &PlaySession::Quit},
  };
  return commands;
}

void PlaySession::Execute(std::string_view text) {
  text = Trim(text);
  const std::size_t space = text.find(' ');
  const std::string_view name = text.substr(0, space);
  for (const Command& command : Commands()) {
    if (command.name != name) continue;
    const std::string_view argument =
        space == std::string_view::npos ? "" : Trim(text.substr(space));
    const std::string_view wanted = command.argument;
    if (argument.empty() && !wanted.empty() && !wanted.starts_with('[')) {
      throw UserError(StrCat(name, " needs ", wanted));
    }
    if (!argument.empty() && wanted.empty()) throw UserError(StrCat(name, " takes nothing more"));
    (this->*command.run)(argument);
    return;
  }
  PlayInput(text);
}

void PlaySession::Help(std::string_view) {
  std::cout << "An action, or all actions of your turn with spaces between:\n  "
            << Join(over() ? std::vector<std::string>() : line_->LegalTexts(), " ") << '\n';
  TextTable table({"or", ""});
  for (const Command& command : Commands()) {
    table.AddRow(
        {StrCat("  ", command.name, *command.argument ? " " : "", command.argument), command.help});
  }
  table.Print(std::cout);
}

void PlaySession::Moves(std::string_view) {
  if (over()) throw UserError("the game is over: there are no moves");
  std::cout << Join(line_->LegalTexts(), " ") << '\n';
}

void PlaySession::Hint(std::string_view argument) {
  constexpr int kLines = 3, kLength = 6;
  constexpr std::int64_t kMostVisits = 100'000'000;
  if (over()) throw UserError("the game is over: there is nothing to play");
  std::int64_t visits = setup_.opponent.search.visits;
  if (!argument.empty()) {
    const auto wanted = ParseNumber<std::int64_t>(argument);
    if (!wanted || *wanted < 1 || *wanted > kMostVisits) {
      throw UserError(StrCat("hint: the visits must be an integer 1 … ", kMostVisits, ", not ",
                             Quoted(argument)));
    }
    visits = *wanted;
  }
  if (!hints_) {
    hints_ = InContext(
        "hint", [&] { return MakeAnalysis(*setup_.game, setup_.opponent, setup_.analysis); });
  }
  hints_->SetLine(*line_, search_seed_);
  hints_->Begin(visits);
  while (!Interrupted() && hints_->Step()) {
  }
  if (!hints_->has_result()) return;
  const AnalysisResult result = hints_->Result(kLines, kLength);
  std::cout << result.visits << " visits: " << ExpectationText(result) << '\n'
            << LinesText(*line_, result);
}

void PlaySession::Undo(std::string_view) {
  const bool shown = over() || (!decisions_.empty() && decisions_.back() < seen_until_);
  if (setup_.game->info().hidden_information && shown) {
    throw UserError("undo: hidden pieces were shown since; accepted: before a fight or the end");
  }
  if (resigned_) {
    resigned_ = false;
    board_is_shown_ = false;
    return;
  }
  if (decisions_.empty()) throw UserError("undo: you have not played yet");
  actions_.resize(decisions_.back());
  decisions_.pop_back();
  Replay();
}

void PlaySession::Board(std::string_view) { board_is_shown_ = false; }

void PlaySession::Position(std::string_view) {
  std::cout << (hides() ? "your view: " + line_->ViewText(setup_.person) : line_->PositionText())
            << '\n';
}

void PlaySession::Save(std::string_view argument) {
  if (hides()) {
    throw UserError(
        "save: the record shows what is hidden from you; accepted: when the game is over, or after "
        "resign");
  }
  const std::filesystem::path path(argument);
  std::error_code unreadable;  // writing says what is wrong
  if (std::filesystem::exists(path, unreadable)) {
    throw UserError(StrCat("save: ", argument, " is already there; accepted: a new file"));
  }
  std::string record = Join(ActionTexts(*setup_.start, actions_), " ") + '\n';
  const std::string start = setup_.start->StartText();
  if (start != setup_.game->NewLineAt("start")->StartText()) record = start + '\t' + record;
  WriteFileAtomically(path, std::string_view(record));
  std::cout << "saved " << actions_.size() << " plies to " << argument << '\n';
}

void PlaySession::Resign(std::string_view) {
  if (over()) throw UserError("the game is over already");
  resigned_ = true;
  board_is_shown_ = false;
  std::cout << "You resign.\n";
}

void PlaySession::Quit(std::string_view) { has_quit_ = true; }

}  // namespace qirkat::cli
