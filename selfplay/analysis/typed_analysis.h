// Analysis over a game's type.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/typed_line.h"
#include "models/cache_evaluator.h"
#include "models/evaluators.h"
#include "selfplay/analysis/analysis.h"
#include "selfplay/analysis/best_lines.h"
#include "selfplay/search/worlds.h"

namespace qirkat {

template <Game G>
class TypedAnalysis final : public Analysis {
 public:
  TypedAnalysis(const MatchPlayer& player, const AnalysisOptions& options)
      : options_(player.search),
        batch_(options.batch),
        evaluator_(
            MakeCachedEvaluator(player.evaluator, static_cast<std::size_t>(options.cache_mib) << 20)
                ->Make(batch_)),
        buffers_(evaluator_->shape(), batch_),
        held_lines_(batch_),
        choice_(player.search),
        search_(player.search, evaluator_->needs_lines()) {}

  void SetLine(const AnyLine& line, std::uint64_t seed) override {
    const auto* typed = dynamic_cast<const TypedLine<G>*>(&line);
    QIRKAT_CHECK(typed != nullptr, line.spec().name);
    seed_ = seed;
    search_.SetRoot(typed->line(), seed);
  }

  void Play(Action action) override { search_.Play(action); }

  void Begin(std::optional<std::int64_t> visits) override {
    open_ended_ = !visits.has_value();
    rounds_ = 0;
    earlier_rounds_.Clear();
    BeginRound(visits.value_or(options_.visits));
  }

  bool Step() override {
    const int rows = Gather();
    if (rows == 0) return open_ended_ && NextRound();
    const bool with_lines = evaluator_->needs_lines();
    evaluator_->Evaluate(buffers_.Batch(rows, with_lines), buffers_.Result(rows));
    for (int row = 0; row < rows; ++row) {
      search_.Deliver(buffers_.Logits(row), std::span(buffers_.wdl).subspan(3 * row, 3),
                      buffers_.score[row], buffers_.moves_left[row]);
    }
    return true;
  }

  bool has_result() const override { return rounds_ > 0 || search_.has_result(); }

  AnalysisResult Result(int lines, int length) const override {
    const RootResult root = Root();
    RandomStream unused;
    AnalysisResult result = BestActions(root, choice_(root, 0, unused), lines);
    if constexpr (!kHides) {
      for (AnalysisLine& line : result.lines) FollowTree(search_.tree(), length, line);
    }
    return result;
  }

  Action Choose(RandomStream& random) const override {
    return choice_(Root(), MoveTemperature(options_, search_.line().ply()), random);
  }

  SearchStats stats() const override {
    SearchStats stats = search_.stats();
    if (const RowCache* cache = evaluator_->cache()) stats.evaluations -= cache->hits();
    return stats;
  }

 private:
  static constexpr bool kHides = G::kSpec.hidden_information;

  void BeginRound(std::int64_t visits) {
    if constexpr (kHides) {
      const Line<G> line = search_.line();
      search_.SetRoot(line, rounds_ == 0 ? seed_ : Mix64(seed_ + rounds_));
    }
    search_.Begin(visits, nullptr);
  }

  // False if there is nothing left to find out, or no room for it.
  bool NextRound() {
    ++rounds_;
    if constexpr (kHides) {
      earlier_rounds_.Add(search_.Result(), static_cast<double>(search_.finished_worlds()));
      BeginRound(options_.visits);
    } else {
      constexpr std::int64_t kMostVisits = kNoNode - 1;
      const Node& root = search_.tree().root();
      if (root.proven() || search_.stats().full || root.visits == kMostVisits) return false;
      // Gumbel's root counts from the visits that it has.
      const std::int64_t kept = options_.root == "gumbel" ? 0 : root.visits;
      BeginRound(std::min(kept + options_.visits, kMostVisits));
    }
    return true;
  }

  // Fills a batch with leaves; returns how many there are.
  int Gather() {
    int rows = 0;
    while (rows < batch_ && search_.Advance() == SearchStatus::kNeedsEvaluation) {
      search_.WriteLeaf(buffers_.Row(rows));
      if (evaluator_->needs_lines()) {
        held_lines_[rows] = search_.leaf_line()->Clone();
        buffers_.lines[rows] = held_lines_[rows].get();
        buffers_.seeds[rows] = search_.leaf_seed();
      }
      search_.HoldLeaf();
      ++rows;
    }
    return rows;
  }

  RootResult Root() const {
    if constexpr (kHides) {
      if (rounds_ > 0) {
        WorldAverage all = earlier_rounds_;
        if (const auto worlds = search_.finished_worlds(); worlds > 0) {
          all.Add(search_.Result(), static_cast<double>(worlds));
        }
        return all.Result();
      }
    }
    return search_.Result();
  }

  SearchOptions options_;
  int batch_;
  std::unique_ptr<Evaluator> evaluator_;
  EvalBuffers buffers_;
  std::vector<std::unique_ptr<AnyLine>> held_lines_;  // of the rows, if the evaluator needs them
  MoveChoice choice_;
  SearchOf<G> search_;
  std::uint64_t seed_ = 0;
  bool open_ended_ = false;
  std::uint64_t rounds_ = 0;     // that are finished, since Begin
  WorldAverage earlier_rounds_;  // where information is hidden: of all but the last round
};

}  // namespace qirkat
