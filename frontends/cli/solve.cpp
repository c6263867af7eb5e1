// qirkat solve GAME: the exact values of late positions, by the game's endgame solver.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/endgame_file.h"
#include "frontends/cli/solve_report.h"
#include "frontends/cli/support.h"
#include "frontends/metrics/live_line.h"

namespace qirkat::cli {
namespace {

// From here on the user hears before the work starts that it is long.
constexpr int kManyEmpties = 27;

struct Interrupt {};

template <GameWithEndgameSolver G>
class Solver {
 public:
  explicit Solver(const SolveOptions& options)
      : all_(options.all), solver_(static_cast<std::size_t>(options.hash_mib) << 20) {}

  // Fewer than there are tasks if interrupted; the last one may then lack its line and moves.
  std::vector<Solved> Run(const std::vector<EndgameTask>& tasks) {
    const std::atomic<bool>& stop = CatchInterrupts();
    std::vector<Solved> solved;
    std::size_t done = 0;
    LiveLine progress("solve", "positions");
    solver_.set_observer([&](std::uint64_t nodes) {
      if (stop) throw Interrupt();
      progress.Update(static_cast<double>(done), static_cast<double>(tasks.size()),
                      ShortNumber(static_cast<double>(nodes)) + " nodes");
    });
    try {
      for (const EndgameTask& task : tasks) {
        const int empties = EmptiesOf(task);
        if (empties >= kManyEmpties) {
          progress.Print(StrCat("warning: ", task.where, ": ", empties,
                                " empty squares: 24 take seconds, each more 2 to 3 times as long"));
        }
        Solve(task, empties, solved);
        ++done;
      }
    } catch (const Interrupt&) {
    }
    return solved;
  }

  // Throws UserError if the solver cannot say what this position is worth.
  static int EmptiesOf(const EndgameTask& task) {
    const Line<G>& line = Typed(task).line();
    const int empties = G::EndgameEmpties(line.rules(), line.state(), line.history());
    if (empties != kNoEndgame) return empties;
    throw UserError(StrCat(task.where,
                           ": a limit of plies can end the game before it is played out; accepted: "
                           "--set max_plies=0"));
  }

 private:
  static const TypedLine<G>& Typed(const EndgameTask& task) {
    return static_cast<const TypedLine<G>&>(*task.line);
  }

  // Adds the value to `all` as soon as it is known, so that an interrupt later on cannot lose it.
  void Solve(const EndgameTask& task, int empties, std::vector<Solved>& all) {
    const TypedLine<G>& line = Typed(task);
    const int sign = line.to_move() == 0 ? 1 : -1;
    const std::uint64_t nodes_before = solver_.nodes();
    const Stopwatch watch;
    const EndgameValue value = Value(line);
    Solved& solved = all.emplace_back();
    const auto count_work = [&] {
      solved.seconds = watch.Seconds();
      solved.nodes = solver_.nodes() - nodes_before;
    };
    count_work();
    solved.task = &task;
    solved.empties = empties;
    solved.score = sign * value.score;
    solved.result = sign * value.result;
    if (all_) {
      solved.moves = SolveMoves(line);
      count_work();
    }
    solved.line = BestLine(line);
    solved.line_seconds = watch.Seconds() - solved.seconds;
  }

  EndgameValue Value(const TypedLine<G>& line) {
    return solver_.Solve(line.line().rules(), line.line().state());
  }

  std::vector<MoveScore> SolveMoves(const TypedLine<G>& line) {
    const int sign = line.to_move() == 0 ? 1 : -1;
    std::vector<MoveScore> moves;
    for (const std::string& text : line.LegalTexts()) {
      TypedLine<G> next = line;
      next.Play(next.ParseAction(text));
      moves.push_back({text, sign * Value(next).score});
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    return moves;
  }

  std::vector<std::string> BestLine(TypedLine<G> line) {
    std::vector<std::string> texts;
    while (!line.over()) {
      const Action best = Value(line).best;
      texts.push_back(line.ActionText(best));
      line.Play(best);
    }
    return texts;
  }

  bool all_;
  typename G::EndgameSolver solver_;
};

template <GameWithEndgameSolver G>
void CheckExpectations(const AnyGame& game, const std::vector<EndgameTask>& tasks) {
  const OptionTexts values = game.info().OptionValues();
  for (const auto& rule : G::EndgameFileRules()) {
    if (std::find(values.begin(), values.end(), rule) != values.end()) continue;
    const std::string setting = StrCat(rule.first, '=', rule.second);
    throw UserError(StrCat("--check: the scores behind positions suppose ", setting,
                           "; accepted: --set ", setting));
  }
  const bool any = std::any_of(tasks.begin(), tasks.end(),
                               [](const EndgameTask& task) { return !task.expected.empty(); });
  if (!any) throw UserError("--check: no position has scores behind it (\"; G8:+18; H1:-2\")");
}

std::vector<std::string> GamesWithSolver() {
  std::vector<std::string> names = GameNames();
  std::erase_if(names, [](const std::string& name) {
    return !RegisteredGames::Visit(name, []<Game G>() { return GameWithEndgameSolver<G>; });
  });
  return names;
}

template <Game G>
void Run(const SolveOptions& options, Session& session) {
  if constexpr (GameWithEndgameSolver<G>) {
    const auto game = MakeGame(options.game, options.rules);
    const auto tasks = ReadEndgameTasks(*game, options.source, options.check);
    // Before any work: what is wrong in the last line must not cost the work on the others.
    for (const EndgameTask& task : tasks) Solver<G>::EmptiesOf(task);
    if (options.check) CheckExpectations<G>(*game, tasks);
    const std::vector<Solved> solved = Solver<G>(options).Run(tasks);
    if (solved.empty()) {
      std::cerr << "no position was solved\n";
      return;
    }
    if (!PrintSolved(options, *game, solved)) session.exit_code = kExitCheckFailed;
  } else {
    throw UserError(
        StrCat(options.game, " has no endgame solver; accepted: ", Join(GamesWithSolver(), ", ")));
  }
}

}  // namespace

void AddSolve(CLI::App& app, Session& session) {
  const auto options = std::make_shared<SolveOptions>();
  AddGame(app, options->game);
  app.add_option("--position", options->source.position, "A position text")->type_name("TEXT");
  app.add_option("--file", options->source.file,
                 "A position a line (.obf), or - for the standard input")
      ->type_name("FILE");
  AddSet(app, options->rules);
  app.add_flag("--all", options->all, "Also the exact score of every move");
  app.add_flag("--check", options->check,
               "Compare with the scores behind the positions (\"; G8:+18; H1:-2\"): the best one, "
               "with --all each; exit code 1 if one differs");
  AddInteger(app, "--hash", options->hash_mib,
             {.min = 0, .max = 1 << 16, .unit = "MiB", .help = "Size of the hash table; 0: none"});
  AddJson(app, options->json);
  app.callback([options, &session] {
    RegisteredGames::Visit(options->game, [&]<Game G>() { Run<G>(*options, session); });
  });
}

}  // namespace qirkat::cli
