// A game's endgame solver inside the search.
#include <gtest/gtest.h>

#include "envs/registry.h"
#include "tests/envs/line_contract.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

// A Reversi line after random plies, with this many empty squares.
Line<Reversi> LateLine(const TypedGame<Reversi>& game, std::uint64_t seed, int empties) {
  for (;; seed += 1000) {
    RandomStream random(seed);
    Line<Reversi> line = game.Start(random);
    while (!line.over() &&
           Reversi::EndgameEmpties(line.rules(), line.state(), line.history()) > empties) {
      line.Advance(RandomAction(line, random));
    }
    if (!line.over() && line.legal().size() > 1) return line;
  }
}

TEST(SearchEndgameTest, SolvedLeavesAreExactAndNeedNoEvaluation) {
  const TypedGame<Reversi> game(Reversi::Options{});
  OneRowEvaluator<Reversi> evaluator(MakeHashEvaluator);
  Reversi::EndgameSolver solver(0);
  SearchOptions options;
  options.solve_empties = 9;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Line<Reversi> line = LateLine(game, seed, 10);
    Search<Reversi> search(options, false);
    search.SetRoot(line);
    evaluator.Finish(search, 200);
    const RootResult root = search.Result();
    EXPECT_EQ(search.stats().evaluations, 1u) << "the root's own";
    const EndgameValue truth = solver.Solve(line.rules(), line.state());
    ASSERT_EQ(root.bounds, Bounds::Exactly(truth.result)) << seed;
    for (const RootResult::Edge& edge : root.edges) {
      if (edge.visits == 0) continue;
      Line<Reversi> child = line;
      child.Advance(edge.action);
      const int score =
          child.over() ? child.outcome().score : solver.Solve(child.rules(), child.state()).score;
      EXPECT_EQ(edge.score, static_cast<float>(score)) << seed;
      EXPECT_TRUE(edge.bounds.exact());
    }
    RandomStream random;
    const Action action = search.ChooseAction(0, random);
    Line<Reversi> after = line;
    after.Advance(action);
    const int result =
        after.over() ? after.outcome().result : solver.Solve(after.rules(), after.state()).result;
    EXPECT_EQ(result, truth.result) << seed;
    // The position behind a solved leaf can be searched in its turn.
    search.Play(action);
    if (search.line().over()) continue;
    evaluator.Finish(search, 200);
    EXPECT_EQ(search.Result().bounds, Bounds::Exactly(truth.result)) << seed;
  }
}

// The one visited action is solved as lost, and the prior of the others is 0 in single precision.
TEST(SearchEndgameTest, WhatWasNotVisitedStillHasWeight) {
  const TypedGame<Reversi> game(Reversi::Options{});
  OneRowEvaluator<Reversi> evaluator(MakeHashEvaluator);
  SearchOptions options;
  options.solve_empties = 10;
  options.policy_temperature = 0.01;
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Search<Reversi> search(options, false);
    search.SetRoot(LateLine(game, seed, 10));
    evaluator.Finish(search, 2);
    const RootResult root = search.Result();
    double sum = 0;
    for (const RootResult::Edge& edge : root.edges) sum += edge.weight;
    ASSERT_GT(sum, 0) << seed;
    RandomStream random(seed);
    EXPECT_TRUE(search.line().legal().Contains(search.ChooseAction(1, random)));
    lost += !root.bounds.exact() && std::ranges::any_of(root.edges, [&](const auto& edge) {
      return edge.visits > 0 && edge.weight == 0;
    });
  }
  EXPECT_GE(lost, 3);
}

TEST(SearchEndgameTest, WithScoreWeightTheBestScoreIsPlayed) {
  const TypedGame<Reversi> game(Reversi::Options{});
  OneRowEvaluator<Reversi> evaluator(MakeHashEvaluator);
  Reversi::EndgameSolver solver(0);
  SearchOptions options;
  options.score_weight = 1;
  int proven = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Search<Reversi> search(options, false);
    search.SetRoot(LateLine(game, seed, 9));
    evaluator.Finish(search, 200);
    const RootResult root = search.Result();
    if (!root.bounds.exact() || root.bounds.lower == 0) continue;
    ++proven;
    RandomStream random;
    const Action action = search.ChooseAction(0, random);
    const float sign = search.line().to_move() == 0 ? 1 : -1;
    const auto played = std::ranges::find(root.edges, action, &RootResult::Edge::action);
    for (const RootResult::Edge& edge : root.edges) {
      EXPECT_TRUE(edge.weight == 0 || sign * played->score >= sign * edge.score) << seed;
    }
  }
  EXPECT_GE(proven, 10);
}

TEST(SearchEndgameTest, ItIsAskedOnlyWhereItApplies) {
  // max_plies can decide here, so the solver must not.
  Reversi::Options rules;
  rules.max_plies = 58;
  const TypedGame<Reversi> game(rules);
  OneRowEvaluator<Reversi> evaluator(MakeHashEvaluator);
  SearchOptions with, without;
  with.solve_empties = 20;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RandomStream random(seed);
    Line<Reversi> line = game.Start(random);
    while (!line.over() && line.ply() < 50) line.Advance(RandomAction(line, random));
    if (line.over()) continue;
    Search<Reversi> a(with, false), b(without, false);
    a.SetRoot(line);
    b.SetRoot(line);
    evaluator.Finish(a, 300);
    evaluator.Finish(b, 300);
    EXPECT_EQ(a.stats().evaluations, b.stats().evaluations);
    EXPECT_EQ(a.Result().wdl[0], b.Result().wdl[0]);
  }
}

TEST(SearchEndgameTest, GamesWithoutASolverAreSearchedAsEver) {
  SearchOptions options;
  options.solve_empties = 30;
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  const auto line = StartLine<SmallTree>({.seed = 3, .depth = 40, .branching = 8});
  Search<SmallTree> a(options, false), b(SearchOptions{}, false);
  a.SetRoot(line);
  b.SetRoot(line);
  evaluator.Finish(a, 300);
  evaluator.Finish(b, 300);
  EXPECT_EQ(a.stats().evaluations, b.stats().evaluations);
}

}  // namespace
}  // namespace qirkat
