// One position searched behind the interface that frontends use, on every game.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/evaluators.h"
#include "selfplay/search/mcts.h"
#include "tests/selfplay/analysis_checks.h"

namespace qirkat {
namespace {

struct Case {
  std::string game, player;
  int batch;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.game << ' ' << c.player << ' ' << c.batch;
}

class AnalysisOfEveryGame : public testing::TestWithParam<Case> {};

TEST_P(AnalysisOfEveryGame, LinesAreLegalAndRepeatThemselves) {
  const auto& [name, player, batch] = GetParam();
  const auto game = PlayableGame(name);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto line = RandomLine(*game, seed, 12 * static_cast<std::uint32_t>(seed));
    const auto analysis = Make(*game, player, batch);
    analysis->SetLine(*line, seed);
    const AnalysisResult result = Finish(*analysis, 200);
    if (!result.proven && !game->info().hidden_information) {
      const bool gumbel = player.find("gumbel") != std::string::npos;
      EXPECT_EQ(result.visits, gumbel ? 201u : 200u) << "Gumbel's root has its own besides";
    }
    EXPECT_NEAR(result.wdl[0] + result.wdl[1] + result.wdl[2], 1, 1e-5);
    ASSERT_EQ(static_cast<int>(result.lines.size()), line->legal_count());
    double shares = 0, priors = 0;
    for (const AnalysisLine& best : result.lines) {
      shares += best.share;
      priors += best.prior;
      EXPECT_LE(best.actions.size(), 6u);
      EXPECT_EQ(best.wdl.has_value(), best.visits > 0 && !game->info().hidden_information);
      EXPECT_LE(std::abs(best.value), 1);
      const auto copy = line->Clone();
      for (const Action action : best.actions) ASSERT_NO_THROW(copy->Play(action));
    }
    EXPECT_NEAR(shares, 1, 1e-4);
    EXPECT_NEAR(priors, 1, 1e-4);
    RandomStream unused;
    EXPECT_EQ(analysis->Choose(unused), result.lines[0].actions[0]);

    // The same object again, and another one.
    const auto expected = Bits(result);
    analysis->SetLine(*line, seed);
    EXPECT_TRUE(Bits(Finish(*analysis, 200)) == expected);
    const auto other = Make(*game, player, batch);
    other->SetLine(*line, seed);
    EXPECT_TRUE(Bits(Finish(*other, 200)) == expected);
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const std::string& game : GameNames()) {
    for (const char* player : {"hash", "rollout", "hash:root=gumbel", "hash:graph=on"}) {
      for (const int batch : {1, 8, 32}) cases.push_back({game, player, batch});
    }
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Games, AnalysisOfEveryGame, testing::ValuesIn(Cases()));

// With one leaf a batch it is the search that plays matches.
TEST(AnalysisTest, BatchesOfOneAreThePlainSearch) {
  const TypedGame<Reversi> game({});
  SearchOptions options = PlaySearch({});
  Search<Reversi> search(options, false);
  const auto evaluator = MakeHashEvaluator(ShapeOf(game.info()))->Make(1);
  EvalBuffers buffers(evaluator->shape(), 1);
  search.SetRoot(game.StartAt("start"), 1);
  search.Begin(300, nullptr);
  while (search.Advance() == SearchStatus::kNeedsEvaluation) {
    search.WriteLeaf(buffers.Row(0));
    evaluator->Evaluate(buffers.Batch(1, false), buffers.Result(1));
    search.Deliver(buffers.Logits(0), buffers.wdl, buffers.score[0], buffers.moves_left[0]);
  }
  const RootResult expected = search.Result();

  const auto analysis = Make(game, "hash", 1);
  analysis->SetLine(*game.NewLineAt("start"), 1);
  const AnalysisResult result = Finish(*analysis, 300);
  EXPECT_EQ(result.visits, expected.visits);
  for (const RootResult::Edge& edge : expected.edges) {
    const auto line = std::ranges::find_if(
        result.lines, [&](const AnalysisLine& each) { return each.actions[0] == edge.action; });
    ASSERT_NE(line, result.lines.end());
    EXPECT_EQ(line->visits, edge.visits);
    EXPECT_EQ(line->value, edge.value);
  }
}

// Leaves that share a batch are different ones, and the search stays about as good.
TEST(AnalysisTest, BatchesFillUp) {
  const auto game = MakeGame("reversi");
  const auto analysis = Make(*game, "hash", 32);
  analysis->SetLine(*game->NewLineAt("start"), 1);
  analysis->Begin(3200);
  int batches = 0;
  while (analysis->Step()) ++batches;
  EXPECT_GE(analysis->stats().evaluations, 3000u);
  EXPECT_LE(batches, 130);
}

TEST(AnalysisTest, PlayKeepsTheSubtreeAndSetLineForgetsIt) {
  const auto game = MakeGame("reversi");
  const auto start = game->NewLineAt("start");
  const auto analysis = Make(*game, "hash", 8);
  analysis->SetLine(*start, 1);
  const AnalysisResult first = Finish(*analysis, 400);
  const AnalysisLine best = first.lines[0];
  const std::uint64_t before = analysis->stats().evaluations;
  analysis->Play(best.actions[0]);
  analysis->Begin(400);
  EXPECT_TRUE(analysis->has_result());
  EXPECT_EQ(analysis->Result(1, 6).visits, best.visits);
  EXPECT_EQ(Finish(*analysis, 400).visits, 400u);
  EXPECT_LE(analysis->stats().evaluations - before, 400u - best.visits);

  analysis->SetLine(*start, 1);
  EXPECT_TRUE(Bits(Finish(*analysis, 400)) == Bits(first));
}

TEST(AnalysisTest, WithoutAnEndItGoesOnInRounds) {
  const auto game = MakeGame("reversi");
  for (const char* player : {"hash:visits=50", "hash:visits=50,root=gumbel"}) {
    const auto analysis = Make(*game, player, 8);
    analysis->SetLine(*game->NewLineAt("start"), 1);
    analysis->Begin(std::nullopt);
    for (int step = 0; step < 100; ++step) ASSERT_TRUE(analysis->Step());
    EXPECT_GT(analysis->Result(1, 1).visits, 300u);
  }
}

// The result of player 0 under best play.
int Solve(const AnyLine& line) {
  if (line.over()) return line.outcome().result;
  const int sign = line.to_move() == 0 ? 1 : -1;
  int best = -2;
  for (int k = 0; k < line.legal_count(); ++k) {
    const auto next = line.Clone();
    next->Play(line.legal(k));
    best = std::max(best, sign * Solve(*next));
  }
  return sign * best;
}

TEST(AnalysisTest, WhatIsProvenIsTrueAndEndsTheSearch) {
  const auto game = MakeGame("reversi");
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto line = RandomLine(*game, seed, 55);
    const int sign = line->to_move() == 0 ? 1 : -1;
    const auto analysis = Make(*game, "hash", 8);
    analysis->SetLine(*line, 1);
    const AnalysisResult result = Finish(*analysis, std::nullopt);
    EXPECT_EQ(result.proven, sign * Solve(*line));
    for (const AnalysisLine& each : result.lines) {
      if (!each.proven) continue;
      const auto next = line->Clone();
      next->Play(each.actions[0]);
      EXPECT_EQ(*each.proven, sign * Solve(*next));
    }
    EXPECT_EQ(result.lines[0].proven, result.proven);
  }
}

// `hash` as if it were worth a cache.
class CountedHash final : public EvaluatorFactory {
 public:
  explicit CountedHash(const EvalShape& shape) : inner_(MakeHashEvaluator(shape)) {}
  std::string model_name() const override { return "counted hash"; }
  std::unique_ptr<Evaluator> Make(int max_batch) const override {
    return std::make_unique<Counted>(inner_->Make(max_batch), rows);
  }
  mutable int rows = 0;  // computed

