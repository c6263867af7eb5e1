// Nothing hidden reaches the network or the search: on every registered game with hidden
// information, exchanging what a player does not know changes no bit of what he decides.
#include <gtest/gtest.h>

#include <bit>

#include "envs/registry.h"
#include "selfplay/search/worlds.h"
#include "tests/envs/line_contract.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {
namespace {

// Searches `line` with an evaluator that looks behind the observation or not, and returns all that
// the search says, as bits.
template <Game G>
std::vector<std::uint64_t> DecisionBits(const Line<G>& line, const EvaluatorFactory& factory,
                                        std::uint64_t seed) {
  const auto evaluator = factory.Make(1);
  EvalBuffers buffers(evaluator->shape(), 1);
  SearchOptions options;
  options.worlds = 3;
  WorldSearch<G> search(options, evaluator->needs_lines());
  RandomStream noise(seed), choice(seed + 1);
  std::vector<std::uint64_t> bits;
  search.SetRoot(line, seed);
  search.Begin(24, &noise);
  while (search.Advance() == SearchStatus::kNeedsEvaluation) {
    search.WriteLeaf(buffers.Row(0));
    for (const std::uint8_t byte : buffers.planes) bits.push_back(byte);
    if (evaluator->needs_lines()) {
      buffers.lines[0] = search.leaf_line();
      buffers.seeds[0] = search.leaf_seed();
    }
    evaluator->Evaluate(buffers.Batch(1, evaluator->needs_lines()), buffers.Result(1));
    search.Deliver(buffers.Logits(0), buffers.wdl, buffers.score[0], buffers.moves_left[0]);
  }
  const RootResult root = search.Result();
  for (const auto& edge : root.edges) {
    bits.insert(bits.end(), {edge.action, edge.visits, std::bit_cast<std::uint32_t>(edge.prior),
                             std::bit_cast<std::uint32_t>(edge.value)});
  }
  for (const float wdl : root.wdl) bits.push_back(std::bit_cast<std::uint32_t>(wdl));
  bits.push_back(search.ChooseAction(1, choice));
  return bits;
}

// Positions of random games from every kind of start, and in each of them other worlds.
template <Game G>
void CheckDecisions(const typename G::Options& options) {
  const TypedGame<G> game(options);
  const EvalShape shape = ShapeOf(game.info());
  const auto hash = MakeHashEvaluator(shape);
  const auto rollout = MakeRolloutEvaluator(shape, 1);
  int exchanged = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomStream setup(seed), random(seed + 100);
    Line<G> line = game.Start(setup);
    const std::uint32_t plies = random.Below(seed % 2 == 0 ? 200 : 700);
    while (!line.over() && line.ply() < plies) line.Advance(RandomAction(line, random));
    if (line.over()) continue;
    for (const auto* factory : {hash.get(), rollout.get()}) {
      const auto decision = DecisionBits<G>(line, *factory, seed);
      for (int k = 0; k < 3; ++k) {
        Line<G> other = line;
        other.SetWorld(G::DrawWorld(line.rules(), line.state(), line.to_move(), random));
        exchanged += G::PositionText(line.rules(), line.state()) !=
                     G::PositionText(line.rules(), other.state());
        ASSERT_EQ(G::ViewText(line.rules(), line.state(), line.to_move()),
                  G::ViewText(line.rules(), other.state(), line.to_move()));
        ASSERT_TRUE(DecisionBits<G>(other, *factory, seed) == decision)
            << G::PositionText(line.rules(), line.state());
      }
    }
  }
  EXPECT_GE(exchanged, 30);
}

TEST(HiddenInformationTest, WhatAPlayerDoesNotKnowChangesNoDecision) {
  int games = 0;
  for (const std::string& name : RegisteredGames::Names()) {
    SCOPED_TRACE(name);
    games += RegisteredGames::Visit(name, []<Game G>() {
      if constexpr (G::kSpec.hidden_information) {
        CheckDecisions<G>({});
        // Chance setups and the rules that look at the past.
        for (const OptionTexts& options :
             {OptionTexts{{"setup", "random"}}, OptionTexts{{"rules", "tournament"}}}) {
          CheckDecisions<G>(ParseOptions<typename G::Options>(options, "test"));
        }
        return 1;
      } else {
        return 0;
      }
    });
  }
  EXPECT_EQ(games, 1);
}

}  // namespace
}  // namespace qirkat
