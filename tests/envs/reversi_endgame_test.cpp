// The endgame solver of Reversi against plain search of everything, and on the FFO positions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "envs/registry.h"
#include "envs/reversi/endgame_stability.h"
#include "tests/allocations.h"
#include "tests/envs/test_data.h"

namespace qirkat {
namespace {

using reversi::Bitboard;

static_assert(!GameWithEndgameSolver<Alquerque>);

constexpr std::array<std::size_t, 4> kHashBytes = {0, 48, 4096, 1 << 20};

TypedGame<Reversi> GameWith(bool winner_takes_empties) {
  Reversi::Options options;
  options.winner_takes_empties = winner_takes_empties;
  return TypedGame<Reversi>(options);
}

int EmptiesOf(const Reversi::State& state) {
  return 64 - std::popcount(state.discs[0] | state.discs[1]);
}

// What was met on the way.
struct Met {
  int passes = 0;
  int wipe_outs = 0;   // ends at which a side has no disc
  int early_ends = 0;  // ends with empty squares
};

// The outcome under best play of both, by the rules alone: every action to every end.
Outcome SearchEverything(Line<Reversi>& line, Met& met) {
  if (line.over()) {
    met.wipe_outs += line.state().discs[0] == 0 || line.state().discs[1] == 0;
    met.early_ends += EmptiesOf(line.state()) > 0;
    return line.outcome();
  }
  const auto legal = line.legal();
  met.passes += legal.pass;
  const int sign = line.to_move() == 0 ? 1 : -1;
  Outcome best;
  for (int k = 0; k < legal.size(); ++k) {
    line.Push(legal[k]);
    const Outcome outcome = SearchEverything(line, met);
    line.Pop();
    if (k == 0 || sign * outcome.score > sign * best.score) best = outcome;
  }
  return best;
}

// Random play from the start until so many squares are empty, or the end.
Reversi::State PlayedDownTo(int empties, RandomStream& random) {
  const auto game = GameWith(false);
  RandomStream setup;
  Line<Reversi> line = game.Start(setup);
  while (!line.over() && EmptiesOf(line.state()) > empties) {
    line.Advance(line.legal()[random.Below(static_cast<std::uint32_t>(line.legal().size()))]);
  }
  return line.state();
}

// Any discs, half of the boards nearly one-sided: many passes, wipe-outs and early ends.
Reversi::State Filled(int empties, RandomStream& random) {
  Reversi::State state = {{}, random.Below(2)};
  const std::uint32_t share = 1 + random.Below(random.Below(2) == 0 ? 3 : 29);  // of 30
  for (int square = 0; square < 64; ++square) {
    state.discs[random.Below(30) < share] |= Bitboard{1} << square;
  }
  for (int k = 0; k < empties; ++k) {
    const Bitboard bit = Bitboard{1} << random.Below(64);
    for (Bitboard& discs : state.discs) discs &= ~bit;
  }
  return state;
}

Reversi::State RandomEndgame(int number, int empties, RandomStream& random) {
  return number % 2 == 0 ? PlayedDownTo(empties, random) : Filled(empties, random);
}

TEST(ReversiEndgameTest, AgreesWithSearchingEverything) {
  RandomStream random(11, 0, 0, StreamPurpose::kTest);
  Met met;
  for (const bool winner_takes_empties : {false, true}) {
    const auto game = GameWith(winner_takes_empties);
    std::vector<Reversi::EndgameSolver> solvers;
    for (const std::size_t bytes : kHashBytes) solvers.emplace_back(bytes);
    for (int i = 0; i < 400; ++i) {
      const Reversi::State state = RandomEndgame(i, i % 10, random);
      Line<Reversi> line(game.rules(), state);
      SCOPED_TRACE(Reversi::PositionText(line.rules(), state));
      const Outcome expected = SearchEverything(line, met);
      for (auto& solver : solvers) {
        const EndgameValue value = solver.Solve(line.rules(), state);
        EXPECT_EQ(value.score, expected.score);
        EXPECT_EQ(value.result, expected.result);
        if (line.over()) {
          EXPECT_EQ(value.best, EndgameValue::kNoAction);
          continue;
        }
        ASSERT_TRUE(line.legal().Contains(value.best)) << value.best;
        line.Push(value.best);
        EXPECT_EQ(SearchEverything(line, met).score, expected.score) << value.best;
        line.Pop();
      }
    }
  }
  EXPECT_GT(met.passes, 1000);
  EXPECT_GT(met.wipe_outs, 100);
  EXPECT_GT(met.early_ends, 1000);
}

// What no exhaustive search can reach: every table finds the same, and the best of what is behind
// the moves is the value.
TEST(ReversiEndgameTest, MovesAgreeWithTheirPosition) {
  RandomStream random(12, 0, 0, StreamPurpose::kTest);
  for (int i = 0; i < 60; ++i) {
    const auto game = GameWith(i % 3 == 0);
    const Reversi::State state = RandomEndgame(i, 10 + i % 4, random);
    Line<Reversi> line(game.rules(), state);
    SCOPED_TRACE(Reversi::PositionText(line.rules(), state));
    Reversi::EndgameSolver solver(1 << 20);
    const EndgameValue value = solver.Solve(line.rules(), state);
    for (const std::size_t bytes : kHashBytes) {
      Reversi::EndgameSolver other(bytes);
      EXPECT_EQ(other.Solve(line.rules(), state).score, value.score) << bytes;
    }
    if (line.over()) continue;
    const int sign = line.to_move() == 0 ? 1 : -1;
    int best = -65;
    for (int k = 0; k < line.legal().size(); ++k) {
      line.Push(line.legal()[k]);
      best = std::max(best, sign * solver.Solve(line.rules(), line.state()).score);
      line.Pop();
    }
    EXPECT_EQ(best, sign * value.score);
  }
}

// Bounds that are too tight by one disc show where the question is just that disc, and so do those
// that one question leaves for the next.
TEST(ReversiEndgameTest, WindowsBesideTheScoreAgreeWithIt) {
  RandomStream random(17, 0, 0, StreamPurpose::kTest);
  const auto game = GameWith(true);
  Line<Reversi> line(game.rules(), PlayedDownTo(0, random));
  Met met;
  for (int i = 0; i < 500; ++i) {
    line.Reset(i % 4 == 0 ? PlayedDownTo(9, random) : Filled(9, random));
    const Reversi::State& state = line.state();
    SCOPED_TRACE(Reversi::PositionText(line.rules(), state));
    const int score = SearchEverything(line, met).score * (line.to_move() == 0 ? 1 : -1);
    const Bitboard own = state.discs[line.to_move()];
    const Bitboard enemy = state.discs[line.to_move() ^ 1];
    for (const std::size_t bytes : kHashBytes) {
      reversi::EndgameSearch search(bytes);
      EXPECT_GE(search.Solve(own, enemy, true, score - 1, score).score, score);
      EXPECT_LE(search.Solve(own, enemy, true, score, score + 1).score, score);
      const int bound = search.Solve(own, enemy, true, -1, 1).score;
      EXPECT_EQ((bound > 0) - (bound < 0), (score > 0) - (score < 0));
      EXPECT_EQ(search.Solve(own, enemy, true, -65, 65).score, score);
    }
  }
}

// Bounds of one rule option must not be taken for the other's; a copy goes its own way.
TEST(ReversiEndgameTest, OneSolverServesBothOptionsAndCopies) {
  RandomStream random(13, 0, 0, StreamPurpose::kTest);
  const auto plain = GameWith(false);
  const auto with_empties = GameWith(true);
  Reversi::EndgameSolver used(1 << 16);
  int different = 0;
  for (int i = 0; i < 400; ++i) {
    const Reversi::State state = Filled(9 + i % 3, random);
    const int score = Reversi::EndgameSolver(0).Solve(*plain.rules(), state).score;
    const int with_score = Reversi::EndgameSolver(0).Solve(*with_empties.rules(), state).score;
    different += score != with_score;
    EXPECT_EQ(used.Solve(*plain.rules(), state).score, score);
    Reversi::EndgameSolver copy = used;
    EXPECT_EQ(used.Solve(*with_empties.rules(), state).score, with_score);
    EXPECT_EQ(copy.Solve(*plain.rules(), state).score, score);
  }
  EXPECT_GT(different, 20);
}

TEST(ReversiEndgameTest, TheTableKeepsTheTighterBounds) {
  reversi::internal::EndgameTable table(1 << 10);
  table.Store({.own = 1, .enemy = 2, .lower = 10, .upper = 64, .square = 3});
  table.Store({.own = 1, .enemy = 2, .lower = -64, .upper = 20, .square = 4});
  const auto* entry = table.Find(1, 2);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->lower, 10);
  EXPECT_EQ(entry->upper, 20);
  EXPECT_EQ(entry->square, 4);
}

TEST(ReversiEndgameTest, AllocatesNothing) {
  RandomStream random(14, 0, 0, StreamPurpose::kTest);
  const auto game = GameWith(false);
  Reversi::EndgameSolver solver(1 << 16);
  const Reversi::State state = PlayedDownTo(12, random);
  const std::uint64_t before = Allocations();
  solver.Solve(*game.rules(), state);
  EXPECT_EQ(Allocations(), before);
}

TEST(ReversiEndgameTest, NoEndgameWhereTheLimitOfPliesCanDecide) {
  Reversi::Options options;
  options.max_plies = 70;
  const auto rules = Reversi::MakeRules(options);
  const auto state = Reversi::ParsePosition(rules, std::string(62, 'X') + "-- O");
  EXPECT_EQ(Reversi::EndgameEmpties(rules, state, {.ply = 66}), 2);
  EXPECT_EQ(Reversi::EndgameEmpties(rules, state, {.ply = 67}), kNoEndgame);
}

TEST(ReversiEndgameTest, AnObserverCanEndTheSearch) {
  struct Stop {};
  const auto game = GameWith(true);
  const auto state = Reversi::ParsePosition(*game.rules(), LinesOf("ffo_40_59.obf").at(19));
  Reversi::EndgameSolver solver(1 << 20);
  int calls = 0;
  solver.set_observer([&](std::uint64_t nodes) {
    EXPECT_EQ(nodes, solver.nodes());
    if (++calls == 3) throw Stop();
  });
  EXPECT_THROW(solver.Solve(*game.rules(), state), Stop);
  EXPECT_EQ(calls, 3);
  solver.set_observer(nullptr);
  const std::string easy = LinesOf("ffo_1_19.obf").at(0);
  EXPECT_EQ(solver.Solve(*game.rules(), Reversi::ParsePosition(*game.rules(), easy)).score, 18);
}

// "BOARD X; G8:+18; H1:+12;" -> {"G8", 18}, … for the side to move.
std::map<std::string, int> ExpectedScores(const std::string& text) {
  std::map<std::string, int> scores;
  const auto parts = Split(text, ';');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string part(Trim(parts[i]));
    if (part.empty()) continue;
    scores[part.substr(0, part.find(':'))] = std::stoi(part.substr(part.find(':') + 1));
  }
  return scores;
}

