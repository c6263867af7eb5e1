// Graph search: equal positions share a node, positions that differ in their past do not.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "envs/registry.h"
#include "tests/selfplay/search_variants.h"
#include "tests/selfplay/search_walk.h"

namespace qirkat {
namespace {

// A search of `line`; `evaluated` is called with each leaf's line.
template <Game G, class Evaluated>
Search<G> SearchGraph(const Line<G>& line, const SearchOptions& options, std::int64_t visits,
                      const Evaluated& evaluated) {
  OneRowEvaluator<G> evaluator(MakeUniformEvaluator);
  Search<G> search(options, false);
  search.SetRoot(line);
  search.Begin(visits, nullptr);
  while (search.Advance() == SearchStatus::kNeedsEvaluation) {
    evaluated(search.line());
    evaluator.Answer(search);
  }
  return search;
}

Line<Reversi> ReversiAfter(int plies, std::uint64_t seed) {
  RandomStream random(seed);
  Line<Reversi> line = TypedGame<Reversi>({}).Start(random);
  while (line.ply() < static_cast<std::uint32_t>(plies)) {
    line.Advance(line.legal()[random.Below(static_cast<std::uint32_t>(line.legal().size()))]);
  }
  return line;
}

TEST(SearchGraphTest, EqualPositionsShareOneNode) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto line = ReversiAfter(4, seed);
    std::set<std::pair<std::uint64_t, std::uint64_t>> keys;
    std::size_t evaluations = 0;
    const auto search = SearchGraph(line, {.graph = true}, 800, [&](const Line<Reversi>& leaf) {
      ++evaluations;
      keys.insert({leaf.StateKey().lo, leaf.StateKey().hi});
    });
    EXPECT_EQ(keys.size(), evaluations) << "a position was evaluated twice";
    const Tree& tree = search.tree();
    std::size_t links = 0;
    std::set<std::pair<std::uint64_t, std::uint64_t>> nodes;
    const auto reached = WalkTree(search, [&](NodeIndex index, const Line<Reversi>& position) {
      CheckNode(tree, index, position);
      links += tree[index].opened;
      nodes.insert({position.StateKey().lo, position.StateKey().hi});
    });
    EXPECT_EQ(reached, tree.size());
    EXPECT_EQ(nodes.size(), reached) << "two nodes of one position";
    EXPECT_GT(links, reached - 1) << "nothing was shared";
    // Without the graph every node has one parent, and more evaluations are asked for.
    std::size_t plain = 0;
    SearchGraph(line, {}, 800, [&](const Line<Reversi>&) { ++plain; });
    EXPECT_GT(plain, evaluations);
  }
}

TEST(SearchGraphTest, WhatIsKeptIsWhatCanBeReached) {
  for (const int batch : {1, 8}) {
    VariantEvaluator<Reversi> evaluator(MakeHashEvaluator, batch);
    Search<Reversi> search({.graph = true}, false);
    search.SetRoot(ReversiAfter(2, 5));
    RandomStream random(3);
    while (search.line().ply() < 20) {
      evaluator.Finish(search, 400);
      std::map<std::pair<std::uint64_t, std::uint64_t>, Node> before;
      WalkTree(search, [&](NodeIndex index, const Line<Reversi>& line) {
        before[{line.StateKey().lo, line.StateKey().hi}] = search.tree()[index];
      });
      search.Play(search.ChooseAction(1, random));
      const auto reached = WalkTree(search, [&](NodeIndex index, const Line<Reversi>& line) {
        const Node& node = search.tree()[index];
        CheckNode(search.tree(), index, line);
        const Node& old = before.at({line.StateKey().lo, line.StateKey().hi});
        EXPECT_EQ(node.visits, old.visits);
        EXPECT_EQ(node.sums.win, old.sums.win);
      });
      EXPECT_EQ(reached, search.tree().size());
      EXPECT_LT(reached, before.size());
    }
  }
}

TEST(SearchGraphTest, ValuesAreThoseOfTheGame) {
  // Random trees have no equal positions; a graph is searched as the tree is.
  OneRowEvaluator<SmallTree> evaluator(MakeHashEvaluator);
  for (int seed = 1; seed <= 10; ++seed) {
    const auto line = StartLine<SmallTree>({.seed = seed, .depth = 30, .branching = 6});
    Search<SmallTree> graph({.graph = true}, false), tree({}, false);
    graph.SetRoot(line);
    tree.SetRoot(line);
    evaluator.Finish(graph, 600);
    evaluator.Finish(tree, 600);
    const RootResult a = graph.Result(), b = tree.Result();
    for (std::size_t k = 0; k < a.edges.size(); ++k) {
      EXPECT_EQ(a.edges[k].visits, b.edges[k].visits);
      EXPECT_NEAR(a.edges[k].value, b.edges[k].value, 1e-5);
    }
  }
}

