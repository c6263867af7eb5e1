// Monte-Carlo tree search of one game as a resumable machine: it says "evaluate this leaf" or
// "done", and never waits. One thread a search, many searches a thread; no locks, no virtual calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "envs/core/line.h"
#include "envs/core/random.h"
#include "envs/core/typed_line.h"
#include "selfplay/search/backup.h"
#include "selfplay/search/endgame.h"
#include "selfplay/search/gumbel.h"
#include "selfplay/search/held_descents.h"
#include "selfplay/search/move_choice.h"
#include "selfplay/search/options.h"
#include "selfplay/search/phase_clock.h"
#include "selfplay/search/puct.h"
#include "selfplay/search/root_policy.h"
#include "selfplay/search/search.h"
#include "selfplay/search/softmax.h"
#include "selfplay/search/tree.h"

namespace qirkat {

// Use:
//
//   search.SetRoot(line);
//   search.Begin(visits, &noise);
//   while (search.Advance() == SearchStatus::kNeedsEvaluation) {
//     search.WriteLeaf(row);   // then evaluate, in a batch with the leaves of other searches
//     search.Deliver(logits, wdl, score, moves_left);
//   }
//   action = search.ChooseAction(temperature, random);
//   search.Play(action);
//
// Where one search must fill a batch alone, HoldLeaf behind WriteLeaf lets it look for the next
// leaf; Deliver then takes the answers in the order of the leaves.
//
// Equal calls give equal trees, bit for bit. Between SetRoot calls memory grows to what the largest
// tree needed and is then kept: a warm search that neither holds leaves nor draws noise allocates
// nothing in Advance, WriteLeaf and Deliver.
template <Game G>
class Search {
 public:
  // `needs_lines`: as the evaluator says; only then leaf_line() and leaf_seed() may be called.
  // It knows all that the root's line holds: a game with hidden information is played by
  // WorldSearch (worlds.h), which searches possible worlds with it.
  Search(const SearchOptions& options, bool needs_lines)
      : options_(options),
        needs_lines_(needs_lines),
        fresh_visits_(options.root == "gumbel"),
        puct_(options),
        improved_(options),
        root_policy_(options),
        backup_(options, G::kSpec.squares()),
        endgame_(options),
        choice_(options),
        tree_(options.graph, static_cast<std::size_t>(options.tree_mib) << 20),
        scratch_(G::kSpec.max_legal) {}

  // Forgets the tree; `line`, with nothing pushed, becomes the root. `seed` enters leaf_seed().
  void SetRoot(const Line<G>& line, std::uint64_t seed = 0) {
    QIRKAT_CHECK(line.depth() == 0, line.depth());
    if (line_) {
      line_->line() = line;
    } else {
      line_.emplace(line);
    }
    seed_ = seed;
    pending_ = false;
    held_.Clear();
    ResetTree();
  }

  // Starts or continues a search of the root until it has `visits` (>= 1), those kept from earlier
  // included; Gumbel's root gets `visits` more than it has, its own evaluation not counted.
  // `noise`, if not null, gives the root's noise and must live until the search is done. The game
  // must not be over.
  void Begin(std::int64_t visits, RandomStream* noise) {
    QIRKAT_CHECK(line_.has_value() && !pending_ && held_.empty());
    QIRKAT_CHECK(!line().over(), ReasonText(line().outcome()));
    QIRKAT_CHECK(visits >= 1 && visits < kNoNode, visits);
    const std::uint64_t kept = fresh_visits_ ? std::max(1u, tree_.root().visits) : 0;
    visits_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(visits + kept, kNoNode - 1));
    noise_ = noise;
    full_ = false;
    if (tree_.root().visits > 0) BeginRoot();
  }

  // Descends until a leaf needs the evaluator or the search is done: the root has its visits, its
  // result is proven, or the next node would not fit into the tree's memory. What needs no
  // evaluation is backed up at once. `detail` (may be null) is told what the time goes to.
  SearchStatus Advance(PhaseClock* detail = nullptr) {
    QIRKAT_CHECK(!pending_);
    while (!Enough()) {
      switch (Descend(detail)) {
        case End::kLeaf:
          pending_ = true;
          ++evaluations_;
          return SearchStatus::kNeedsEvaluation;
        case End::kHeldLeaf:
          ToRoot();
          if (!held_.AddCollision(tree_, descent_)) return SearchStatus::kWaits;
          break;
        case End::kNoRoom:
          ToRoot();
          full_ = true;
          break;
        case End::kKnown:
          break;
      }
    }
    return held_.empty() ? SearchStatus::kDone : SearchStatus::kWaits;
  }

