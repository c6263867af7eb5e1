// Every search finds the exact policy of tic-tac-toe.
#include <gtest/gtest.h>

#include <set>

#include "docs/examples/tictactoe/tictactoe.h"
#include "tests/selfplay/search_test_games.h"
#include "tests/selfplay/search_variants.h"

namespace qirkat {
namespace {

using Stones = std::array<std::uint16_t, 2>;

// The smallest of the eight images of a position.
Stones Canonical(const TicTacToe::State& state) {
  Stones smallest = {0xFFFF, 0xFFFF};
  for (int symmetry = 0; symmetry < TicTacToe::kSpec.symmetries; ++symmetry) {
    Stones image = {};
    for (int square = 0; square < 9; ++square) {
      const int to = TicTacToe::MapSquare(symmetry, square);
      for (int p = 0; p < 2; ++p) image[p] |= (state.stones[p] >> square & 1) << to;
    }
    smallest = std::min(smallest, image);
  }
  return smallest;
}

void Collect(const Line<TicTacToe>& line, std::set<Stones>& seen,
             std::vector<Line<TicTacToe>>& positions) {
  if (line.over() || !seen.insert(Canonical(line.state())).second) return;
  positions.push_back(line);
  for (int k = 0; k < line.legal().size(); ++k) {
    Line<TicTacToe> next = line;
    next.Advance(line.legal()[k]);
    Collect(next, seen, positions);
  }
}

// Every position that can be reached and is not over, one of each symmetry class.
std::vector<Line<TicTacToe>> AllPositions() {
  std::vector<Line<TicTacToe>> positions;
  std::set<Stones> seen;
  Collect(StartLine<TicTacToe>({}), seen, positions);
  return positions;
}

// `per_power` for each fourth power of the number of empty squares. The game tree is smaller, but a
// proven draw is visited again and again, too, before a network without knowledge is mistrusted.
std::int64_t EnoughVisits(const Line<TicTacToe>& line, std::int64_t per_power) {
  const std::int64_t empties = line.legal().size();
  return 200 + per_power * empties * empties * empties * empties;
}

void ExpectOptimal(const SearchVariant& variant, VariantEvaluator<TicTacToe>::Maker maker,
                   std::int64_t per_power, std::size_t stride) {
  VariantPlayer<TicTacToe> player(variant, maker);
  const auto positions = AllPositions();
  EXPECT_EQ(positions.size(), 627u);  // 765 classes, 138 of them over
  for (std::size_t i = 0; i < positions.size(); i += stride) {
    const Line<TicTacToe>& line = positions[i];
    const auto values = SolveActions(line);
    const Action action = player.Choose(line, EnoughVisits(line, per_power));
    EXPECT_EQ(values.at(action), BestOf(values))
        << variant.name << " at " << TicTacToe::PositionText(line.rules(), line.state());
    const Bounds bounds = player.search().Result().bounds;
    EXPECT_TRUE(!bounds.exact() || bounds.For(line.to_move()).lower == BestOf(values));
  }
}

TEST(SearchTicTacToeTest, EveryVariantPlaysAnOptimalActionInEveryPosition) {
  for (const SearchVariant& variant : SearchVariants()) {
    ExpectOptimal(variant, MakeUniformEvaluator, 10, 1);
  }
}

TEST(SearchTicTacToeTest, EvenWhereTheNetworkKnowsNothing) {
  for (const SearchVariant& variant : SearchVariants()) {
    if (variant.explores) ExpectOptimal(variant, MakeHashEvaluator, 30, 5);
  }
}

TEST(SearchTicTacToeTest, EveryPositionIsProven) {
  for (const bool graph : {false, true}) {
    SearchVariant variant{.name = "puct", .options = {.graph = graph}};
    VariantPlayer<TicTacToe> player(variant, MakeUniformEvaluator);
    for (const auto& line : AllPositions()) {
      if (line.legal().size() == 9 && !graph) continue;
      player.Choose(line, 1'000'000);
      Line<TicTacToe> copy = line;
      EXPECT_EQ(player.search().Result().bounds,
                Bounds::Exactly(static_cast<std::int8_t>(Solve(copy))))
          << TicTacToe::PositionText(line.rules(), line.state());
    }
  }
}

}  // namespace
}  // namespace qirkat