// A position whose future depends on its past, which the rules' limits cut short.
struct ShortGame {
  std::string game;
  OptionTexts options;
  std::string position;
  int least_different;  // boards that are worth different results at the same ply
};

// The board without counters, which stand at the end of a position text, and the ply.
template <Game G>
std::string LookOf(const Line<G>& line) {
  const std::string text = G::PositionText(line.rules(), line.state());
  return StrCat(text.substr(0, text.rfind(' ')), " ply ", line.ply());
}

// Puts a line to each look of the game, one for each result that it can be worth.
template <Game G>
int CollectLooks(const Line<G>& line, std::map<std::string, std::map<int, Line<G>>>& looks) {
  if (line.over()) return line.outcome().result;
  const bool maximize = line.to_move() == 0;
  int best = maximize ? -2 : 2;
  for (int k = 0; k < line.legal().size(); ++k) {
    Line<G> next = line;
    next.Advance(line.legal()[k]);
    const int value = CollectLooks(next, looks);
    best = maximize ? std::max(best, value) : std::min(best, value);
  }
  looks[LookOf(line)].emplace(best, line);
  return best;
}

// Every node is one state and every state one node, though some look alike.
template <Game G>
void CheckNodes(const Line<G>& start) {
  // Broad and without proofs, so that all positions are visited.
  const auto search = SearchGraph(start, {.cpuct = 30, .solve = false, .graph = true}, 60'000,
                                  [](const Line<G>&) {});
  std::map<std::string, std::set<NodeIndex>> looks;
  std::set<std::pair<std::uint64_t, std::uint64_t>> keys;
  const auto reached = WalkTree(search, [&](NodeIndex index, const Line<G>& line) {
    keys.insert({line.StateKey().lo, line.StateKey().hi ^ line.ply()});
    if (!line.over()) looks[LookOf(line)].insert(index);
  });
  EXPECT_EQ(keys.size(), reached);
  int alike = 0;
  for (const auto& [text, nodes] : looks) alike += nodes.size() > 1;
  EXPECT_GT(alike, 0);
}

// Graph search finds the value of each of the positions that look alike and are worth different
// results, and proves nothing wrong on its way. Returns how many looks there are.
template <Game G>
int CheckValues(const Line<G>& start) {
  std::map<std::string, std::map<int, Line<G>>> looks;
  CollectLooks(start, looks);
  int different = 0;
  for (const auto& [text, lines] : looks) {
    if (lines.size() < 2) continue;
    if (++different > 20) continue;
    for (const auto& [value, line] : lines) {
      const auto search = SearchGraph(line, {.graph = true}, 100'000, [](const Line<G>&) {});
      EXPECT_EQ(search.Result().bounds, Bounds::Exactly(static_cast<std::int8_t>(value))) << text;
      CheckTree(search);
      CheckProofs(search);
    }
  }
  return different;
}

TEST(SearchGraphTest, OtherCountersAndRepetitionsAreOtherNodes) {
  const std::vector<ShortGame> games = {
      // Captures are compulsory, so that few moves can be exchanged.
      {"alquerque", {{"no_capture_limit", "4"}, {"max_plies", "7"}}, "5/5/3d1/1d3/4l d - 0", 0},
      {"superlogo",
       {{"no_capture_limit", "4"}, {"max_plies", "7"}},
       "3L1/2t2/1sS2/4s/2T1S b e2+ 0,0 0",
       1},
      {"super1al5",
       {{"no_capture_limit", "3"}, {"max_plies", "5"}},
       "2,l1+51*,5/8/8/8/7,d1/8/3,l1+3,4/8/8/2,l2,4,d1+12* d 0",
       5},
      {"stratego",
       {{"no_attack_limit", "4"}, {"max_plies", "7"}},
       "10/10/3,r3+!,6/1,b2+!,1,bF!,1,rB!,4/4,r2+!,b8+!,4/4,bB!,rF!,4/10/10/10/10 r play 0",
       50},
  };
  for (const ShortGame& short_game : games) {
    SCOPED_TRACE(short_game.game);
    RegisteredGames::Visit(short_game.game, [&]<Game G>() {
      const TypedGame<G> game(ParseOptions<typename G::Options>(short_game.options, "test"));
      const Line<G> start = game.StartAt(short_game.position);
      CheckNodes(start);
      EXPECT_GE(CheckValues(start), short_game.least_different);
    });
  }
}

}  // namespace
}  // namespace qirkat
