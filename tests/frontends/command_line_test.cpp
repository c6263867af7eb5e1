// What every command shares: help, names that are not there, output that cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <thread>

#include "envs/core/text.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using ::testing::HasSubstr;

// The commands as `qirkat --help` lists them: lines of two spaces, name, summary.
std::vector<std::string> ListedCommands(const Arguments& command) {
  Arguments arguments = command;
  arguments.push_back("--help");
  const std::string help = RunProgram(arguments).out;
  std::vector<std::string> names;
  const std::regex line("\n  ([a-z][a-z_]*)  +[A-Z]");
  for (std::sregex_iterator it(help.begin(), help.end(), line), end; it != end; ++it) {
    names.push_back((*it)[1]);
  }
  return names;
}

void ExpectHelp(const Arguments& command) {
  SCOPED_TRACE(::testing::PrintToString(command));
  Arguments arguments = command;
  arguments.push_back("--help");
  const ProgramResult result = RunProgram(arguments);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("Usage: qirkat " + Join(command, " ") + " "));
  EXPECT_THAT(result.out, HasSubstr("Example: qirkat"));
}

TEST(CommandLine, HelpOfEveryCommandHasUsageAndExample) {
  const std::vector<std::string> commands = ListedCommands({});
  ASSERT_GE(commands.size(), 8u);
  for (const std::string& command : commands) {
    ExpectHelp({command});
    for (const std::string& part : ListedCommands({command})) ExpectHelp({command, part});
  }
}

TEST(CommandLine, Version) {
  const ProgramResult result = RunProgram({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, ::testing::MatchesRegex("qirkat [0-9.]+ .*\n"));
}

TEST(CommandLine, UnknownNamesSuggestTheNearest) {
  ExpectUserError({"bnech"}, {"unknown command 'bnech'", "did you mean 'bench'?", "accepted: "});
  ExpectUserError({"bench", "serch"}, {"unknown command 'serch'"});
  ExpectUserError({"config", "--serach.visits", "7"},
                  {"unknown option '--serach.visits'", "did you mean '--search.visits'?"});
  ExpectUserError({"config", "--search.vists=7"}, {"did you mean '--search.visits'?"});
  ExpectUserError({"--versoin"}, {"unknown option '--versoin'", "did you mean '--version'?"});
}

TEST(CommandLine, AnUnknownGameIsRefusedEverywhere) {
  for (const Arguments& arguments : {Arguments{"games", "revesi"},
                                     {"perft", "revesi", "3"},
                                     {"moves", "revesi"},
                                     {"random", "revesi"},
                                     {"replay", "revesi"},
                                     {"match", "revesi", "--a", "random", "--b", "random"},
                                     {"bench", "env", "revesi"},
                                     {"bench", "eval", "revesi"},
                                     {"bench", "search", "revesi"},
                                     {"bench", "selfplay", "revesi"}}) {
    ExpectUserError(arguments, {"'revesi'", "reversi"});
  }
}

TEST(CommandLine, MissingAndSurplusArguments) {
  ExpectUserError({}, {"a command is missing", "bench", "config"});
  ExpectUserError({"bench"}, {"a command is missing"});
  ExpectUserError({"config", "a.toml", "b.toml"}, {"unexpected argument 'b.toml'"});
  ExpectUserError({"config", "--search.visits"},
                  {"--search.visits takes one value and is given once"});
  ExpectUserError({"config", "--search.visits", "1", "--search.visits", "2"},
                  {"--search.visits takes one value and is given once"});
}

TEST(CommandLine, ControlCharactersAndForeignBytesStayOnOneLine) {
  ExpectUserError({"no\nsuch\tcommand"}, {"no\\x0asuch"});
  ExpectUserError({"\xff\xfe"}, {"\\xff\\xfe"});
  ExpectUserError({std::string(5000, 'x')}, {"xxx…'"});
}

TEST(CommandLine, OutputThatCannotBeWrittenIsAnError) {
  for (const Arguments& arguments : {Arguments{"config"},
                                     {"config", "--help"},
                                     {"games", "--json"},
                                     {"random", "reversi", "--games", "100000000"}}) {
    ExpectUserError(arguments, {"cannot write to the standard output", "No space left on device"},
                    {.output_file = "/dev/full"});
  }
}

TEST(CommandLine, ClosedPipeIsAnErrorNotASignal) {
  const TemporaryFolder folder;
  const std::string err = (folder.path() / "err").string();
  const std::string command = "bash -c 'set -o pipefail; " QIRKAT_PROGRAM
                              " random reversi --games 100000 2>" +
                              err + " | head -n 1 >/dev/null'";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(ReadFile(err), "error: cannot write to the standard output: Broken pipe\n");
}

TEST(CommandLine, FirstInterruptFinishesAndSays130) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program({"match", "reversi", "--a", "random", "--b", "random", "--games", "10000000"});
    // The first progress line says that it runs.
    for (int wait = 0; wait < 6000 && program.ErrSoFar().empty(); ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    program.Signal(signal);
    const ProgramResult result = program.Wait();
    EXPECT_EQ(result.signal, 0);
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_THAT(result.out, HasSubstr("score of A"));
  }
}

}  // namespace
}  // namespace qirkat::test
