// qirkat play GAME: a person against any player in the terminal.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "envs/registry.h"
#include "frontends/cli/analysis_text.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/play_session.h"
#include "frontends/cli/position.h"
#include "frontends/cli/support.h"
#include "selfplay/match/player_spec.h"

namespace qirkat::cli {
namespace {

struct PlayCommand {
  PositionOptions at;
  std::string against = "rollout:visits=1000";
  std::string side = "0";
  std::int64_t seed = 1;
  BatchOptions batch;
  BackendOptions backend;
};

Player SideOf(const PlayCommand& command) {
  if (command.side != "random") return command.side == "0" ? 0 : 1;
  RandomStream random(static_cast<std::uint64_t>(command.seed), 0, 0, StreamPurpose::kOpening);
  return static_cast<Player>(random.Below(2));
}

void Run(PlayCommand& command) {
  const auto game = MakeGame(command.at.game, command.at.rules);
  const auto seed = static_cast<std::uint64_t>(command.seed);
  RandomStream chance(seed, 0, 0, StreamPurpose::kSetup);
  PlaySetup setup{.game = game.get(),
                  .opponent = MakePlayer(command.against, game->info(),
                                         NetLoader(*game, command.backend), "--against"),
                  .person = SideOf(command),
                  .start = command.at.position == "start" ? game->NewLine(chance)
                                                          : game->NewLineAt(command.at.position),
                  .actions = {},
                  .seed = seed,
                  .analysis = command.batch.Analysis()};
  setup.actions = PlayTexts(*setup.start->Clone(), command.at.after, "--after");
  CatchInterrupts();
  PlaySession(std::move(setup)).Run();
}

}  // namespace

void AddPlay(CLI::App& app, Session&) {
  const auto command = std::make_shared<PlayCommand>();
  app.footer(
      "Type actions (moves lists them) and undo, hint, board, position, save FILE, resign, help,\n"
      "quit. In a setup of Stratego all 40 letters may be typed at once; --set setup=random "
      "places\n"
      "the pieces of both. Hidden pieces stay hidden until the game is over.\n\n" +
      app.get_footer() +
      "\n         qirkat play reversi --against net:runs/reversi_quick/model.qkt,visits=800 --side "
      "1");
  AddPosition(app, command->at);
  AddText(app, "--against", command->against,
          {.help = "The opponent: random, or rollout, net:FILE … with options of [search]: "
                   "net:FILE,visits=800"});
  AddText(app, "--side", command->side,
          {.choices = {"0", "1", "random"}, .help = "Yours; player 0 begins"});
  AddInteger(app, "--seed", command->seed,
             {.min = 0, .max = 9e15, .help = "Of random starts, playouts and choices"});
  AddBatchOptions(app, command->batch);
  AddBackend(app, command->backend);
  app.callback([command] { Run(*command); });
}

}  // namespace qirkat::cli
