#include "frontends/cli/play_session.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "envs/core/draw.h"
#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/players.h"
#include "frontends/cli/support.h"
#include "frontends/metrics/live_line.h"

namespace qirkat::cli {
namespace {

// "player 1 (white, O)"
std::string SideText(const AnyLine& line, Player player) {
  const std::string_view name = line.spec().player_names[player];
  return StrCat("player ", int{player}, name.empty() ? "" : StrCat(" (", name, ')'));
}

// Whether both players see which action this is. Where information is hidden, actions without
// squares (placements) say what a piece is.
bool IsSeen(const GameInfo& game, Action action) {
  return !game.hidden_information || action < game.policy_planes * game.squares;
}

int CountPieces(const AnyLine& line) {
  int count = 0;
  for (int square = 0; square < line.spec().squares(); ++square) {
    count += !line.SquareText(square).empty();
  }
  return count;
}

}  // namespace

PlaySession::PlaySession(PlaySetup setup)
    : setup_(std::move(setup)),
      actions_(setup_.actions),
      search_seed_(RandomStream(setup_.seed, 0, 0, StreamPurpose::kRollout).Next()),
      choice_(setup_.seed, Opponent(setup_.person), 0, StreamPurpose::kPlayer) {
  if (setup_.opponent.evaluator) {
    engine_ = MakeAnalysis(*setup_.game, setup_.opponent, setup_.analysis);
  }
  Replay();
}

void PlaySession::Replay() {
  line_ = setup_.start->Clone();
  for (const Action action : actions_) line_->Play(action);
  if (engine_) engine_->SetLine(*line_, search_seed_);
  board_is_shown_ = false;
}

void PlaySession::Advance(Action action) {
  line_->Play(action);
  if (engine_) engine_->Play(action);
  actions_.push_back(action);
  board_is_shown_ = false;
}

void PlaySession::Run() {
  std::cout << "You are " << SideText(*line_, setup_.person) << " against "
            << PlayerText(setup_.opponent) << "; help lists what you can type.\n";
  while (!has_quit_ && !Interrupted()) {
    if (!over() && line_->to_move() != setup_.person) {
      OpponentTurn();
      continue;
    }
    TellUnseen();
    if (!over() && line_->legal_count() == 1 && line_->ActionText(line_->legal(0)) == "pass") {
      std::cout << "You can only pass.\n";
      Advance(line_->legal(0));
      continue;
    }
    Prompt();
    const std::optional<std::string> text = input_.Next();
    if (!text) {
      std::cout << '\n';
      return;
    }
    try {
      Execute(*text);
    } catch (const UserError& error) {
      std::cout << OneLine(StrCat("error: ", error.what())) << '\n';
    }
  }
}

std::optional<Action> PlaySession::Think() {
  if (!engine_) {
    const auto count = static_cast<std::uint32_t>(line_->legal_count());
    return line_->legal(static_cast<int>(choice_.Below(count)));
  }
  constexpr double kFirstProgress = 0.5, kPace = 0.2;  // seconds
  const std::int64_t visits = setup_.opponent.search.visits;
  LiveLine progress(StrCat("player ", int{line_->to_move()}, " thinks"), "visits");
  const Stopwatch watch;
  double next = kFirstProgress;
  engine_->Begin(visits);
  while (engine_->Step()) {
    if (Interrupted()) return std::nullopt;
    // How a search goes that knows its own hidden pieces would tell of them.
    if (hides() || watch.Seconds() < next || !engine_->has_result()) continue;
    next = watch.Seconds() + kPace;
    const AnalysisResult result = engine_->Result(1, 1);
    progress.Update(result.visits, static_cast<double>(visits),
                    "value " + Fixed(result.lines[0].value, 2, true));
  }
  return engine_->Choose(choice_);
}

void PlaySession::OpponentTurn() {
  std::cout << std::flush;
  if (line_->legal_count() == 1) {
    Announce(line_->legal(0), hides() ? "" : "nothing else is legal");
    return;
  }
  const std::optional<Action> action = Think();
  if (!action) return;
  std::string remark;
  if (engine_ && !hides()) {
    const AnalysisResult result = engine_->Result(1, 1);
    remark = StrCat(result.visits, " visits, value ", Fixed(result.lines[0].value, 2, true));
    if (result.proven) remark += ", proven";
  }
  Announce(*action, remark);
}

void PlaySession::Announce(Action action, const std::string& remark) {
  const auto before = line_->Clone();
  const bool is_hidden = hides() && !IsSeen(setup_.game->info(), action);
  Advance(action);
  if (is_hidden) {
    ++unseen_;
    return;
  }
  TellUnseen();
  std::cout << SideText(*before, before->to_move()) << " plays " << before->ActionText(action)
            << (remark.empty() ? "" : StrCat(" (", remark, ')')) << '\n';
  if (before->spec().hidden_information) TellFight(*before);
}

void PlaySession::TellUnseen() {
  if (unseen_ > 0) {
    std::cout << SideText(*line_, Opponent(setup_.person)) << " has played " << unseen_
              << (unseen_ == 1 ? " action" : " actions") << " that you do not see\n";
  }
  unseen_ = 0;
}

void PlaySession::TellFight(const AnyLine& before) {
  if (CountPieces(*line_) >= CountPieces(before)) return;
  seen_until_ = actions_.size();
  std::vector<std::string> pieces;
  for (int square = 0; square < before.spec().squares(); ++square) {
    const std::string piece = before.SquareText(square);
    if (!piece.empty() && piece != line_->SquareText(square)) pieces.push_back(piece);
  }
  std::cout << "fought: " << Join(pieces, " and ") << '\n';
}

void PlaySession::Prompt() {
  if (!board_is_shown_) {
    std::cout << '\n' << (hides() ? line_->DrawView(setup_.person) : line_->Draw());
    if (line_->over()) {
      const int result = line_->outcome().result * (setup_.person == 0 ? 1 : -1);
      std::cout << (result > 0 ? "You win.\n" : result < 0 ? "You lose.\n" : "A draw.\n");
    }
  }
  board_is_shown_ = true;
  std::cout << (over() ? "> " : "your move> ") << std::flush;
}

void PlaySession::PlayInput(std::string_view text) {
  if (over()) throw UserError("the game is over; accepted: undo, save FILE, quit (see help)");
  const auto ahead = line_->Clone();
  std::vector<std::string_view> words = Split(text, ' ');
  // Where every action is one letter (the setup of Stratego), a word is a list of them.
  const auto is_letter = [](const std::string& legal) { return legal.size() == 1; };
  if (std::ranges::all_of(line_->LegalTexts(), is_letter)) {
    words.clear();
    for (std::size_t i = 0; i < text.size(); ++i) words.push_back(text.substr(i, 1));
  }
  std::vector<Action> actions;
  for (const std::string_view word : words) {
    if (Trim(word).empty()) continue;
    if (ahead->over() || ahead->to_move() != setup_.person) {
      throw UserError(StrCat("it is not your move any more at ", Quoted(word),
                             ", so nothing was played; accepted: the actions of one turn"));
    }
    actions.push_back(ahead->ParseAction(word));
    ahead->Play(actions.back());
  }
  if (actions.empty()) return;
  decisions_.push_back(actions_.size());
  for (const Action action : actions) {
    const auto before = line_->Clone();
    Advance(action);
    if (before->spec().hidden_information) TellFight(*before);
  }
}

}  // namespace qirkat::cli
