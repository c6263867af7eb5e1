// qirkat analyze GAME: the best actions in a position, and what is expected to follow.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "envs/core/draw.h"
#include "envs/registry.h"
#include "frontends/cli/analysis_text.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/players.h"
#include "frontends/cli/position.h"
#include "frontends/cli/support.h"
#include "frontends/metrics/live_line.h"
#include "frontends/metrics/terminal.h"
#include "selfplay/analysis/analysis.h"
#include "selfplay/match/player_spec.h"

namespace qirkat::cli {
namespace {

struct AnalyzeCommand {
  PositionOptions at;
  std::string player = "rollout:visits=2000";
  std::int64_t visits = 0;
  double time = 0;
  bool infinite = false;
  std::int64_t lines = 5;
  std::int64_t length = 8;
  std::int64_t seed = 1;
  BatchOptions batch;
  BackendOptions backend;
  bool json = false;
};

// The search as it goes: what it has found is drawn in place on a terminal; elsewhere standard
// error says now and then how far it is.
class AnalysisView {
 public:
  AnalysisView(const AnalyzeCommand& command, const AnyLine& root, const MatchPlayer& player,
               const Analysis& analysis)
      : command_(command),
        root_(root),
        analysis_(analysis),
        head_(StrCat(root.spec().name, ", ", StatusText(root), "; ", PlayerText(player))),
        terminal_(!command.json && isatty(STDOUT_FILENO) == 1),
        next_(terminal_ ? kPace : 1),
        progress_("analysis", "visits") {}

  double Seconds() const { return watch_.Seconds(); }

  void Update(std::int64_t visits) {
    if (Seconds() < next_ || !analysis_.has_result()) return;
    next_ = Seconds() + kPace;
    if (terminal_) {
      block_.Draw(Text());
    } else {
      progress_.Update(analysis_.Result(1, 1).visits, static_cast<double>(visits));
    }
  }

  void Finish() {
    if (terminal_) block_.Draw("");
    std::cout << Text();
  }

 private:
  static constexpr double kPace = 0.2;  // seconds

  std::string Text() const {
    const AnalysisResult result =
        analysis_.Result(static_cast<int>(command_.lines), static_cast<int>(command_.length));
    const auto evaluations = static_cast<double>(analysis_.stats().evaluations);
    return StrCat(head_, '\n', result.visits, " visits in ", Fixed(Seconds(), 2), " s, ",
                  ShortNumber(evaluations / Seconds()), " evaluations/s\n", ExpectationText(result),
                  '\n', LinesText(root_, result));
  }

  const AnalyzeCommand& command_;
  const AnyLine& root_;
  const Analysis& analysis_;
  std::string head_;
  bool terminal_;
  Stopwatch watch_;
  double next_;  // seconds at which it is shown again; a shorter search shows its end only
  LiveBlock block_;
  LiveLine progress_;
};

void PrintAsJson(const AnalyzeCommand& command, const AnyGame& game, const AnyLine& root,
                 const MatchPlayer& player, const Analysis& analysis, double seconds) {
  nlohmann::ordered_json json = {{"game", command.at.game},
                                 {"options", OptionsJson(game)},
                                 {"position", root.PositionText()},
                                 {"player", int{root.to_move()}},
                                 {"engine", PlayerFacts(player)},
                                 {"batch", command.batch.batch},
                                 {"evaluations", analysis.stats().evaluations},
                                 {"seconds", seconds},
                                 {"interrupted", Interrupted()}};
  json.update(ResultJson(
      root, analysis.Result(static_cast<int>(command.lines), static_cast<int>(command.length))));
  PrintJson(json);
}

void Run(AnalyzeCommand& command) {
  if (command.infinite && (command.visits > 0 || command.time > 0)) {
    throw UserError("--infinite goes with neither --visits nor --time");
  }
  const auto game = MakeGame(command.at.game, command.at.rules);
  const auto root = game->NewLineAt(command.at.position);
  PlayTexts(*root, command.at.after, "--after");
  if (root->over()) {
    throw UserError(StrCat("the game is over here (", ReasonText(root->outcome()),
                           "); accepted: a position in which a player is to move"));
  }
  const MatchPlayer player =
      MakePlayer(command.player, game->info(), NetLoader(*game, command.backend), "--player");
  const auto analysis =
      InContext("--player", [&] { return MakeAnalysis(*game, player, command.batch.Analysis()); });
  std::optional<std::int64_t> visits = player.search.visits;
  if (command.visits > 0) visits = command.visits;
  if (command.infinite || (command.time > 0 && command.visits == 0)) visits.reset();

  const std::atomic<bool>& stop = CatchInterrupts();
  AnalysisView view(command, *root, player, *analysis);
  analysis->SetLine(*root, static_cast<std::uint64_t>(command.seed));
  analysis->Begin(visits);
  const auto time_is_up = [&] {
    return command.time > 0 && view.Seconds() >= command.time && analysis->has_result();
  };
  while (!stop && !time_is_up() && analysis->Step()) view.Update(visits.value_or(0));
  if (!analysis->has_result()) {
    std::cerr << "nothing was found yet\n";
  } else if (command.json) {
    PrintAsJson(command, *game, *root, player, *analysis, view.Seconds());
  } else {
    view.Finish();
  }
  if (analysis->stats().full) {
    std::cerr << "the search ended because its tree is full (option tree_mib of the player)\n";
  }
}

}  // namespace

void AddAnalyze(CLI::App& app, Session&) {
  const auto command = std::make_shared<AnalyzeCommand>();
  app.footer(
      "The search ends after the player's own visits, unless --visits, --time or --infinite say\n"
      "otherwise, or when the result is proven. Ctrl-C ends it with what it has. Values, and win,\n"
      "draw and loss, are for the player to move; an action is followed by the replies that were\n"
      "searched most. Where information is hidden, only what that player knows is used.\n\n" +
      app.get_footer() +
      "\n         qirkat analyze reversi --player net:runs/reversi_quick/model.qkt --time 5");
  AddPosition(app, command->at);
  AddText(app, "--player", command->player,
          {.help = "Who searches: rollout or net:FILE with options of [search]: "
                   "net:FILE,visits=800,cpuct=2"});
  AddInteger(app, "--visits", command->visits,
             {.min = 0, .max = 4e9, .unit = "visits", .help = "0: the player's own"});
  AddReal(app, "--time", command->time, {.min = 0, .max = 1e9, .unit = "s", .help = "0: no limit"});
  app.add_flag("--infinite", command->infinite, "Search until Ctrl-C");
  AddInteger(app, "--lines", command->lines, {.min = 1, .max = 10'000, .help = "How many actions"});
  AddInteger(app, "--length", command->length,
             {.min = 1, .max = 1000, .unit = "plies", .help = "Of each line"});
  AddInteger(app, "--seed", command->seed,
             {.min = 0, .max = 9e15, .help = "Of playouts and possible worlds"});
  AddBatchOptions(app, command->batch);
  AddBackend(app, command->backend);
  AddJson(app, command->json);
  app.callback([command] { Run(*command); });
}

}  // namespace qirkat::cli
