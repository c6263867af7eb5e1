// The replay window: the newest training rows of a run, packed, in memory under a byte budget.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "envs/core/game_info.h"
#include "selfplay/data/record.h"
#include "training/config.h"

namespace qirkat {

// What a row is trained towards, all for the player to move.
struct RowTargets {
  float score = 0;                // final score, the game's own unit
  float moves_left = 0;           // plies to the end
  float weight = 0;               // > 0
  float root_wdl[3] = {0, 0, 0};  // what the search said: win, draw, loss
  std::int8_t result = 0;         // +1, 0, -1
  std::uint8_t flags = 0;         // kFlagFullSearch …
  std::uint8_t symmetries = 1;    // bit s: symmetry s holds here
  friend bool operator==(const RowTargets&, const RowTargets&) = default;
};
static_assert(sizeof(RowTargets) == 28);

// One row of the window, valid until the window changes. Mover's view.
struct WindowRow {
  std::span<const std::uint8_t> planes;  // [plane_bytes] bit-packed
  std::span<const std::uint8_t> legal;   // [legal_bytes] bit-packed
  std::span<const float> scalars;        // [scalars]
  std::span<const PolicyShare> policy;   // the search target
  RowTargets targets;
};

// Where a window stands in its run: enough to fill it again from the shards.
struct WindowManifest {
  std::uint64_t rows_seen = 0;         // training rows ever added
  std::uint64_t rows = 0;              // rows in the window
  std::uint64_t first_generation = 0;  // of the oldest game in the window
  std::uint32_t first_game = 0;
  friend bool operator==(const WindowManifest&, const WindowManifest&) = default;
};

// The rows that a window holds once `rows_seen` have been seen: all of them up to min_rows, then
// min_rows × (rows_seen / min_rows) ^ exponent (a power law, as in KataGo, Wu 2019).
std::uint64_t WindowRows(std::uint64_t rows_seen, const WindowOptions& options);

// Rows of whole games, in the order in which the games were added. Only rows with weight > 0 count.
// The oldest games leave as soon as the others fill the window without them, or when the bytes
// exceed max_bytes. Which games stay depends only on the games added, so a window filled again from
// its manifest's first game on is equal to the one that never stopped.
class ReplayWindow {
 public:
  ReplayWindow(const GameInfo& info, const WindowOptions& options);

  // Starts over so that adding the games from the manifest's first one on gives the same window.
  void Restart(const WindowManifest& manifest);
  // Adds the next finished game, in game order within a generation.
  void AddGame(std::uint64_t generation, const GameRecord& game);

  std::uint64_t rows() const { return end_row_ - begin_row(); }
  std::uint64_t rows_seen() const { return end_row_; }
  std::uint64_t bytes() const { return bytes_; }
  WindowManifest manifest() const;
  // Row 0 is the oldest.
  WindowRow row(std::uint64_t index) const;

 private:
  // One game's rows, struct of arrays.
  struct Block {
    std::uint64_t generation = 0;
    std::uint32_t game = 0;
    std::uint64_t first_row = 0;  // counted over the whole run
    std::vector<std::uint8_t> planes, legal;
    std::vector<float> scalars;
    std::vector<RowTargets> targets;
    std::vector<std::uint32_t> policy_begin;  // [rows + 1]
    std::vector<PolicyShare> policy;
    std::uint64_t Bytes() const;
  };

  Block MakeBlock(std::uint64_t generation, const GameRecord& game) const;
  void Trim();
  std::uint64_t begin_row() const { return blocks_.empty() ? end_row_ : blocks_.front().first_row; }

  std::size_t plane_bytes_, legal_bytes_, scalars_;
  WindowOptions options_;
  std::deque<Block> blocks_;
  std::uint64_t end_row_ = 0;  // = rows seen
  std::uint64_t bytes_ = 0;
};

// The rows that training step `step` of a run takes: uniform, with replacement, from the stream
// (seed, step, kTrainingRows), so that no state need be kept between steps.
std::vector<std::uint64_t> SampleRows(const ReplayWindow& window, std::uint64_t seed,
                                      std::uint64_t step, int count);

}  // namespace qirkat
