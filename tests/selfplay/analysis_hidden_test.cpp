// The analysis of positions in which something is hidden.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/envs/line_contract.h"
#include "tests/selfplay/analysis_checks.h"

namespace qirkat {
namespace {

TEST(HiddenAnalysisTest, WhereInformationIsHiddenRoundsDrawNewWorlds) {
  const auto game = PlayableGame("stratego");
  const auto line = RandomLine(*game, 5, 20);
  const auto analysis = Make(*game, "hash:visits=64,worlds=4", 8);
  analysis->SetLine(*line, 1);
  const AnalysisResult once = Finish(*analysis, 64);
  analysis->Begin(std::nullopt);
  EXPECT_FALSE(analysis->has_result());
  while (!analysis->has_result()) ASSERT_TRUE(analysis->Step());
  EXPECT_LT(analysis->Result(1, 1).visits, once.visits);  // of the first world
  std::vector<std::uint32_t> visits;
  while (analysis->Result(1, 1).visits < 10 * once.visits) {
    ASSERT_TRUE(analysis->Step());
    visits.push_back(analysis->Result(1, 1).visits);
  }
  EXPECT_TRUE(std::ranges::is_sorted(visits));
  EXPECT_FALSE(Bits(analysis->Result(10'000, 1)) == Bits(once));
  // As if nothing had been before.
  EXPECT_TRUE(Bits(Finish(*analysis, 64)) == Bits(once));
}

// What the player to move does not know changes nothing.
TEST(HiddenAnalysisTest, HiddenFactsChangeNothing) {
  StrategoOptions options;
  options.setup = "random";
  const TypedGame<Stratego> game(options);
  int exchanged = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomStream random(seed);
    Line<Stratego> line = game.Start(random);
    while (!line.over() && line.ply() < 40 * seed) line.Advance(RandomAction(line, random));
    if (line.over()) continue;
    Line<Stratego> other = line;
    other.SetWorld(Stratego::DrawWorld(line.rules(), line.state(), line.to_move(), random));
    exchanged += Stratego::PositionText(line.rules(), line.state()) !=
                 Stratego::PositionText(line.rules(), other.state());
    for (const char* player : {"hash", "rollout"}) {
      const auto analysis = Make(game, player, 8);
      analysis->SetLine(TypedLine<Stratego>(line), seed);
      const auto expected = Bits(Finish(*analysis, 80));
      analysis->SetLine(TypedLine<Stratego>(other), seed);
      EXPECT_TRUE(Bits(Finish(*analysis, 80)) == expected);
    }
  }
  EXPECT_GE(exchanged, 4);
}

}  // namespace
}  // namespace qirkat
