// Where the possible worlds of a game with hidden information come from.
#pragma once

#include "envs/core/line.h"
#include "envs/core/random.h"

namespace qirkat {

template <Game G>
struct World {
  typename G::State state;
  double weight = 1;  // > 0, how much it counts beside the others of a search
};

// Draws worlds that agree with all that the player to move has seen, the whole public history
// included. What it returns depends on that and on `random` alone, never on what is hidden from
// him, although the line holds it. Immutable, shared by threads.
template <Game G>
class WorldSampler {
 public:
  static_assert(GameWithHiddenInformation<G>);
  virtual ~WorldSampler() = default;
  virtual World<G> Draw(const Line<G>& line, RandomStream& random) const = 0;
};

// All worlds are equally likely.
template <Game G>
class UniformWorlds final : public WorldSampler<G> {
 public:
  World<G> Draw(const Line<G>& line, RandomStream& random) const override {
    return {G::DrawWorld(line.rules(), line.state(), line.to_move(), random)};
  }
};

}  // namespace qirkat
