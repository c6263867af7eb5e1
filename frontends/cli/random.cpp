// qirkat random GAME: random games, in the form that qirkat replay reads.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {
namespace {

struct RandomOptions {
  std::string game;
  std::int64_t games = 1;
  std::int64_t seed = 0;
  OptionTexts rules;
};

void Run(const RandomOptions& options) {
  const auto game = MakeGame(options.game, options.rules);
  const std::string default_start = game->NewLineAt("start")->StartText();
  const auto seed = static_cast<std::uint64_t>(options.seed);
  for (std::int64_t i = 0; i < options.games; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    RandomStream setup(seed, 0, number, StreamPurpose::kSetup);
    RandomStream choice(seed, 0, number, StreamPurpose::kEnvActions);
    const auto line = game->NewLine(setup);
    if (line->StartText() != default_start) std::cout << line->StartText() << '\t';
    for (const char* separator = ""; !line->over(); separator = " ") {
      const auto count = static_cast<std::uint32_t>(line->legal_count());
      const Action action = line->legal(static_cast<int>(choice.Below(count)));
      std::cout << separator << line->ActionText(action);
      line->Play(action);
    }
    std::cout << '\n';
  }
}

}  // namespace

void AddRandom(CLI::App& app, Session&) {
  const auto options = std::make_shared<RandomOptions>();
  AddGame(app, options->game);
  AddInteger(app, "--games", options->games,
             {.min = 1, .max = 1e12, .unit = "games", .help = "How many"});
  AddInteger(app, "--seed", options->seed, {.min = 0, .help = "Seed of all randomness"});
  AddSet(app, options->rules);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