  // The pending leaf: its observation; its position and a seed that depends on the position, the
  // root's seed and the number of visits, begun ones included.
  void WriteLeaf(ObservationRow row) const {
    QIRKAT_CHECK(pending_);
    line().Observe(row);
  }
  const AnyLine* leaf_line() const {
    QIRKAT_CHECK(pending_ && needs_lines_);
    return &*line_;
  }
  std::uint64_t leaf_seed() const {
    QIRKAT_CHECK(pending_ && needs_lines_);
    const Node& root = tree_.root();
    return Mix64(HashKey(line().StateKey()) + Mix64(seed_ + root.visits + root.held));
  }

  // The pending leaf waits, and until it is delivered every edge on its way counts a loss, so that
  // the next Advance looks elsewhere. The line is at the root again.
  void HoldLeaf() {
    QIRKAT_CHECK(pending_);
    held_.Add(tree_, descent_);
    ToRoot();
    pending_ = false;
  }

  // Whether the leaf that Deliver comes to next is the root itself.
  bool at_root() const {
    QIRKAT_CHECK(pending_ || !held_.empty());
    return (pending_ ? descent_ : held_.front()).path.empty();
  }

  // Expands the oldest held leaf, or the pending one if none is held, and backs it up. As an
  // EvalResult's row: [policy_size] logits over the mover's view, [3] W/D/L probabilities, score
  // and plies left, for the player to move at the leaf.
  void Deliver(std::span<const float> logits, std::span<const float> wdl, float score,
               float moves_left) {
    QIRKAT_CHECK(pending_ != !held_.empty() && logits.size() == G::kSpec.policy_size() &&
                 wdl.size() == 3);
    QIRKAT_CHECK(std::isfinite(wdl[0] + wdl[2] + score + moves_left), wdl[0], wdl[2], score,
                 moves_left);
    if (!pending_) descent_ = held_.Release(tree_);
    Node& leaf = tree_[descent_.leaf];
    ExpandEdges(leaf, logits);
    LeafValue value{wdl[0], wdl[2], score, moves_left};
    if (leaf.to_move == 1) value = {wdl[2], wdl[0], -score, moves_left};
    backup_.FirstVisit(tree_, descent_.path, descent_.leaf, value, Bounds());
    pending_ = false;
    ToRoot();
    if (descent_.path.empty()) BeginRoot();
  }

  bool has_result() const { return root_policy_.begun(); }
  // What is known about the root, once it is evaluated.
  RootResult Result() const {
    QIRKAT_CHECK(line_.has_value() && root_policy_.begun());
    return root_policy_.Result(tree_, puct_, backup_);
  }

  Action ChooseAction(double temperature, RandomStream& random) const {
    return choice_(Result(), temperature, random);
  }

  // Plays a legal action at the root; its subtree is kept if reuse_tree is on. The game may be over
  // then.
  void Play(Action action) {
    QIRKAT_CHECK(line_.has_value() && !pending_ && held_.empty());
    QIRKAT_CHECK(line().legal().Contains(action), action);
    const NodeIndex child = options_.reuse_tree ? ChildOfRoot(action) : kNoNode;
    line_->line().Advance(action);
    // A position that the endgame solver has answered has no edges.
    if (child == kNoNode || (tree_[child].edge_count == 0 && !line().over())) {
      ResetTree();
      return;
    }
    tree_.KeepSubtree(child);
    root_policy_.Reset();
  }

  // The root's line, if no leaf is pending.
  const Line<G>& line() const { return line_->line(); }
  const Tree& tree() const { return tree_; }

  SearchStats stats() const {
    return {evaluations_,
            terminal_visits_,
            shared_visits_,
            tree_.size(),
            tree_.bytes() + descent_.path.capacity() * sizeof(Step),
            full_};
  }

 private:
  // Where a descent ended.
  enum class End {
    kLeaf,      // at a node without a value
    kHeldLeaf,  // at one that another descent waits for
    kKnown,     // where the value is known; the visit is done
    kNoRoom     // before a node that the tree has no room for
  };

  void ResetTree() {
    root_policy_.Reset();
    tree_.Clear();
    const int edges = line().over() ? 0 : line().legal().size();
    tree_.AddNode(line().to_move(), line().legal(), edges, GraphKey());
  }

  // Full state and ply: no position is its own descendant, whatever the rules leave out of the
  // state.
  Key128 GraphKey() const {
    if (!tree_.merges()) return {};
    const Key128 key = line().StateKey();
    return {key.lo, key.hi ^ Mix64(line().ply())};
  }

  bool Enough() const {
    const Node& root = tree_.root();
    return root.visits + root.held >= visits_ || full_ || (root.visits > 0 && root.proven());
  }

  NodeIndex ChildOfRoot(Action action) const {
    const Node& root = tree_.root();
    for (int k = 0; k < root.opened; ++k) {
      if (tree_.edges(root)[k].action == action) return tree_.edges(root)[k].child;
    }
    return kNoNode;
  }

