// What holds for every search, on random trees.
#include <gtest/gtest.h>

#include <cstring>

#include "envs/reversi/reversi.h"
#include "tests/envs/line_contract.h"
#include "tests/selfplay/search_variants.h"
#include "tests/selfplay/search_walk.h"

namespace qirkat {
namespace {

// Small enough to be solved at every node.
Line<SmallTree> SolvableTree(int seed) {
  return StartLine<SmallTree>({.seed = seed, .depth = 7, .branching = 5});
}
// Deeper; the games end early by chance.
Line<SmallTree> DeepTree(int seed) {
  return StartLine<SmallTree>({.seed = seed, .depth = 40, .branching = 8});
}

// Too large to be proven.
Line<Reversi> ReversiAfter(std::uint32_t plies) {
  RandomStream random(plies);
  Line<Reversi> line = TypedGame<Reversi>({}).Start(random);
  while (line.ply() < plies) line.Advance(RandomAction(line, random));
  return line;
}

// A search of one variant, with what it needs.
template <Game G>
struct Searcher {
  explicit Searcher(const SearchVariant& variant)
      : noisy(variant.noise),
        evaluator(MakeHashEvaluator, variant.batch),
        search(variant.options, false) {}

  RootResult Run(const Line<G>& line, std::int64_t visits, std::uint64_t seed = 1) {
    search.SetRoot(line);
    return Continue(visits, seed);
  }
  RootResult Continue(std::int64_t visits, std::uint64_t seed = 1) {
    RandomStream noise(seed);
    evaluator.Finish(search, visits, noisy ? &noise : nullptr);
    return search.Result();
  }

