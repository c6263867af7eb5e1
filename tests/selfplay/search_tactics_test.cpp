// Small tactical positions of every game, proven here by exhaustive search, and solved by every
// search.
#include <gtest/gtest.h>

#include <map>

#include "envs/registry.h"
#include "tests/selfplay/search_tactics.h"
#include "tests/selfplay/search_variants.h"

namespace qirkat {
namespace {

TEST(SearchTacticsTest, TheTableIsProven) {
  std::map<std::string, int> positions;
  for (const Tactic& tactic : AllTactics()) {
    SCOPED_TRACE(tactic.game + " " + tactic.position);
    ++positions[tactic.game];
    RegisteredGames::Visit(tactic.game, [&]<Game G>() {
      Line<G> line = LineOf<G>(tactic);
      int right = 0;
      ASSERT_FALSE(line.over());
      for (int k = 0; k < line.legal().size(); ++k) {
        const Action action = line.legal()[k];
        const std::string text = G::ActionText(line.rules(), line.state(), action);
        if (IsRight(tactic, line, action)) {
          ++right;
          EXPECT_TRUE(Achieves(tactic.aim, tactic.plies, line, action)) << text;
        } else {
          EXPECT_TRUE(Fails(tactic.aim, tactic.plies, line, action)) << text;
        }
      }
      EXPECT_EQ(right, std::ssize(tactic.right)) << "an answer is not legal";
      EXPECT_GT(line.legal().size(), right);
    });
  }
  for (const std::string& name : RegisteredGames::Names()) EXPECT_GE(positions[name], 6) << name;
}

TEST(SearchTacticsTest, EveryVariantChoosesARightAction) {
  constexpr std::int64_t kVisits = 15'000;
  for (const SearchVariant& variant : SearchVariants()) {
    for (const Tactic& tactic : AllTactics()) {
      RegisteredGames::Visit(tactic.game, [&]<Game G>() {
        const Line<G> line = LineOf<G>(tactic);
        for (const auto maker : {MakeHashEvaluator, MakeUniformEvaluator}) {
          if (maker == MakeHashEvaluator && !variant.explores) continue;
          const Action action = VariantPlayer<G>(variant, maker).Choose(line, kVisits);
          EXPECT_TRUE(IsRight(tactic, line, action))
              << variant.name << (maker == MakeHashEvaluator ? ", hash" : ", uniform") << " plays "
              << G::ActionText(line.rules(), line.state(), action) << " in " << tactic.game << ' '
              << tactic.position;
        }
      });
    }
  }
}

}  // namespace
}  // namespace qirkat