  int Select(NodeIndex index) const {
    if (index == tree_.root_index()) return root_policy_.Select(tree_, puct_, backup_);
    const Node& node = tree_[index];
    const Edge* const edges = tree_.edges(node);
    if (options_.gumbel_inner) {
      return improved_.Select(node, edges, backup_.OwnValue(node, node.to_move));
    }
    return puct_.Select(node, edges, backup_.Value(node, node.to_move), false);
  }

  // Follows edges from the root. The line stands where the descent ends.
  End Descend(PhaseClock* detail) {
    std::vector<Step>& path = descent_.path;
    NodeIndex& leaf = descent_.leaf;
    path.clear();
    leaf = tree_.root_index();
    while (tree_[leaf].visits > 0) {
      if (tree_[leaf].proven()) {
        return BackUp(detail, terminal_visits_, [&] { backup_.VisitProven(tree_, path, leaf); });
      }
      int k = Select(leaf);
      const Edge& selected = tree_.edges(tree_[leaf])[k];
      NodeIndex child = selected.child;
      if (child == kNoNode || !tree_[child].proven()) Push(selected.action, detail);
      if (child == kNoNode) {
        child = FindOrAddNode();
        if (child == kNoNode) return End::kNoRoom;
        k = tree_.Open(tree_[leaf], k, child);
      }
      const Node& parent = tree_[leaf];
      path.push_back({leaf, parent.first_edge + static_cast<std::uint32_t>(k)});
      leaf = child;
      const Edge& edge = tree_.edges(parent)[k];
      if (edge.visits + edge.held < tree_[child].visits) {
        return BackUp(detail, shared_visits_, [&] { backup_.VisitShared(tree_, path); });
      }
    }
    if (tree_[leaf].held > 0) return End::kHeldLeaf;
    if (tree_[leaf].edge_count > 0) return End::kLeaf;
    const LeafValue value = line().over() ? ExactValue(line().outcome()) : endgame_.value();
    return BackUp(detail, terminal_visits_, [&] {
      backup_.FirstVisit(tree_, path, leaf, value,
                         Bounds::Exactly(static_cast<std::int8_t>(value.win - value.loss)));
    });
  }

  void Push(Action action, PhaseClock* detail) {
    EnterDetail(detail, Phase::kRules);
    line_->line().Push(action);
    EnterDetail(detail, Phase::kSelect);
  }
  void ToRoot() {
    while (line().depth() > 0) line_->line().Pop();
  }

  template <class Visit>
  End BackUp(PhaseClock* detail, std::uint64_t& count, Visit&& visit) {
    EnterDetail(detail, Phase::kBackup);
    ++count;
    visit();
    ToRoot();
    EnterDetail(detail, Phase::kSelect);
    return End::kKnown;
  }

  // The node of the line's position; kNoNode if there is no room for it. A node whose value is
  // known now has no edges.
  NodeIndex FindOrAddNode() {
    const Key128 key = GraphKey();
    if (tree_.merges()) {
      const NodeIndex found = tree_.Find(key);
      if (found != kNoNode) return found;
    }
    const bool known = line().over() || endgame_.Solve(line());
    const int edges = known ? 0 : line().legal().size();
    if (!tree_.HasRoom(edges)) return kNoNode;
    return tree_.AddNode(line().to_move(), line().legal(), edges, key);
  }

  // Gives the leaf's edges their priors: softmax of the logits over the legal actions.
  void ExpandEdges(Node& leaf, std::span<const float> logits) {
    const Edge* const edges = tree_.edges(leaf);
    const std::span<float> priors(scratch_.data(), leaf.edge_count);
    for (int k = 0; k < leaf.edge_count; ++k) {
      priors[k] = logits[G::MoverView(edges[k].action, leaf.to_move)];
    }
    const float sum = Softmax(priors);
    QIRKAT_CHECK(std::isfinite(sum), sum);
    tree_.SetPriors(leaf, priors);
  }

  void BeginRoot() {
    root_policy_.Begin(tree_, visits_ - std::min(visits_, tree_.root().visits), noise_);
    noise_ = nullptr;
  }

  SearchOptions options_;
  bool needs_lines_;
  bool fresh_visits_;
  Puct puct_;
  ImprovedPolicy improved_;
  RootPolicy root_policy_;
  Backup backup_;
  Endgame<G> endgame_;
  MoveChoice choice_;

  std::optional<TypedLine<G>> line_;  // at the root; at the leaf while one is pending
  std::uint64_t seed_ = 0;
  Tree tree_;
  std::uint32_t visits_ = 0;  // of the root when the search is done
  RandomStream* noise_ = nullptr;
  bool full_ = false;

  Descent descent_;       // the last one
  bool pending_ = false;  // its leaf waits for Deliver
  HeldDescents held_;
  std::vector<float> scratch_;  // [max_legal]

  std::uint64_t evaluations_ = 0;
  std::uint64_t terminal_visits_ = 0;
  std::uint64_t shared_visits_ = 0;
};

}  // namespace qirkat
