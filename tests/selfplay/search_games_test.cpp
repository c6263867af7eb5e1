// The search contract on every registered game: what must hold whatever the rules.
#include <gtest/gtest.h>

#include "envs/registry.h"
#include "selfplay/search/worlds.h"
#include "tests/envs/line_contract.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

// Plays one game by search and checks each result against the rules.
template <Game G>
void PlayAGame(std::uint64_t seed, std::int64_t visits) {
  const TypedGame<G> game(typename G::Options{});
  RandomStream setup(seed), noise(seed + 1), random(seed + 2);
  OneRowEvaluator<G> evaluator(MakeHashEvaluator);
  SearchOf<G> search(SearchOptions{}, false);
  search.SetRoot(game.Start(setup));
  Line<G> line = search.line();
  while (!line.over()) {
    evaluator.Finish(search, visits, &noise);
    ASSERT_EQ(search.line().depth(), 0);
    const RootResult result = search.Result();
    ASSERT_EQ(result.edges.size(), static_cast<std::size_t>(line.legal().size()));
    double prior = 0;
    for (int k = 0; k < line.legal().size(); ++k) {
      ASSERT_EQ(result.edges[k].action, line.legal()[k]);
      prior += result.edges[k].prior;
    }
    ASSERT_NEAR(prior, 1, 1e-5);
    if (!G::kSpec.hidden_information && !result.bounds.exact()) {  // else worlds may be solved
      ASSERT_EQ(result.visits, static_cast<std::uint64_t>(visits));
    }
    const Action action = search.ChooseAction(MoveTemperature({}, line.ply()), random);
    search.Play(action);
    line.Advance(action);
    ASSERT_EQ(search.line().StateKey(), line.StateKey());
    ASSERT_EQ(search.line().ply(), line.ply());
  }
}

TEST(SearchGamesTest, EveryGameCanBeSearched) {
  for (const std::string& name : RegisteredGames::Names()) {
    SCOPED_TRACE(name);
    RegisteredGames::Visit(name, []<Game G>() {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) PlayAGame<G>(seed, 60);
    });
  }
}

TEST(SearchGamesTest, ReversiEndgamesAreWonWhereTheyCanBe) {
  const TypedGame<Reversi> game(Reversi::Options{});
  OneRowEvaluator<Reversi> evaluator(MakeHashEvaluator);
  Search<Reversi> search(SearchOptions{}, false);
  int decided = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed);
    Line<Reversi> line = game.Start(random);
    while (!line.over() && line.ply() < 54) line.Advance(RandomAction(line, random));
    if (line.over() || line.legal().size() < 2) continue;
    const int sign = line.to_move() == 0 ? 1 : -1;
    Line<Reversi> copy = line;
    const int best = sign * Solve(copy);
    search.SetRoot(line);
    evaluator.Finish(search, 20'000);
    const Action action = search.ChooseAction(0, random);
    copy.Advance(action);
    EXPECT_EQ(sign * Solve(copy), best) << "seed " << seed;
    ++decided;
  }
  EXPECT_GE(decided, 20);
}

}  // namespace
}  // namespace qirkat