  bool noisy;
  VariantEvaluator<G> evaluator;
  Search<G> search;
};

template <Game G>
void CheckResult(const SearchVariant& variant, const RootResult& result, const Line<G>& line,
                 std::int64_t visits) {
  std::uint32_t sum = 1;
  double weight = 0;
  for (std::size_t k = 0; k < result.edges.size(); ++k) {
    const auto& edge = result.edges[k];
    EXPECT_EQ(edge.action, line.legal()[static_cast<int>(k)]);
    sum += edge.visits;
    weight += edge.weight;
    EXPECT_GE(edge.weight, 0);
    EXPECT_LE(edge.bounds.lower, edge.bounds.upper);
    EXPECT_GE(edge.stdev.value_or(0), 0);
    EXPECT_LE(edge.stdev.value_or(0), 1 + 1e-5);
    if (edge.visits == 0 || variant.options.score_weight > 0) continue;
    const float value = line.to_move() == 0 ? edge.value : -edge.value;
    EXPECT_GE(value, edge.bounds.lower - 1e-5);
    EXPECT_LE(value, edge.bounds.upper + 1e-5);
  }
  EXPECT_GT(weight, 0);
  EXPECT_NEAR(result.wdl[0] + result.wdl[1] + result.wdl[2], 1, 1e-5);
  EXPECT_GE(result.wdl[0] - result.wdl[2], result.bounds.lower - 1e-5);
  EXPECT_LE(result.wdl[0] - result.wdl[2], result.bounds.upper + 1e-5);
  EXPECT_LE(result.visits, visits);
  if (result.bounds.exact()) return;
  EXPECT_EQ(result.visits, visits);
  EXPECT_EQ(sum, result.visits);
}

TEST(SearchInvariantsTest, TreesOfEveryVariant) {
  for (const SearchVariant& variant : SearchVariants()) {
    SCOPED_TRACE(variant.name);
    Searcher<SmallTree> searcher(variant);
    int proven = 0;
    for (int seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      for (const std::int64_t visits : {1, 2, 7, 60, 500}) {
        const auto line = SolvableTree(seed);
        // Gumbel's root gets them beside its own evaluation.
        CheckResult(variant, searcher.Run(line, visits), line,
                    visits + (variant.options.root == "gumbel"));
        CheckTree(searcher.search);
        proven += CheckProofs(searcher.search);
      }
    }
    EXPECT_EQ(proven > 0, variant.options.solve);
  }
}

TEST(SearchInvariantsTest, ResultsAreWithinTrueBounds) {
  for (const SearchVariant& variant : SearchVariants()) {
    SCOPED_TRACE(variant.name);
    Searcher<SmallTree> searcher(variant);
    int solved = 0;
    for (int seed = 1; seed <= 30; ++seed) {
      const auto line = SolvableTree(seed);
      const RootResult result = searcher.Run(line, 20'000);
      const int sign = line.to_move() == 0 ? 1 : -1;
      const auto truth = SolveActions(line);
      const int best = BestOf(truth);
      for (const auto& edge : result.edges) {
        EXPECT_LE(edge.bounds.lower, sign * truth.at(edge.action)) << "seed " << seed;
        EXPECT_GE(edge.bounds.upper, sign * truth.at(edge.action)) << "seed " << seed;
      }
      EXPECT_LE(result.bounds.lower, sign * best) << "seed " << seed;
      EXPECT_GE(result.bounds.upper, sign * best) << "seed " << seed;
      solved += result.bounds.exact();
      RandomStream unused;
      if (!result.bounds.exact()) continue;
      EXPECT_EQ(truth.at(searcher.search.ChooseAction(0, unused)), best) << "seed " << seed;
      EXPECT_NEAR(sign * (result.wdl[0] - result.wdl[2]), best, 1e-5) << "seed " << seed;
    }
    // A drawn tree may hide a better action behind draws that are proven.
    EXPECT_GE(solved, variant.options.solve ? 20 : 0);
    EXPECT_LE(solved, variant.options.solve ? 30 : 0);
  }
}

bool Same(const RootResult& a, const RootResult& b) {
  if (a.visits != b.visits || a.edges.size() != b.edges.size() || a.bounds != b.bounds ||
      std::memcmp(a.wdl, b.wdl, sizeof(a.wdl)) != 0) {
    return false;
  }
  for (std::size_t k = 0; k < a.edges.size(); ++k) {
    const auto &x = a.edges[k], &y = b.edges[k];
    if (x.visits != y.visits || x.value != y.value || x.weight != y.weight || x.prior != y.prior) {
      return false;
    }
  }
  return true;
}

TEST(SearchInvariantsTest, EqualCallsGiveEqualResults) {
  for (const SearchVariant& variant : SearchVariants()) {
    SCOPED_TRACE(variant.name);
    Searcher<Reversi> fresh(variant), used(variant);
    used.Run(ReversiAfter(9), 900, 4);
    used.Run(ReversiAfter(56), 100'000);  // proven early
    int differ = 0;
    for (const std::uint32_t plies : {0, 10, 25, 40}) {
      const auto line = ReversiAfter(plies);
      const RootResult a = fresh.Run(line, 400), b = used.Run(line, 400);
      EXPECT_TRUE(Same(a, b)) << plies << " plies";
      differ += !Same(a, used.Run(line, 400, 77));
    }
    EXPECT_EQ(differ > 0, variant.noise);
  }
}

TEST(SearchInvariantsTest, ReusedSubtreesKeepTheirVisitsAndValues) {
  for (const SearchVariant& variant : SearchVariants()) {
    SCOPED_TRACE(variant.name);
    Searcher<SmallTree> searcher(variant);
    for (int seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(seed);
      searcher.search.SetRoot(DeepTree(seed));
      RandomStream random(seed);
      while (!searcher.search.line().over()) {
        // Gumbel's schedule starts anew, whatever is kept.
        const std::uint32_t kept = std::max(1u, searcher.search.tree().root().visits);
        const RootResult result = searcher.Continue(200);
        CheckResult(variant, result, searcher.search.line(),
                    variant.options.root == "gumbel" ? kept + 200 : 200);
        const Action action = searcher.search.ChooseAction(1, random);
        const Tree& tree = searcher.search.tree();
        const Node before = tree.root();
        NodeIndex child = kNoNode;
        for (int k = 0; k < before.opened; ++k) {
          if (tree.edges(before)[k].action == action) child = tree.edges(before)[k].child;
        }
        const Node child_node = child == kNoNode ? Node{} : tree[child];
        searcher.search.Play(action);
        const Node& root = searcher.search.tree().root();
        EXPECT_EQ(root.visits, child_node.visits);
        EXPECT_EQ(root.sums.win, child_node.sums.win);
        EXPECT_EQ(root.bounds, child_node.bounds);
        if (child_node.visits == 0) continue;
        CheckTree(searcher.search);
      }
    }
  }
}

// A node that is proven has nothing more to say: no evaluation is spent below it.
TEST(SearchInvariantsTest, NothingBelowAProvenNodeIsEvaluated) {
  for (const SearchVariant& variant : SearchVariants()) {
    // Elsewhere a leaf may wait before its ancestor is proven, or hang below other nodes too.
    if (!variant.options.solve || variant.options.graph || variant.batch > 1) continue;
    SCOPED_TRACE(variant.name);
    Searcher<SmallTree> searcher(variant);
    int proven = 0;
    for (int seed = 1; seed <= 10; ++seed) {
      const auto& search = searcher.search;
      const Tree& tree = search.tree();
      RandomStream noise(1);
      searcher.search.SetRoot(SolvableTree(seed));
      searcher.search.Begin(300, variant.noise ? &noise : nullptr);
      while (searcher.evaluator.Answer(searcher.search) > 0) {
        if (searcher.search.Advance() != SearchStatus::kNeedsEvaluation) break;
        const auto waits = [&](const auto& self, NodeIndex index) -> bool {
          const Node& node = tree[index];
          bool found = node.visits == 0;
          for (int k = 0; k < node.opened; ++k) found |= self(self, tree.edges(node)[k].child);
          proven += node.proven();
          EXPECT_FALSE(found && node.proven()) << "seed " << seed;
          return found;
        };
        waits(waits, tree.root_index());
        OneRowEvaluator<SmallTree>(MakeHashEvaluator).Answer(searcher.search);
      }
    }
    EXPECT_GT(proven, 0);
  }
}

TEST(SearchInvariantsTest, TheTreeStaysWithinItsBytes) {
  for (SearchVariant variant : SearchVariants()) {
    SCOPED_TRACE(variant.name);
    variant.options.tree_mib = 1;
    Searcher<Reversi> searcher(variant);
    const Tree& tree = searcher.search.tree();
    const auto line = ReversiAfter(3);
    const RootResult result = searcher.Run(line, 50'000);
    EXPECT_LT(result.visits, 50'000u);
    EXPECT_GT(result.visits, 2'000u);
    EXPECT_TRUE(searcher.search.stats().full);
    EXPECT_LE(tree.used_bytes(), std::size_t{1} << 20);
    CheckResult(variant, result, line, result.visits);
    CheckTree(searcher.search);
    // What is dropped makes room again.
    RandomStream unused;
    searcher.search.Play(searcher.search.ChooseAction(0, unused));
    EXPECT_GT(searcher.Continue(50'000).visits, tree.root().visits / 2);
    EXPECT_LE(tree.used_bytes(), std::size_t{1} << 20);
  }
}

}  // namespace
}  // namespace qirkat
