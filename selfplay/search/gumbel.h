// Policy improvement by planning with Gumbel (Danihelka et al. 2022): sound with few visits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "envs/core/random.h"
#include "selfplay/search/options.h"
#include "selfplay/search/tree.h"

namespace qirkat {

// What the policy becomes when the values that a search found are known. An action's completed
// value is its own if it was visited, else the mixed value of its node.
class ImprovedPolicy {
 public:
  explicit ImprovedPolicy(const SearchOptions& options)
      : offset_(static_cast<float>(options.gumbel_visit_offset)),
        scale_(static_cast<float>(options.gumbel_value_scale)) {}

  // A node's values as logits: σ(q) = (offset + most visits of an edge) × scale × q, q in [0, 1].
  class Scale {
   public:
    float operator()(float value) const { return factor_ * (value + 1) / 2; }

   private:
    friend class ImprovedPolicy;
    float factor_ = 0;
  };
  Scale ScaleOf(const Node& node, const Edge* edges) const;

  // v_mix: the node's own value and the mean of its edges' by prior, weighted by 1 : their visits.
  static float MixedValue(const Node& node, const Edge* edges, float own_value);

  // Which edge a descent follows below the root: that whose share of the visits lacks most of what
  // the improved policy gives it. As Puct::Select; `own_value`: of the node for its player to move.
  int Select(const Node& node, const Edge* edges, float own_value) const;

 private:
  float offset_, scale_;
};

// Some of the root's actions are drawn without replacement (the highest of prior logit + Gumbel
// noise), and visits are shared out among them by sequential halving: in each round all actions
// that are left get equally many, then the better half stays.
class GumbelRoot {
 public:
  explicit GumbelRoot(const SearchOptions& options)
      : actions_(static_cast<int>(options.gumbel_actions)), improved_(options) {}

  // Starts a search of `visits` more. `priors`: in legal order. Without noise the actions of the
  // highest prior are searched, and the best of them is chosen.
  void Begin(const Node& root, const Edge* edges, std::span<const float> priors,
             std::uint32_t visits, RandomStream* noise);

  int Select(const Node& root, const Edge* edges, float own_value) const;
  // The place of the edge that is played: the highest score of those with the most visits or a
  // proven result.
  int Choose(const Node& root, const Edge* edges, float own_value) const;
  // policy[legal_index]: the improved policy, softmax(prior logits + σ(completed values)).
  void Policy(const Node& root, const Edge* edges, float own_value, std::span<double> policy) const;

 private:
  // Of the edges that count, the drawn and the proven ones if a drawn one counts: those for which
  // distance(edge) is least, of these the highest score.
  template <class Counts, class Distance>
  int BestAmong(const Node& root, const Edge* edges, float own_value, Counts&& counts,
                Distance&& distance) const;

  int actions_;
  ImprovedPolicy improved_;

  int draws_ = 0;                                 // actions that were drawn
  std::uint32_t visits_ = 0, visits_before_ = 0;  // planned; of the root when the search began
  // In legal order.
  std::vector<float> logits_;
  std::vector<float> noise_;
  std::vector<bool> drawn_;
  std::vector<std::uint16_t> order_;   // the drawn ones first
  std::vector<std::uint32_t> before_;  // visits of the edges when the search began
};

// Sequential halving of `visits` over `actions`: how often the action that visit number `i` goes to
// has been visited before in this search. Rounds of max(1, visits / (⌈log2 actions⌉ × left)) visits
// each (the schedule of DeepMind's mctx).
std::uint32_t HalvingVisits(int actions, std::uint32_t visits, std::uint32_t i);

}  // namespace qirkat
