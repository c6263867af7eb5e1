// Training batches: rows of the replay window, augmented by the game's symmetries, written into
// dense arrays that a tensor owns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "envs/core/game_info.h"
#include "envs/core/random.h"
#include "training/replay_window.h"

namespace qirkat {

// Where a batch of B rows goes; every element is written. Mover's view, for the player to move.
struct BatchArrays {
  std::span<float> planes;         // [B, squares, planes] 0 or 1: channels last
  std::span<float> scalars;        // [B, scalars]
  std::span<std::uint8_t> legal;   // [B, policy_size] 1: legal
  std::span<float> policy;         // [B, policy_size] shares that sum to 1
  std::span<float> wdl;            // [B, 3] result and search's value, mixed
  std::span<std::int64_t> result;  // [B] 0 win, 1 draw, 2 loss
  std::span<float> score;          // [B] the game's own unit
  std::span<float> moves_left;     // [B] plies
  std::span<float> weight;         // [B] of value, score and moves left
  std::span<float> policy_weight;  // [B] 0 for rows without a full search
};

// Applies a game's symmetries to rows. Symmetry 0 is the identity; scalars never change.
class Augmenter {
 public:
  explicit Augmenter(const GameInfo& info);
  // One of the symmetries in `mask`, uniformly.
  static int Draw(std::uint8_t mask, RandomStream& random);
  // Bit-packed planes [plane_bytes] to numbers [squares, planes].
  void ExpandPlanes(int symmetry, std::span<const std::uint8_t> from, std::span<float> to) const;
  int MapAction(int symmetry, int action) const { return symmetries_[symmetry].action[action]; }

 private:
  int squares_, planes_;
  std::vector<SymmetryMap> symmetries_;
};

// Writes the window's rows `sample` into `out`. With `augmentation` each row gets one of the
// symmetries that hold for it, drawn in row order; null: none. W/D/L targets are
// (1 - root_value_share) × result + root_value_share × root_wdl.
void AssembleBatch(const ReplayWindow& window, std::span<const std::uint64_t> sample,
                   const GameInfo& info, const Augmenter& augmenter, RandomStream* augmentation,
                   double root_value_share, const BatchArrays& out);

}  // namespace qirkat
