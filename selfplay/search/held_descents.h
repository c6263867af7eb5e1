// Descents whose leaves wait for the evaluator while their search goes on looking for others.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "selfplay/search/backup.h"
#include "selfplay/search/tree.h"

namespace qirkat {

struct Descent {
  std::vector<Step> path;  // from the root to the leaf
  NodeIndex leaf = 0;
};

// While a descent is held, every edge of its path counts a loss (virtual loss; puct.h), so that
// others look elsewhere. First in, first out.
class HeldDescents {
 public:
  bool empty() const { return held_.empty(); }
  const Descent& front() const { return held_.front().descent; }
  // Forgets them; the tree is gone.
  void Clear() {
    held_.clear();
    collisions_ = 0;
  }

  void Add(Tree& tree, const Descent& descent) { Hold(tree, descent, /*evaluated=*/true); }
  // A descent that came to a leaf that is held already: it only makes the loss on its way grow,
  // until the leaf before it is released. False, and nothing is held, if that has happened too
  // often.
  bool AddCollision(Tree& tree, const Descent& descent) {
    if (collisions_ == kCollisions) return false;
    ++collisions_;
    Hold(tree, descent, /*evaluated=*/false);
    return true;
  }

  // The oldest descent that was added.
  Descent Release(Tree& tree) {
    Descent oldest = Take(tree);
    while (!held_.empty() && !held_.front().evaluated) {
      Take(tree);
      --collisions_;
    }
    return oldest;
  }

 private:
  struct Held {
    Descent descent;
    bool evaluated;
  };
  static constexpr int kCollisions = 32;

  void Hold(Tree& tree, const Descent& descent, bool evaluated) {
    Count(tree, descent, 1);
    held_.push_back({descent, evaluated});
  }
  Descent Take(Tree& tree) {
    Descent oldest = std::move(held_.front().descent);
    held_.pop_front();
    Count(tree, oldest, -1);
    return oldest;
  }
  static void Count(Tree& tree, const Descent& descent, int change) {
    for (const Step& step : descent.path) {
      tree.edge(step.edge).held += static_cast<std::uint16_t>(change);
      tree[step.node].held += static_cast<std::uint16_t>(change);
    }
    tree[descent.leaf].held += static_cast<std::uint16_t>(change);
  }

  std::deque<Held> held_;
  int collisions_ = 0;
};

}  // namespace qirkat
