#include "frontends/cli/solve_report.h"

#include <algorithm>

#include <iostream>
#include <nlohmann/json.hpp>

#include "envs/core/text.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {
namespace {

std::string Signed(int score) { return StrCat(score > 0 ? "+" : "", score); }

// What differs from the file, one text each: the best score, with --all also those of the moves.
std::vector<std::string> Differences(const Solved& solved) {
  std::vector<std::string> differences;
  const auto compare = [&](const std::string& what, int expected, int found) {
    if (expected != found) {
      differences.push_back(
          StrCat(what, " expected ", Signed(expected), ", found ", Signed(found)));
    }
  };
  const auto& expected = solved.task->expected;
  if (expected.empty()) return differences;
  const auto best = std::max_element(expected.begin(), expected.end(),
                                     [](auto& a, auto& b) { return a.score < b.score; });
  compare("score", best->score, solved.score);
  for (const MoveScore& move : solved.moves) {
    for (const MoveScore& other : expected) {
      if (move.move == other.move) compare(move.move, other.score, move.score);
    }
  }
  return differences;
}

struct Totals {
  std::uint64_t nodes = 0;
  double seconds = 0;
  double line_seconds = 0;
  int checked = 0, wrong = 0;  // positions
};

Totals TotalsOf(const std::vector<Solved>& all) {
  Totals totals;
  for (const Solved& solved : all) {
    totals.nodes += solved.nodes;
    totals.seconds += solved.seconds;
    totals.line_seconds += solved.line_seconds;
    totals.checked += !solved.task->expected.empty();
    totals.wrong += !Differences(solved).empty();
  }
  return totals;
}

std::string RateText(std::uint64_t nodes, double seconds) {
  return ShortNumber(static_cast<double>(nodes) / std::max(seconds, 1e-9)) + " nodes/s";
}

std::string SecondsText(double seconds) { return Fixed(seconds, 3) + " s"; }

void PrintText(const SolveOptions& options, const AnyGame& game, const std::vector<Solved>& all) {
  std::cout << "scores for the side to move;";
  for (const auto& [name, value] : game.info().OptionValues()) {
    std::cout << ' ' << name << '=' << value;
  }
  std::cout << '\n';
  TextTable table({"position", "to move", "empties", "score", "nodes", "time", "", "best line"});
  for (const Solved& solved : all) {
    const AnyLine& line = *solved.task->line;
    table.AddRow({solved.task->where, std::string(line.spec().player_names[line.to_move()]),
                  std::to_string(solved.empties), Signed(solved.score),
                  ShortNumber(static_cast<double>(solved.nodes)), SecondsText(solved.seconds),
                  RateText(solved.nodes, solved.seconds), Join(solved.line, " ")});
  }
  table.Print(std::cout);
  for (const Solved& solved : all) {
    if (solved.moves.empty()) continue;
    std::cout << solved.task->where << " moves";
    for (const MoveScore& move : solved.moves) {
      std::cout << ' ' << move.move << ':' << Signed(move.score);
    }
    std::cout << '\n';
  }
  for (const Solved& solved : all) {
    for (const std::string& difference : Differences(solved)) {
      std::cout << solved.task->where << ": " << difference << '\n';
    }
  }
  const Totals totals = TotalsOf(all);
  std::cout << "positions " << all.size();
  if (options.check) std::cout << ", compared " << totals.checked << ", wrong " << totals.wrong;
  std::cout << ", " << ShortNumber(static_cast<double>(totals.nodes)) << " nodes in "
            << SecondsText(totals.seconds) << ", " << RateText(totals.nodes, totals.seconds)
            << ", best lines " << SecondsText(totals.line_seconds) << '\n';
}

void PrintAsJson(const SolveOptions& options, const AnyGame& game, const std::vector<Solved>& all) {
  nlohmann::ordered_json positions = nlohmann::ordered_json::array();
  for (const Solved& solved : all) {
    nlohmann::ordered_json position = {{"position", solved.task->line->PositionText()},
                                       {"where", solved.task->where},
                                       {"player", solved.task->line->to_move()},
                                       {"empties", solved.empties},
                                       {"score", solved.score},
                                       {"result", solved.result},
                                       {"line", solved.line},
                                       {"nodes", solved.nodes},
                                       {"seconds", solved.seconds},
                                       {"line_seconds", solved.line_seconds}};
    if (options.all) {
      nlohmann::ordered_json moves = nlohmann::ordered_json::object();
      for (const MoveScore& move : solved.moves) moves[move.move] = move.score;
      position["moves"] = moves;
    }
    if (options.check) position["differences"] = Differences(solved);
    positions.push_back(position);
  }

  const Totals totals = TotalsOf(all);
  PrintJson({{"game", options.game},
             {"options", OptionsJson(game)},
             {"hash_mib", options.hash_mib},
             {"positions", positions},
             {"nodes", totals.nodes},
             {"seconds", totals.seconds},
             {"line_seconds", totals.line_seconds}});
}

}  // namespace

bool PrintSolved(const SolveOptions& options, const AnyGame& game, const std::vector<Solved>& all) {
  options.json ? PrintAsJson(options, game, all) : PrintText(options, game, all);
  return TotalsOf(all).wrong == 0;
}

}  // namespace qirkat::cli
