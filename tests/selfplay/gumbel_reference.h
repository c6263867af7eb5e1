// Gumbel AlphaZero's search, written slowly from the formulas of its paper: Danihelka, Guez,
// Schrittwieser, Silver, "Policy improvement by planning with Gumbel" (2022). A plain recursive
// tree; values in [0, 1] as in the paper, for the player to move where they are used.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "selfplay/search/options.h"
#include "tests/selfplay/search_test_games.h"

namespace qirkat {

// How many visits the action followed at each simulation must have had before: sequential halving
// of `actions` considered actions over `simulations` (Karnin, Koren and Somekh 2013; the paper's
// section 4). ⌈log2 m⌉ phases share the simulations; a phase visits each action that is left
// equally often, at least once, and keeps the better half, at least two; the last one goes on.
inline std::vector<int> RequiredVisits(int actions, int simulations) {
  const int phases = static_cast<int>(std::ceil(std::log2(std::max(actions, 2))));
  std::vector<int> required;
  int visits = 0;
  for (int left = actions; static_cast<int>(required.size()) < simulations;
       left = std::max(std::min(2, actions), left / 2)) {
    const int rounds = std::max(1, simulations / (phases * left));
    for (int round = 0; round < rounds; ++round, ++visits) {
      required.insert(required.end(), left, visits);
    }
  }
  required.resize(simulations);
  return required;
}

template <Game G>
class GumbelReference {
 public:
  struct Result {
    std::vector<std::uint32_t> visits;  // in legal order, as the others
    std::vector<double> policy;         // improved
    std::vector<double> q;              // mean in [-1, 1] of those visited, else 0
    Action action = 0;                  // what is played
  };

  // The root evaluated, then so many simulations. `noise` gives the root's Gumbel variables in
  // legal order; null: all are 0.
  GumbelReference(const SearchOptions& options, OneRowEvaluator<G>& evaluator)
      : options_(options), evaluator_(evaluator) {}

  Result Search(Line<G> line, int simulations, RandomStream* noise) {
    Node root;
    Evaluate(root, line);
    const int count = line.legal().size();
    gumbel_.assign(count, 0);
    for (double& g : gumbel_) {
      if (noise != nullptr) g = noise->Gumbel();
    }
    const int considered = std::min<int>(count, static_cast<int>(options_.gumbel_actions));
    for (const int required : RequiredVisits(considered, simulations)) {
      Descend(root, line, BestWithVisits(root, required));
    }
    Result result;
    int most = 0;
    for (const auto& child : root.children) {
      most = std::max(most, child->visits);
      result.visits.push_back(static_cast<std::uint32_t>(child->visits));
      result.q.push_back(child->visits > 0 ? 2 * Q(root, *child) - 1 : 0);
    }
    result.policy = Improved(root);
    result.action = line.legal()[BestWithVisits(root, most)];
    return result;
  }

 private:
  struct Node {
    Player to_move = 0;
    bool over = false;
    double own = 0;  // v̂ of the position: the evaluator's value, for player 0 in [0, 1]
    double sum = 0;  // of the values of all visits, the same
    int visits = 0;
    std::vector<double> logits;
    std::vector<std::unique_ptr<Node>> children;
  };

  static double For(Player player, double value) { return player == 0 ? value : 1 - value; }
  static double Q(const Node& node, const Node& child) {
    return For(node.to_move, child.sum / child.visits);
  }

  void Evaluate(Node& node, Line<G>& line) {
    node.to_move = line.to_move();
    node.over = line.over();
    if (node.over) {
      node.own = (line.outcome().result + 1) / 2.0;
    } else {
      const EvalBuffers& row = evaluator_.Evaluate(line);
      node.own = For(node.to_move, (row.wdl[0] - row.wdl[2] + 1) / 2.0);
      for (int k = 0; k < line.legal().size(); ++k) {
        node.logits.push_back(row.policy_logits[G::MoverView(line.legal()[k], node.to_move)]);
        node.children.push_back(std::make_unique<Node>());
      }
    }
    node.sum = node.own;
    node.visits = 1;
  }