TEST(ReversiEndgameTest, EveryMoveOfFfo1To19) {
  const TypedGame<Reversi> game = GameWith(true);
  Reversi::EndgameSolver solver(16 << 20);
  int moves = 0;
  for (const std::string& text : LinesOf("ffo_1_19.obf")) {
    SCOPED_TRACE(text);
    const TypedLine<Reversi> line(game.StartAt(text));
    const int sign = line.to_move() == 0 ? 1 : -1;
    int best = -65;
    for (const auto& [move, expected] : ExpectedScores(text)) {
      TypedLine<Reversi> next(line);
      next.Play(next.ParseAction(move));
      EXPECT_EQ(sign * solver.Solve(*game.rules(), next.line().state()).score, expected) << move;
      best = std::max(best, expected);
      ++moves;
    }
    EXPECT_EQ(sign * solver.Solve(*game.rules(), line.line().state()).score, best);
  }
  EXPECT_EQ(moves, 145);
}

// The first of them; all of them in scripts/test --long.
TEST(ReversiEndgameTest, Ffo40To44) {
  const TypedGame<Reversi> game = GameWith(true);
  const int count = std::getenv("QIRKAT_LONG_TESTS") != nullptr ? 5 : 1;
  const auto lines = LinesOf("ffo_40_59.obf");
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(lines.at(i));
    Reversi::EndgameSolver solver(64 << 20);
    const Reversi::State state = game.StartAt(lines[i]).state();
    const EndgameValue value = solver.Solve(*game.rules(), state);
    int best = -65;
    for (const auto& [move, expected] : ExpectedScores(lines[i])) best = std::max(best, expected);
    EXPECT_EQ(Reversi::ToMove(state) == 0 ? value.score : -value.score, best);
  }
}

