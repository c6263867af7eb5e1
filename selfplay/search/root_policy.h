// How the root is searched: what its prior is made of, which edge a visit follows, and what the
// search says at the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "envs/core/random.h"
#include "selfplay/search/backup.h"
#include "selfplay/search/forced_playouts.h"
#include "selfplay/search/gumbel.h"
#include "selfplay/search/options.h"
#include "selfplay/search/puct.h"
#include "selfplay/search/root_prior.h"
#include "selfplay/search/search.h"
#include "selfplay/search/tree.h"

namespace qirkat {

class RootPolicy {
 public:
  explicit RootPolicy(const SearchOptions& options)
      : is_gumbel_(options.root == "gumbel"), prior_(options), forced_(options), gumbel_(options) {}

  // Another position is the root; it may not be evaluated yet.
  void Reset() { net_priors_.clear(); }
  // Whether Begin was called since.
  bool begun() const { return !net_priors_.empty(); }

  // Starts a search of the evaluated root that gets up to `visits` more. With `noise` (not null) it
  // explores as self-play does.
  void Begin(Tree& tree, std::uint32_t visits, RandomStream* noise);

  // The place of the edge to follow; it may be any that has no child yet. The root is not proven.
  int Select(const Tree& tree, const Puct& puct, const Backup& backup) const;

  RootResult Result(const Tree& tree, const Puct& puct, const Backup& backup) const;

 private:
  void SetWeights(const Tree& tree, const Puct& puct, const Backup& backup,
                  RootResult& result) const;
  void SetVisitWeights(const Node& root, const Edge* edges, const Puct& puct,
                       std::span<double> weights) const;

  bool is_gumbel_;
  RootPrior prior_;
  ForcedPlayouts forced_;
  GumbelRoot gumbel_;
  bool forces_ = false;  // in this search
  // In legal order. The network's own are kept, so that the next search starts from them again.
  std::vector<float> net_priors_;
  std::vector<float> clean_priors_;  // after temperature, before noise
  std::vector<float> priors_;        // scratch of Begin
};

}  // namespace qirkat
