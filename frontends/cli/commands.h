// The subcommands of `qirkat`: one file each. A command declares its options on the app that it is
// given and sets the callback; the callback throws UserError for a user's mistake (exit code 2) and
// returns through `exit_code` only what a check found (0 or 1).
#pragma once

#include <CLI/CLI.hpp>

namespace qirkat::cli {

// What a command leaves for main.
struct Session {
  int exit_code = 0;
};

using AddCommand = void (*)(CLI::App& app, Session& session);

void AddGames(CLI::App& app, Session& session);
void AddPerft(CLI::App& app, Session& session);
void AddMoves(CLI::App& app, Session& session);
void AddRandom(CLI::App& app, Session& session);
void AddReplay(CLI::App& app, Session& session);
void AddSelfPlay(CLI::App& app, Session& session);
void AddMatch(CLI::App& app, Session& session);
void AddData(CLI::App& app, Session& session);
void AddInspect(CLI::App& app, Session& session);
void AddBench(CLI::App& app, Session& session);
void AddDoctor(CLI::App& app, Session& session);
#ifdef QIRKAT_WITH_TORCH
void AddTrain(CLI::App& app, Session& session);
#endif

}  // namespace qirkat::cli
