// Monte-Carlo tree search of one game as a resumable machine: it says "evaluate this leaf" or
// "done", and never waits. One thread a search, many searches a thread; no locks, no virtual calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "envs/core/line.h"
#include "envs/core/random.h"
#include "envs/core/typed_line.h"
#include "selfplay/search/backup.h"
#include "selfplay/search/move_choice.h"
#include "selfplay/search/options.h"
#include "selfplay/search/phase_clock.h"
#include "selfplay/search/root_policy.h"
#include "selfplay/search/search.h"
#include "selfplay/search/selection.h"
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
// Equal calls give equal trees, bit for bit. Between SetRoot calls memory grows to what the largest
// tree needed and is then kept: a warm search allocates nothing in Advance, WriteLeaf and Deliver.
template <Game G>
class Search {
 public:
  // `needs_lines`: as the evaluator says; only then leaf_line() and leaf_seed() may be called.
  // It knows all that the root's line holds: a game with hidden information is played by
  // WorldSearch (worlds.h), which searches possible worlds with it.
  Search(const SearchOptions& options, bool needs_lines)
      : options_(options),
        needs_lines_(needs_lines),
        selection_(options),
        root_policy_(options),
        backup_(options, G::kSpec.squares()),
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
    ResetTree();
  }

  // Starts or continues a search of the root until it has `visits` (>= 1), those kept from earlier
  // included. `noise`, if not null, gives the Dirichlet noise of the root's prior and must live
  // until the search is done. The game must not be over.
  void Begin(std::int64_t visits, RandomStream* noise) {
    QIRKAT_CHECK(line_.has_value() && !pending_);
    QIRKAT_CHECK(!line().over(), ReasonText(line().outcome()));
    QIRKAT_CHECK(visits >= 1 && visits < kNoNode, visits);
    visits_ = static_cast<std::uint32_t>(visits);
    noise_ = noise;
    if (tree_.root().visits > 0) PrepareRoot();
  }

  // Descends until a leaf needs the evaluator or the root has its visits. What the rules decide is
  // backed up at once. `detail` (may be null) is told what the time goes to.
  SearchStatus Advance(PhaseClock* detail = nullptr) {
    QIRKAT_CHECK(!pending_);
    while (tree_.root().visits < visits_) {
      if (Descend(detail)) {
        pending_ = true;
        ++evaluations_;
        return SearchStatus::kNeedsEvaluation;
      }
    }
    return SearchStatus::kDone;
  }

  // The pending leaf: its observation; its position and a seed that depends on the position, the
  // root's seed and the number of visits.
  void WriteLeaf(ObservationRow row) const {
    QIRKAT_CHECK(pending_);
    line().Observe(row);
  }
  // Whether the pending leaf is the root itself.
  bool at_root() const {
    QIRKAT_CHECK(pending_);
    return path_.empty();
  }
  const AnyLine* leaf_line() const {
    QIRKAT_CHECK(pending_ && needs_lines_);
    return &*line_;
  }
  std::uint64_t leaf_seed() const {
    QIRKAT_CHECK(pending_ && needs_lines_);
    return Mix64(HashKey(line().StateKey()) + Mix64(seed_ + tree_.root().visits));
  }

  // Expands the pending leaf and backs it up. As an EvalResult's row: [policy_size] logits over the
  // mover's view, [3] W/D/L probabilities, score and plies left, for the player to move at the
  // leaf.
  void Deliver(std::span<const float> logits, std::span<const float> wdl, float score,
               float moves_left) {
    QIRKAT_CHECK(pending_ && logits.size() == G::kSpec.policy_size() && wdl.size() == 3);
    QIRKAT_CHECK(std::isfinite(wdl[0] + wdl[2] + score + moves_left), wdl[0], wdl[2], score,
                 moves_left);
    const Player player = line().to_move();
    ExpandEdges(tree_[leaf_], logits);
    LeafValue value{wdl[0], wdl[2], score, moves_left};
    if (player == 1) value = {wdl[2], wdl[0], -score, moves_left};
    BackUp(value);
    pending_ = false;
    if (path_.empty()) PrepareRoot();
  }

  // What is known about the root, once it is evaluated.
  RootResult Result() const {
    QIRKAT_CHECK(line_.has_value() && root_prepared_);
    const Node& root = tree_.root();
    const LeafValue mean = MeanBackup::Mean(root);
    RootResult result;
    result.edges.resize(root.edge_count);
    for (int k = 0; k < root.edge_count; ++k) {
      const Edge& edge = tree_.edges(root)[k];
      result.edges[edge.legal_index] = {edge.action, clean_priors_[edge.legal_index], edge.visits,
                                        edge.value};
    }
    result.visits = root.visits;
    result.wdl[0] = mean.win;
    result.wdl[1] = std::max(0.0f, 1 - mean.win - mean.loss);
    result.wdl[2] = mean.loss;
    result.score = mean.score;
    result.moves_left = mean.moves_left;
    return result;
  }

  Action ChooseAction(double temperature, RandomStream& random) const {
    return ChooseByVisits(Result().edges, temperature, random);
  }

  // Plays a legal action at the root; its subtree is kept if reuse_tree is on. The game may be over
  // then.
  void Play(Action action) {
    QIRKAT_CHECK(line_.has_value() && !pending_);
    QIRKAT_CHECK(line().legal().Contains(action), action);
    const NodeIndex child = options_.reuse_tree ? ChildOfRoot(action) : kNoNode;
    line_->line().Advance(action);
    if (child == kNoNode) {
      ResetTree();
      return;
    }
    tree_.KeepSubtree(child);
    root_prepared_ = false;
  }

  // The root's line, if no leaf is pending.
  const Line<G>& line() const { return line_->line(); }
  const Tree& tree() const { return tree_; }

  SearchStats stats() const {
    return {evaluations_, terminal_visits_, tree_.size(),
            tree_.bytes() + path_.capacity() * sizeof(Step)};
  }

 private:
  struct Step {
    NodeIndex node;      // stands here …
    std::uint32_t edge;  // … and follows this one, index in the tree
  };

  void ResetTree() {
    pending_ = false;
    root_prepared_ = false;
    tree_.Clear();
    tree_.AddNode(line().to_move(), line().over() ? 0 : line().legal().size());
  }

  NodeIndex ChildOfRoot(Action action) const {
    const Node& root = tree_.root();
    for (int k = 0; k < root.opened; ++k) {
      if (tree_.edges(root)[k].action == action) return tree_.edges(root)[k].child;
    }
    return kNoNode;
  }

  // Follows edges from the root to a node without a value. Returns true, with that node's line
  // pushed, if the evaluator must give one; false if the rules did and the visit is done.
  bool Descend(PhaseClock* detail) {
    path_.clear();
    NodeIndex index = 0;
    while (tree_[index].visits > 0) {
      Node& node = tree_[index];
      if (node.terminal()) {
        return BackUpTerminal(MeanBackup::Mean(node), detail);  // exact: the mean of equal values
      }
      const float value = backup_.Value(node, node.to_move);
      const int k = selection_.Select(node, tree_.edges(node), value, index == 0);
      const Edge& edge = tree_.edges(node)[k];
      path_.push_back({index, node.first_edge + static_cast<std::uint32_t>(k)});
      if (edge.child == kNoNode) {
        Push(edge.action, detail);
        index = AddChild(index);
      } else {
        index = edge.child;
        // The value of a finished game stands in its node already.
        if (!tree_[index].terminal()) Push(edge.action, detail);
      }
    }
    leaf_ = index;
    if (!line().over()) return true;
    return BackUpTerminal(ExactValue(line().outcome()), detail);
  }

  void Push(Action action, PhaseClock* detail) {
    EnterDetail(detail, Phase::kRules);
    line_->line().Push(action);
    EnterDetail(detail, Phase::kSelect);
  }

  // False, as Descend says of a visit that is done.
  bool BackUpTerminal(const LeafValue& value, PhaseClock* detail) {
    EnterDetail(detail, Phase::kBackup);
    ++terminal_visits_;
    BackUp(value);
    EnterDetail(detail, Phase::kSelect);
    return false;
  }

  // The node of the line's position, behind the next edge of `parent`.
  NodeIndex AddChild(NodeIndex parent) {
    const NodeIndex child =
        tree_.AddNode(line().to_move(), line().over() ? 0 : line().legal().size());
    tree_.Open(tree_[parent], child);
    return child;
  }

  // Fills the leaf's edges: softmax of the logits over the legal actions.
  void ExpandEdges(const Node& leaf, std::span<const float> logits) {
    const auto& legal = line().legal();
    Edge* const edges = tree_.edges(leaf);
    const std::span<float> priors(scratch_.data(), leaf.edge_count);
    for (int k = 0; k < leaf.edge_count; ++k) {
      const Action action = legal[k];
      edges[k].action = action;
      edges[k].legal_index = static_cast<std::uint16_t>(k);
      priors[k] = logits[G::MoverView(action, leaf.to_move)];
    }
    const float sum = Softmax(priors);
    QIRKAT_CHECK(std::isfinite(sum), sum);
    for (int k = 0; k < leaf.edge_count; ++k) edges[k].prior = priors[k];
    tree_.BringBestForward(leaf);
  }

  // Adds a visit of this value to every node of the path and takes the line back to the root.
  void BackUp(LeafValue value) {
    for (std::size_t i = path_.size(); i-- > 0;) {
      Edge& edge = tree_.edge(path_[i].edge);
      Node& child = tree_[edge.child];
      MeanBackup::Add(child, value);
      ++edge.visits;
      edge.value = backup_.Value(child, tree_[path_[i].node].to_move);
      value.moves_left += 1;
    }
    MeanBackup::Add(tree_[0], value);
    while (line().depth() > 0) line_->line().Pop();
  }

  // Gives the root's edges their prior for this search. The net's own are kept beside, so that the
  // next Begin starts from them again.
  void PrepareRoot() {
    Node& root = tree_[0];
    Edge* const edges = tree_.edges(root);
    if (!root_prepared_) {
      net_priors_.resize(root.edge_count);
      for (int k = 0; k < root.edge_count; ++k) net_priors_[edges[k].legal_index] = edges[k].prior;
    }
    root_prepared_ = true;
    clean_priors_.resize(root.edge_count);
    root_policy_.Temper(net_priors_, clean_priors_);
    const std::span<float> priors(scratch_.data(), root.edge_count);
    std::copy(clean_priors_.begin(), clean_priors_.end(), priors.begin());
    if (noise_ != nullptr) root_policy_.AddNoise(priors, *noise_);
    noise_ = nullptr;
    root.opened_prior = 0;
    for (int k = 0; k < root.edge_count; ++k) {
      edges[k].prior = priors[edges[k].legal_index];
      if (k < root.opened) root.opened_prior += edges[k].prior;
    }
    tree_.BringBestForward(root);
  }

  SearchOptions options_;
  bool needs_lines_;
  Puct selection_;
  RootPolicy root_policy_;
  MeanBackup backup_;

  std::optional<TypedLine<G>> line_;  // at the root; at the leaf while one is pending
  std::uint64_t seed_ = 0;
  Tree tree_;
  std::uint32_t visits_ = 0;  // of the root when the search is done
  RandomStream* noise_ = nullptr;

  std::vector<Step> path_;  // from the root to the leaf
  NodeIndex leaf_ = 0;
  bool pending_ = false;  // the leaf waits for Deliver

  bool root_prepared_ = false;       // the two below belong to this root
  std::vector<float> net_priors_;    // of the root, in legal order
  std::vector<float> clean_priors_;  // after temperature, before noise, in legal order
  std::vector<float> scratch_;       // [max_legal]

  std::uint64_t evaluations_ = 0;
  std::uint64_t terminal_visits_ = 0;
};

}  // namespace qirkat
