// Search of games with hidden information: several possible worlds are drawn, each is searched by
// itself as if everything were known in it, and the roots are averaged (determinization; Ginsberg
// 2001, Cowling et al. 2012). Nothing that is hidden from the player to move enters: the worlds
// depend on what he has seen (G::DrawWorld), networks see his observation only, and at the nodes of
// his opponent what that one would see in the world.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "selfplay/search/mcts.h"
#include "selfplay/search/world_average.h"
#include "selfplay/search/world_sampler.h"

namespace qirkat {

// Used as Search<G> is. Its trees are not kept from move to move: other worlds are drawn.
template <Game G>
class WorldSearch {
 public:
  WorldSearch(
      const SearchOptions& options, bool needs_lines,
      std::shared_ptr<const WorldSampler<G>> sampler = std::make_shared<const UniformWorlds<G>>())
      : worlds_option_(options.worlds),
        needs_lines_(needs_lines),
        sampler_(std::move(sampler)),
        choice_(options),
        search_(options, needs_lines) {}

  // `line`, with nothing pushed, becomes the root. `seed` enters leaf_seed() and the worlds.
  void SetRoot(const Line<G>& line, std::uint64_t seed = 0) {
    QIRKAT_CHECK(line.depth() == 0, line.depth());
    line_ = line;
    seed_ = seed;
    pending_ = false;
    finished_worlds_ = 0;
  }

  // Starts a search of the root with `visits` (>= 1) in all, shared out equally over the worlds; of
  // a few visits every world gets at least two. Every world has the same noise in its root's prior.
  // The game must not be over.
  void Begin(std::int64_t visits, RandomStream* noise) {
    QIRKAT_CHECK(line_.has_value() && !pending_);
    QIRKAT_CHECK(visits >= 1 && visits < kNoNode, visits);
    visits_ = visits;
    worlds_ = std::clamp<std::int64_t>(visits / 2, 1, worlds_option_);
    finished_worlds_ = 0;
    random_ = RandomStream(seed_, 0, line_->ply(), StreamPurpose::kWorlds);
    noise_ = noise;
    if (noise != nullptr) first_noise_ = *noise;
    average_.Clear();
    full_ = false;
    BeginWorld();
  }

  SearchStatus Advance(PhaseClock* detail = nullptr) {
    QIRKAT_CHECK(!pending_);
    while (finished_worlds_ < worlds_) {
      const SearchStatus status = search_.Advance(detail);
      if (status == SearchStatus::kWaits) return status;
      if (status == SearchStatus::kNeedsEvaluation) {
        if (!AnswersRoot()) {
          pending_ = true;
          return SearchStatus::kNeedsEvaluation;
        }
        EnterDetail(detail, Phase::kBackup);
        search_.Deliver(root_.logits, root_.wdl, root_.score, root_.moves_left);
        EnterDetail(detail, Phase::kSelect);
        continue;
      }
      average_.Add(search_.Result(), world_weight_);
      full_ |= search_.stats().full;
      EnterDetail(detail, Phase::kRules);
      if (++finished_worlds_ < worlds_) BeginWorld();
      EnterDetail(detail, Phase::kSelect);
    }
    return SearchStatus::kDone;
  }

  void WriteLeaf(ObservationRow row) const { search_.WriteLeaf(row); }
  const AnyLine* leaf_line() const { return search_.leaf_line(); }
  std::uint64_t leaf_seed() const { return search_.leaf_seed(); }
  void HoldLeaf() {
    search_.HoldLeaf();
    pending_ = false;
  }

  void Deliver(std::span<const float> logits, std::span<const float> wdl, float score,
               float moves_left) {
    pending_ = false;
    if (search_.at_root()) {
      root_.logits.assign(logits.begin(), logits.end());
      root_.wdl = {wdl[0], wdl[1], wdl[2]};
      root_.score = score;
      root_.moves_left = moves_left;
    }
    search_.Deliver(logits, wdl, score, moves_left);
  }

  // Those that are searched to the end, since Begin.
  std::int64_t finished_worlds() const { return finished_worlds_; }

  // Whether the root of a world is evaluated, since Begin.
  bool has_result() const { return finished_worlds_ > 0 || (worlds_ > 0 && search_.has_result()); }
  // The average over the worlds that were searched, the one under way included. has_result().
  RootResult Result() const {
    QIRKAT_CHECK(has_result(), worlds_);
    if (finished_worlds_ == worlds_ || !search_.has_result()) return average_.Result();
    WorldAverage worlds = average_;
    worlds.Add(search_.Result(), world_weight_);
    return worlds.Result();
  }
  Action ChooseAction(double temperature, RandomStream& random) const {
    return choice_(Result(), temperature, random);
  }

  void Play(Action action) {
    QIRKAT_CHECK(line_.has_value() && !pending_);
    QIRKAT_CHECK(line_->legal().Contains(action), action);
    line_->Advance(action);
    worlds_ = finished_worlds_ = 0;
  }

  // The root's line as it is, with what is hidden.
  const Line<G>& line() const { return *line_; }
  SearchStats stats() const {
    SearchStats stats = search_.stats();
    stats.full |= full_;
    return stats;
  }

 private:
  // What the evaluator said of the root, which looks the same in every world.
  struct RootEvaluation {
    std::vector<float> logits;
    std::array<float, 3> wdl;
    float score;
    float moves_left;
  };

  void BeginWorld() {
    Line<G> world = *line_;
    const World<G> drawn = sampler_->Draw(world, random_);
    world.SetWorld(drawn.state);
    world_weight_ = drawn.weight;
    search_.SetRoot(world, Mix64(seed_ + static_cast<std::uint64_t>(finished_worlds_)));
    const std::int64_t begun = visits_ * finished_worlds_ / worlds_;
    const std::int64_t share = visits_ * (finished_worlds_ + 1) / worlds_ - begun;
    if (noise_ != nullptr) *noise_ = first_noise_;
    search_.Begin(share, noise_);
  }

  // Whether the pending leaf needs no evaluator: the root of any world but the first, unless the
  // evaluator looks behind the observation.
  bool AnswersRoot() const { return finished_worlds_ > 0 && !needs_lines_ && search_.at_root(); }

  const std::int64_t worlds_option_;
  const bool needs_lines_;
  const std::shared_ptr<const WorldSampler<G>> sampler_;
  const MoveChoice choice_;
  std::optional<Line<G>> line_;
  std::uint64_t seed_ = 0;
  Search<G> search_;  // of one world after another

  std::int64_t visits_ = 0;
  std::int64_t worlds_ = 0, finished_worlds_ = 0;
  RandomStream random_;
  RandomStream* noise_ = nullptr;
  RandomStream first_noise_;
  RootEvaluation root_;
  WorldAverage average_;
  double world_weight_ = 1;  // of the one that is searched
  bool full_ = false;        // a world's tree was
  bool pending_ = false;     // a leaf waits for Deliver
};

// The search that plays a game.
template <Game G>
using SearchOf = std::conditional_t<G::kSpec.hidden_information, WorldSearch<G>, Search<G>>;

}  // namespace qirkat
