// Every way to search, by name: what any search must do is tested with each of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/evaluators.h"
#include "selfplay/search/worlds.h"

namespace qirkat {

struct SearchVariant {
  std::string name;
  SearchOptions options = {};
  int batch = 1;       // leaves evaluated together
  bool noise = false;  // in the root's prior, or Gumbel's
  // Whether it finds the best action in the end however bad the network is. Gumbel's selection
  // below the root trusts values that it has seen: an action of lower value may never be tried.
  bool explores = true;
};

inline std::vector<SearchVariant> SearchVariants() {
  std::vector<SearchVariant> variants;
  const auto add = [&](std::string name) -> SearchVariant& {
    SearchVariant& variant = variants.emplace_back();
    variant.name = std::move(name);
    variant.options.worlds = 1;
    return variant;
  };
  add("puct");
  add("puct, unproven").options.solve = false;
  add("score").options.score_weight = 0.2;
  add("graph").options.graph = true;
  add("graph, unproven").options = {.solve = false, .graph = true, .worlds = 1};
  // More actions than any position of the tests has: none is left out by chance.
  add("gumbel").options = {.root = "gumbel", .gumbel_actions = 64, .worlds = 1};
  add("gumbel, unproven").options = {
      .root = "gumbel", .gumbel_actions = 64, .solve = false, .worlds = 1};
  add("gumbel below the root").options = {
      .root = "gumbel", .gumbel_actions = 64, .gumbel_inner = true, .worlds = 1};
  variants.back().explores = false;
  add("gumbel, noise, graph").options = {
      .root = "gumbel", .gumbel_actions = 64, .graph = true, .worlds = 1};
  variants.back().noise = true;
  add("katago").options = {.cpuct_stdev_scale = 0.85,
                           .noise_shape = 0.5,
                           .forced_playouts = 2,
                           .policy_temperature = 1.1,
                           .worlds = 1};
  variants.back().noise = true;
  add("batch").batch = 8;
  add("batch, graph").options.graph = true;
  variants.back().batch = 8;
  add("batch, gumbel").options = {
      .root = "gumbel", .gumbel_actions = 64, .gumbel_inner = true, .worlds = 1};
  variants.back().explores = false;
  variants.back().batch = 8;
  add("endgame solver").options.solve_empties = 6;
  add("small tree").options.tree_mib = 2;
  return variants;
}

// An evaluator with buffers for the leaves of one position.
template <Game G>
class VariantEvaluator {
 public:
  using Maker = std::shared_ptr<const EvaluatorFactory> (*)(const EvalShape&);
  explicit VariantEvaluator(Maker maker, int batch = 1)
      : batch_(batch),
        shape_(ShapeOf(MakeGameInfo<G>({}))),
        evaluator_(maker(shape_)->Make(batch)),
        buffers_(shape_, batch) {}

  // Searches until the root has `visits` or is proven. S: Search<G> or WorldSearch<G>.
  template <class S>
  void Finish(S& search, std::int64_t visits, RandomStream* noise = nullptr) {
    search.Begin(visits, noise);
    while (Answer(search) > 0) {
    }
  }

  // Evaluates what the search asks for, `batch` leaves at most; returns how many.
  template <class S>
  int Answer(S& search) {
    int rows = 0;
    while (rows < batch_ && search.Advance() == SearchStatus::kNeedsEvaluation) {
      search.WriteLeaf(buffers_.Row(rows));
      if (batch_ > 1) search.HoldLeaf();
      ++rows;
      if (batch_ == 1) break;
    }
    if (rows == 0) return 0;
    evaluator_->Evaluate(buffers_.Batch(rows, false), buffers_.Result(rows));
    for (int i = 0; i < rows; ++i) {
      search.Deliver(buffers_.Logits(i), std::span(buffers_.wdl).subspan(3 * i, 3),
                     buffers_.score[i], buffers_.moves_left[i]);
    }
    return rows;
  }

 private:
  int batch_;
  EvalShape shape_;
  std::unique_ptr<Evaluator> evaluator_;
  EvalBuffers buffers_;
};

// The action that a variant plays after so many visits.
template <Game G>
class VariantPlayer {
 public:
  VariantPlayer(const SearchVariant& variant, typename VariantEvaluator<G>::Maker maker)
      : variant_(variant), evaluator_(maker, variant.batch), search_(variant.options, false) {}

  Action Choose(const Line<G>& line, std::int64_t visits, std::uint64_t seed = 0) {
    RandomStream noise(seed + 1), choice(seed + 2);
    search_.SetRoot(line, seed);
    evaluator_.Finish(search_, visits, variant_.noise ? &noise : nullptr);
    return search_.ChooseAction(0, choice);
  }
  const SearchOf<G>& search() const { return search_; }

 private:
  SearchVariant variant_;
  VariantEvaluator<G> evaluator_;
  SearchOf<G> search_;
};

}  // namespace qirkat
