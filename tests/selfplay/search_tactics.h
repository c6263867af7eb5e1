// Tactical positions (tests/data/tactics.txt) and their proof by exhaustive search.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "envs/core/text.h"
#include "envs/core/typed_line.h"
#include "tests/envs/test_data.h"

namespace qirkat {

// Whether `player` can force an end of the game that is at least `result` for him (1 a win, 0 a
// draw) within `plies`, chains and passes counted as they are played.
template <Game G>
bool Forces(Line<G>& line, Player player, int result, int plies) {
  if (line.over()) {
    return (player == 0 ? line.outcome().result : -line.outcome().result) >= result;
  }
  if (plies == 0) return false;
  const bool chooses = line.to_move() == player;
  for (int k = 0; k < line.legal().size(); ++k) {
    line.Push(line.legal()[k]);
    const bool forced = Forces(line, player, result, plies - 1);
    line.Pop();
    if (forced == chooses) return chooses;
  }
  return !chooses;
}

// What the right actions do, and the wrong ones do not.
enum class Aim {
  kWin,   // the right ones win within `plies`, the others do not
  kDraw,  // the right ones force at least a draw within `plies`, the others lose within them
  kHold,  // the right ones do not lose within `plies`, the others do
};

struct Tactic {
  std::string game;
  Aim aim;
  int plies;  // the action itself counted
  std::string position;
  std::vector<std::string> moves;  // played from there, for what a position text does not carry
  std::vector<std::string> right;  // action texts
};

// A line of the file: "game; aim plies; position; moves; right actions".
inline Tactic ParseTactic(const std::string& text) {
  const auto words = [](std::string_view field) {
    std::vector<std::string> list;
    for (const auto word : Split(field, ' ')) {
      if (!word.empty()) list.emplace_back(word);
    }
    return list;
  };
  const auto fields = Split(text, ';');
  EXPECT_EQ(fields.size(), 5u) << text;
  const auto aim = words(fields[1]);
  return {.game = words(fields[0]).at(0),
          .aim = aim.at(0) == "win"    ? Aim::kWin
                 : aim.at(0) == "draw" ? Aim::kDraw
                                       : Aim::kHold,
          .plies = std::stoi(aim.at(1)),
          .position = Join(words(fields[2]), " "),
          .moves = words(fields[3]),
          .right = words(fields[4])};
}

inline std::vector<Tactic> AllTactics() {
  std::vector<Tactic> tactics;
  for (const std::string& line : LinesOf("tactics.txt")) {
    if (!line.empty() && line[0] != '#') tactics.push_back(ParseTactic(line));
  }
  return tactics;
}

template <Game G>
Line<G> LineOf(const Tactic& tactic) {
  const TypedGame<G> game(typename G::Options{});
  TypedLine<G> line(game.StartAt(tactic.position));
  for (const std::string& move : tactic.moves) line.Play(line.ParseAction(move));
  return line.line();
}

template <Game G>
bool IsRight(const Tactic& tactic, const Line<G>& line, Action action) {
  const std::string text = G::ActionText(line.rules(), line.state(), action);
  return std::find(tactic.right.begin(), tactic.right.end(), text) != tactic.right.end();
}

// Whether this action does what the right ones should.
template <Game G>
bool Achieves(Aim aim, int plies, Line<G>& line, Action action) {
  const Player player = line.to_move();
  line.Push(action);
  const bool achieved = aim == Aim::kWin    ? Forces(line, player, 1, plies - 1)
                        : aim == Aim::kDraw ? Forces(line, player, 0, plies - 1)
                                            : !Forces(line, Opponent(player), 1, plies - 1);
  line.Pop();
  return achieved;
}

// Whether this action fails as the wrong ones should.
template <Game G>
bool Fails(Aim aim, int plies, Line<G>& line, Action action) {
  return !Achieves(aim == Aim::kWin ? Aim::kWin : Aim::kHold, plies, line, action);
}

}  // namespace qirkat