  // A visit that follows edge k of an evaluated node; returns its value for player 0.
  double Descend(Node& node, Line<G>& line, int k) {
    Node& child = *node.children[k];
    line.Push(line.legal()[k]);
    double value = 0;
    if (child.visits == 0) {
      Evaluate(child, line);
      value = child.own;
    } else if (child.over) {
      value = child.own;
      child.sum += value;
      ++child.visits;
    } else {
      value = Descend(child, line, options_.gumbel_inner ? Deterministic(child) : Puct(child));
    }
    line.Pop();
    node.sum += value;
    ++node.visits;
    return value;
  }

  static std::vector<double> Softmaxed(std::vector<double> logits) {
    const double largest = *std::ranges::max_element(logits);
    double sum = 0;
    for (double& x : logits) sum += x = std::exp(x - largest);
    for (double& x : logits) x /= sum;
    return logits;
  }

  // σ of the completed Q: Q of the actions visited, v_mix for the others (appendix D).
  std::vector<double> SigmaOfCompletedQ(const Node& node) const {
    const auto prior = Softmaxed(node.logits);
    double visits = 0, most = 0, visited_prior = 0, visited_q = 0;
    for (std::size_t k = 0; k < prior.size(); ++k) {
      const Node& child = *node.children[k];
      if (child.visits == 0) continue;
      visits += child.visits;
      most = std::max<double>(most, child.visits);
      visited_prior += prior[k];
      visited_q += prior[k] * Q(node, child);
    }
    double mix = For(node.to_move, node.own);
    if (visits > 0) mix = (mix + visits * visited_q / visited_prior) / (1 + visits);
    std::vector<double> sigma;
    for (const auto& child : node.children) {
      const double q = child->visits > 0 ? Q(node, *child) : mix;
      sigma.push_back((options_.gumbel_visit_offset + most) * options_.gumbel_value_scale * q);
    }
    return sigma;
  }

  // π' = softmax(logits + σ(completed Q)).
  std::vector<double> Improved(const Node& node) const {
    auto logits = SigmaOfCompletedQ(node);
    for (std::size_t k = 0; k < logits.size(); ++k) logits[k] += node.logits[k];
    return Softmaxed(std::move(logits));
  }

  // argmax of g + logits + σ(completed Q) over the root's actions with so many visits.
  int BestWithVisits(const Node& root, int visits) const {
    const auto sigma = SigmaOfCompletedQ(root);
    int best = -1;
    double best_score = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < sigma.size(); ++k) {
      if (root.children[k]->visits != visits) continue;
      const double score = gumbel_[k] + root.logits[k] + sigma[k];
      if (score > best_score) best_score = score, best = static_cast<int>(k);
    }
    QIRKAT_CHECK(best >= 0, visits);
    return best;
  }

  // argmax of π'(a) − N(a) / (1 + Σ N) (section 5).
  int Deterministic(const Node& node) const {
    const auto policy = Improved(node);
    return BestBy(node, [&](std::size_t k) {
      return policy[k] - node.children[k]->visits / static_cast<double>(node.visits);
    });
  }

  // AlphaZero's selection with first-play urgency, values in [-1, 1].
  int Puct(const Node& node) const {
    const auto prior = Softmaxed(node.logits);
    double visited_prior = 0;
    for (std::size_t k = 0; k < prior.size(); ++k) {
      if (node.children[k]->visits > 0) visited_prior += prior[k];
    }
    const double own = 2 * For(node.to_move, node.sum / node.visits) - 1;
    const double unvisited = own - options_.fpu_reduction * std::sqrt(visited_prior);
    const double exploration =
        (options_.cpuct + std::log1p((1 + node.visits) / options_.cpuct_base)) *
        std::sqrt(node.visits);
    return BestBy(node, [&](std::size_t k) {
      const Node& child = *node.children[k];
      const double value = child.visits > 0 ? 2 * Q(node, child) - 1 : unvisited;
      return value + exploration * prior[k] / (1 + child.visits);
    });
  }

  template <class Score>
  static int BestBy(const Node& node, const Score& score) {
    int best = 0;
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      if (score(k) > score(best)) best = static_cast<int>(k);
    }
    return best;
  }

  SearchOptions options_;
  OneRowEvaluator<G>& evaluator_;
  std::vector<double> gumbel_;
};

}  // namespace qirkat
