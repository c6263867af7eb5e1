#include "frontends/cli/commands.h"

#include <iterator>
#include <string>

namespace qirkat::cli {
namespace {

constexpr const char* kExplore = "Explore games";
constexpr const char* kPlay = "Play and analyze";
constexpr const char* kLearn = "Train and compare";
constexpr const char* kLook = "Look into files and the machine";

// In the order of `qirkat --help`.
constexpr Command kCommands[] = {
    {"games", kExplore, "List the games, or one game's facts and options", "qirkat games reversi",
     AddGames},
    {"moves", kExplore, "Print a position and its legal actions",
     "qirkat moves reversi --after \"c4 c3\"", AddMoves},
    {"random", kExplore, "Play random games", "qirkat random reversi --games 3 --seed 1",
     AddRandom},
    {"replay", kExplore, "Play recorded games by the rules",
     "qirkat random reversi | qirkat replay reversi --trace", AddReplay},
    {"perft", kExplore, "Count action sequences", "qirkat perft reversi 8", AddPerft},
    {"solve", kExplore, "Find the exact value of late positions",
     "qirkat solve reversi --file tests/data/ffo_1_19.obf --set winner_takes_empties=on --check",
     AddSolve},
    {"play", kPlay, "Play against a player in the terminal",
     "qirkat play reversi --against rollout:visits=1000", AddPlay},
    {"analyze", kPlay, "Search a position and show the best lines",
     "qirkat analyze reversi --after \"c4 c3\" --visits 5000", AddAnalyze},
#ifdef QIRKAT_WITH_TORCH
    {"train", kLearn, "Train a network from self-play", "qirkat train configs/reversi_quick.toml",
     AddTrain},
#endif
    {"selfplay", kLearn, "Play games of a model against itself into data files",
     "qirkat selfplay configs/reversi_quick.toml --model hash --games 100 --out games",
     AddSelfPlay},
    {"match", kLearn, "Let two players play each other",
     "qirkat match reversi --a rollout:visits=100 --b random --games 20", AddMatch},
    {"config", kLearn, "Check a config and print it resolved, or print the reference",
     "qirkat config configs/reference.toml --search.visits 200", AddConfig},
    {"inspect", kLook, "Show what a model file, a run folder or shards hold",
     "qirkat inspect runs/reversi_quick", AddInspect},
    {"doctor", kLook, "Show what this machine has and what runs on it", "qirkat doctor", AddDoctor},
    {"data", kLook, "Count or verify recorded games", "qirkat data info runs/reversi", AddData},
    {"bench", kLook, "Measure rates per core", "qirkat bench env", AddBench},
};

}  // namespace

void AddCommands(CLI::App& app, Session& session, const Command* commands, int count) {
  for (int i = 0; i < count; ++i) {
    const Command& command = commands[i];
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->group(command.group);
    sub->footer(std::string("Example: ") + command.example);
    command.add(*sub, session);
  }
}

void AddAllCommands(CLI::App& app, Session& session) {
  AddCommands(app, session, kCommands, std::size(kCommands));
}

}  // namespace qirkat::cli
