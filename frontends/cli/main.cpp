// qirkat: the program. Reads the command line, runs one command, turns what it throws into one line
// and an exit code.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ios>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/config_overrides.h"
#include "frontends/cli/support.h"
#ifdef QIRKAT_WITH_TORCH
#include "models/torch/torch_evaluator.h"
#endif

namespace qirkat::cli {
namespace {

// The command that the arguments reached, e.g. `bench env`.
const CLI::App& Reached(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

// "unknown option '--dpeth'; did you mean '--depth'?; …"
std::string UnknownOption(const CLI::App& app, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> known, shown;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& long_name : option->get_lnames()) {
      known.push_back("--" + long_name);
      if (option->get_group() != kOverrideGroup) shown.push_back(known.back());
    }
  }
  if (shown.size() < known.size()) shown.push_back("--section.key of configs/reference.toml");
  auto nearest = Nearest(name, known);
  // --visits instead of --search.visits.
  for (const std::string& option : known) {
    if (!nearest && name.starts_with("--") && option.ends_with('.' + name.substr(2)))
      nearest = option;
  }
  return StrCat("unknown option ", Quoted(name),
                nearest ? StrCat("; did you mean '", *nearest, "'?") : std::string(),
                "; accepted: ", Join(shown, ", "));
}

// What is wrong with the command line, with the nearest name where one is unknown.
std::string ParseErrorText(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = Reached(root);
  const std::vector<std::string> unexpected = root.remaining(true);
  for (const std::string& argument : unexpected) {
    if (argument.size() > 1 && argument[0] == '-') return UnknownOption(app, argument);
  }
  const std::vector<std::string> commands = CommandNames(app);
  if (!commands.empty()) {
    return unexpected.empty() ? StrCat("a command is missing; accepted: ", Join(commands, ", "))
                              : UnknownName("command", unexpected.front(), commands);
  }
  if (!unexpected.empty()) {
    return StrCat("unexpected argument ", Quoted(unexpected.front()), "; see --help");
  }
  const std::string message = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return message.substr(0, message.find(':')) + " takes one value and is given once";
  }
  return message;
}

// The names of the commands reached, for messages: "qirkat bench env".
std::string FullName(const CLI::App& root) {
  std::string name = root.get_name();
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    name += ' ' + app->get_name();
  }
  return name;
}

#ifdef QIRKAT_WITH_TORCH
// Threads of the learner wait for each other at every operator. Left alone, libgomp's spin for
// milliseconds, which beside other busy processes costs more than the work, and it reads how long
// before main: the program starts itself once more with a short spin in its environment, unless the
// user has set how to wait. Where that does not work it goes on as it is.
void WaitWithShortSpins(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  const bool trains =
      (argc > 1 && words[1] == "train") || (argc > 2 && words[1] == "bench" && words[2] == "train");
  if (!trains || std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  ::setenv("GOMP_SPINCOUNT", "10000", 0);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) ::execv(program.c_str(), argv);
}
#endif

int Fail(const std::string& message, int exit_code) {
  std::cerr << OneLine(message) << '\n';
  return exit_code;
}

int RunProgram(int argc, char** argv) {
  CLI::App app("Qirkat trains strong players of board games from self-play.", "qirkat");
  app.set_version_flag("--version", "qirkat " QIRKAT_VERSION " (" QIRKAT_BUILD ")",
                       "Print the version");
  app.set_help_flag("-h,--help", "Print help");
  app.footer("Each command has its own help: qirkat COMMAND --help");
  app.require_subcommand(1);
  Session session;
  AddAllCommands(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // CLI11 puts the command's own name behind what stands before it.
    const std::string name = FullName(app);
    std::cout << Reached(app).help(Reached(app).get_parent() ? name.substr(0, name.rfind(' '))
                                                             : std::string());
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << '\n';
  } catch (const CLI::ParseError& error) {
    return Fail(StrCat("error: ", FullName(app), ": ", ParseErrorText(app, error)), kExitUserError);
  }
  std::cout.flush();
  return Interrupted() ? kExitInterrupted : session.exit_code;
}

}  // namespace
}  // namespace qirkat::cli

int main(int argc, char** argv) {
  using namespace qirkat::cli;
#ifdef QIRKAT_WITH_TORCH
  WaitWithShortSpins(argc, argv);
#endif
  // A closed pipe is an error like any other failed write: it is reported, not a silent end.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  // Untied: reporting a failed write must not write to std::cout again.
  std::cerr.tie(nullptr);
  std::cout.exceptions(std::ios::badbit | std::ios::failbit);
#ifdef QIRKAT_WITH_TORCH
  qirkat::PrepareTorchProcess();
#endif
  try {
    return RunProgram(argc, argv);
  } catch (const qirkat::UserError& error) {
    return Fail(std::string("error: ") + error.what(), kExitUserError);
  } catch (const std::filesystem::filesystem_error& error) {
    return Fail(qirkat::StrCat("error: ", error.path1().string(), ": ", error.code().message()),
                kExitUserError);
  } catch (const std::ios_base::failure&) {
    const int reason = errno;
    return Fail(
        qirkat::StrCat("error: cannot write to the standard output: ", std::strerror(reason)),
        kExitUserError);
  } catch (const std::bad_alloc&) {
    return Fail("error: out of memory", kExitUserError);
  } catch (const std::exception& error) {
    // Only the first line: LibTorch adds a stack trace.
    const std::string_view message = error.what();
    return Fail(qirkat::StrCat("internal error: ", message.substr(0, message.find('\n'))),
                kExitInternalError);
  }
}