TEST(ReversiEndgameTest, LastFlipsCountsWhatFlipsTurns) {
  RandomStream random(15, 0, 0, StreamPurpose::kTest);
  for (int i = 0; i < 20000; ++i) {
    const int square = i % 64;
    const Bitboard others = ~(Bitboard{1} << square);
    // One, two or three of four discs are own.
    Bitboard own = random.Next() & others;
    if (i % 3 == 1) own &= random.Next();
    if (i % 3 == 2) own |= random.Next() & others;
    EXPECT_EQ(reversi::internal::LastFlips(own, square),
              std::popcount(reversi::Flips(own, others & ~own, square)));
  }
}

TEST(ReversiEndgameTest, StableDiscsAreNeverTurned) {
  RandomStream random(16, 0, 0, StreamPurpose::kTest);
  const auto game = GameWith(false);
  int stable_discs = 0;
  for (int i = 0; i < 2000; ++i) {
    Line<Reversi> line(game.rules(), RandomEndgame(i, 5 + i % 30, random));
    std::array<Bitboard, 2> stable;
    for (const int side : {0, 1}) {
      const auto& discs = line.state().discs;
      stable[side] = reversi::StableDiscs(discs[side], discs[side ^ 1]);
      EXPECT_EQ(stable[side] & ~discs[side], 0u);
      EXPECT_EQ(reversi::StableEdgeDiscs(discs[side], discs[side ^ 1]) & ~stable[side], 0u);
      stable_discs += std::popcount(stable[side]);
    }
    for (int playout = 0; playout < 5; ++playout) {
      Line<Reversi> next = line;
      while (!next.over()) {
        next.Advance(next.legal()[random.Below(static_cast<std::uint32_t>(next.legal().size()))]);
        for (const int side : {0, 1}) EXPECT_EQ(stable[side] & ~next.state().discs[side], 0u);
      }
    }
  }
  EXPECT_GT(stable_discs, 20000);
  // A full board, an edge from corner to corner, a lone disc on an edge.
  EXPECT_EQ(reversi::StableDiscs(0xFF00FF00FF00FF00, 0x00FF00FF00FF00FF), 0xFF00FF00FF00FF00u);
  EXPECT_EQ(reversi::StableDiscs(0x07, 0xF8), 0x07u);
  EXPECT_EQ(reversi::StableDiscs(0x10, 0), 0u);
}

}  // namespace
}  // namespace qirkat