 private:
  class Counted final : public Evaluator {
   public:
    Counted(std::unique_ptr<Evaluator> inner, int& rows) : inner_(std::move(inner)), rows_(rows) {}
    const EvalShape& shape() const override { return inner_->shape(); }
    int max_batch() const override { return inner_->max_batch(); }
    void Evaluate(const EvalBatch& batch, const EvalResult& result) override {
      rows_ += batch.size;
      inner_->Evaluate(batch, result);
    }

   private:
    std::unique_ptr<Evaluator> inner_;
    int& rows_;
  };
  std::shared_ptr<const EvaluatorFactory> inner_;
};

TEST(AnalysisTest, TheCacheSavesRowsAndChangesNothing) {
  const auto game = MakeGame("reversi");
  std::vector<std::vector<std::uint64_t>> bits;
  std::vector<int> rows;
  for (const std::int64_t cache_mib : {0, 16}) {
    const auto factory = std::make_shared<CountedHash>(ShapeOf(game->info()));
    const auto analysis =
        MakeAnalysis(*game, {.spec = "", .evaluator = factory, .search = PlaySearch({})},
                     {.batch = 8, .cache_mib = cache_mib});
    for (int time = 0; time < 2; ++time) {
      analysis->SetLine(*game->NewLineAt("start"), 1);
      bits.push_back(Bits(Finish(*analysis, 500)));
    }
    rows.push_back(factory->rows);
  }
  EXPECT_THAT(bits, testing::Each(bits[0]));
  EXPECT_LE(rows[1], rows[0] / 2);
}

TEST(AnalysisTest, RandomDoesNotSearch) {
  const auto game = MakeGame("reversi");
  try {
    Make(*game, "random", 1);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'random' does not search; accepted: net:FILE"));
  }
}

}  // namespace
}  // namespace qirkat
