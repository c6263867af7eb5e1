// A person plays a game against a player at the terminal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/random.h"
#include "frontends/cli/input_lines.h"
#include "selfplay/analysis/analysis.h"
#include "selfplay/match/match.h"

namespace qirkat::cli {

struct PlaySetup {
  const AnyGame* game;
  MatchPlayer opponent;
  Player person = 0;
  std::unique_ptr<AnyLine> start;
  std::vector<Action> actions;  // played before the person and the opponent begin
  std::uint64_t seed = 1;
  AnalysisOptions analysis;
};

// Asks on the standard output and reads the standard input. Where information is hidden, what the
// person may not know is shown nowhere before the game is over: neither pieces nor placements nor
// what the opponent, who knows his own pieces, thinks of the position.
class PlaySession {
 public:
  explicit PlaySession(PlaySetup setup);

  // Returns at the end of the input, on `quit` and after an interrupt.
  void Run();

 private:
  struct Command;
  static const std::vector<Command>& Commands();

  bool over() const { return line_->over() || resigned_; }
  bool hides() const { return setup_.game->info().hidden_information && !over(); }

  // The line again from the start.
  void Replay();
  void Advance(Action action);

  // The opponent's action; nullopt after an interrupt.
  std::optional<Action> Think();
  void OpponentTurn();
  // Says what the opponent played, as far as the person sees it.
  void Announce(Action action, const std::string& remark);
  void TellUnseen();
  // What two pieces were that met, where that was hidden.
  void TellFight(const AnyLine& before);

  void Prompt();
  // Executes a command or plays actions.
  void Execute(std::string_view text);
  void PlayInput(std::string_view text);

  void Help(std::string_view argument);
  void Undo(std::string_view argument);
  void Hint(std::string_view argument);
  void Moves(std::string_view argument);
  void Board(std::string_view argument);
  void Position(std::string_view argument);
  void Save(std::string_view argument);
  void Resign(std::string_view argument);
  void Quit(std::string_view argument);

  PlaySetup setup_;
  std::unique_ptr<AnyLine> line_;
  std::vector<Action> actions_;         // from the start to the line
  std::vector<std::size_t> decisions_;  // how many there were before each of the person's inputs
  std::unique_ptr<Analysis> engine_;    // of the opponent; null if he does not search
  std::unique_ptr<Analysis> hints_;     // made when first asked for
  std::uint64_t search_seed_;
  RandomStream choice_;  // of the opponent
  InputLines input_;
  std::size_t seen_until_ = 0;  // actions until the last fight that showed hidden pieces
  int unseen_ = 0;              // actions of the opponent that were not told one by one
  bool resigned_ = false;
  bool board_is_shown_ = false;
  bool has_quit_ = false;
};

}  // namespace qirkat::cli
