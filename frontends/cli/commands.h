// The subcommands of `qirkat`: one file each, one line each in the table of commands.cpp (name,
// group, summary, example). A command is given its own app: it declares its options there and sets
// the callback. The callback throws UserError for a user's mistake (exit code 2) and leaves in
// `exit_code` only what a check found (0 or 1). support.h has what commands share.
#pragma once

#include <CLI/CLI.hpp>

namespace qirkat::cli {

// What a command leaves for main.
struct Session {
  int exit_code = 0;
};

using AddCommand = void (*)(CLI::App& app, Session& session);

struct Command {
  const char* name;
  const char* group;    // heading in `qirkat --help`
  const char* summary;  // one line
  const char* example;  // a command line that works as it stands
  AddCommand add;
};

// Adds a subcommand for each entry, in order.
void AddCommands(CLI::App& app, Session& session, const Command* commands, int count);
void AddAllCommands(CLI::App& app, Session& session);

void AddGames(CLI::App& app, Session& session);
void AddPerft(CLI::App& app, Session& session);
void AddSolve(CLI::App& app, Session& session);
void AddMoves(CLI::App& app, Session& session);
void AddRandom(CLI::App& app, Session& session);
void AddAnalyze(CLI::App& app, Session& session);
void AddPlay(CLI::App& app, Session& session);
void AddReplay(CLI::App& app, Session& session);
void AddSelfPlay(CLI::App& app, Session& session);
void AddMatch(CLI::App& app, Session& session);
void AddData(CLI::App& app, Session& session);
void AddConfig(CLI::App& app, Session& session);
void AddInspect(CLI::App& app, Session& session);
void AddBench(CLI::App& app, Session& session);
void AddDoctor(CLI::App& app, Session& session);
// `qirkat bench PART GAME`: each in its own file, one line each in the table of bench.cpp.
void AddBenchEnv(CLI::App& app, Session& session);
void AddBenchEval(CLI::App& app, Session& session);
void AddBenchSearch(CLI::App& app, Session& session);
void AddBenchAnalyze(CLI::App& app, Session& session);
void AddBenchSelfPlay(CLI::App& app, Session& session);
#ifdef QIRKAT_WITH_TORCH
void AddTrain(CLI::App& app, Session& session);
void AddBenchTrain(CLI::App& app, Session& session);
#endif

}  // namespace qirkat::cli
