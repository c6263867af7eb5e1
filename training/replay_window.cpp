#include "training/replay_window.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "envs/core/error.h"
#include "envs/core/random.h"

namespace qirkat {

std::uint64_t WindowRows(std::uint64_t rows_seen, const WindowOptions& options) {
  const auto min_rows = static_cast<double>(options.min_rows);
  const auto seen = static_cast<double>(rows_seen);
  if (seen <= min_rows) return rows_seen;
  return static_cast<std::uint64_t>(min_rows * std::pow(seen / min_rows, options.exponent));
}

std::uint64_t ReplayWindow::Block::Bytes() const {
  return sizeof(Block) + planes.capacity() + legal.capacity() + scalars.capacity() * sizeof(float) +
         targets.capacity() * sizeof(RowTargets) + policy_begin.capacity() * sizeof(std::uint32_t) +
         policy.capacity() * sizeof(PolicyShare);
}

ReplayWindow::ReplayWindow(const GameInfo& info, const WindowOptions& options)
    : plane_bytes_(info.plane_bytes),
      legal_bytes_(info.legal_bytes),
      scalars_(info.scalars()),
      options_(options) {
  QIRKAT_CHECK(options.min_rows > 0 && options.exponent <= 1, options.min_rows, options.exponent);
}

void ReplayWindow::Restart(const WindowManifest& manifest) {
  QIRKAT_CHECK(manifest.rows <= manifest.rows_seen, manifest.rows, manifest.rows_seen);
  blocks_.clear();
  bytes_ = 0;
  end_row_ = manifest.rows_seen - manifest.rows;
}

void ReplayWindow::AddGame(std::uint64_t generation, const GameRecord& game) {
  Block block = MakeBlock(generation, game);
  if (block.targets.empty()) return;
  end_row_ += block.targets.size();
  bytes_ += block.Bytes();
  blocks_.push_back(std::move(block));
  Trim();
}

ReplayWindow::Block ReplayWindow::MakeBlock(std::uint64_t generation,
                                            const GameRecord& game) const {
  std::size_t rows = 0, shares = 0;
  for (const PositionRecord& position : game.positions) {
    if (position.weight <= 0) continue;
    ++rows;
    shares += position.policy.size();
  }
  Block block;
  block.generation = generation;
  block.game = game.game;
  block.first_row = end_row_;
  block.planes.reserve(rows * plane_bytes_);
  block.legal.reserve(rows * legal_bytes_);
  block.scalars.reserve(rows * scalars_);
  block.targets.reserve(rows);
  block.policy_begin.reserve(rows + 1);
  block.policy.reserve(shares);
  block.policy_begin.push_back(0);
  for (const PositionRecord& position : game.positions) {
    if (position.weight <= 0) continue;
    QIRKAT_CHECK(position.planes.size() == plane_bytes_ && position.legal.size() == legal_bytes_ &&
                     position.scalars.size() == scalars_,
                 position.planes.size(), position.legal.size(), position.scalars.size());
    QIRKAT_CHECK(position.ply <= game.actions.size(), position.ply, game.actions.size());
    block.planes.insert(block.planes.end(), position.planes.begin(), position.planes.end());
    block.legal.insert(block.legal.end(), position.legal.begin(), position.legal.end());
    block.scalars.insert(block.scalars.end(), position.scalars.begin(), position.scalars.end());
    block.policy.insert(block.policy.end(), position.policy.begin(), position.policy.end());
    block.policy_begin.push_back(static_cast<std::uint32_t>(block.policy.size()));
    const bool second = position.player == 1;
    RowTargets targets;
    targets.result = static_cast<std::int8_t>(second ? -game.outcome.result : game.outcome.result);
    targets.score = static_cast<float>(second ? -game.outcome.score : game.outcome.score);
    targets.moves_left = static_cast<float>(game.actions.size() - position.ply);
    targets.weight = position.weight;
    for (int k = 0; k < 3; ++k) targets.root_wdl[k] = position.root_wdl[second ? 2 - k : k];
    targets.flags = position.flags;
    targets.symmetries = position.symmetries;
    block.targets.push_back(targets);
  }
  return block;
}

void ReplayWindow::Trim() {
  const std::uint64_t wanted = WindowRows(end_row_, options_);
  const auto max_bytes = static_cast<std::uint64_t>(options_.max_bytes);
  while (blocks_.size() > 1 &&
         (rows() - blocks_.front().targets.size() >= wanted || bytes_ > max_bytes)) {
    bytes_ -= blocks_.front().Bytes();
    blocks_.pop_front();
  }
}

WindowManifest ReplayWindow::manifest() const {
  WindowManifest manifest;
  manifest.rows_seen = end_row_;
  manifest.rows = rows();
  if (!blocks_.empty()) {
    manifest.first_generation = blocks_.front().generation;
    manifest.first_game = blocks_.front().game;
  }
  return manifest;
}

WindowRow ReplayWindow::row(std::uint64_t index) const {
  QIRKAT_CHECK(index < rows(), index, rows());
  const std::uint64_t wanted = begin_row() + index;
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), wanted,
                       [](std::uint64_t row, const Block& block) { return row < block.first_row; });
  const Block& block = *(after - 1);
  const std::size_t r = wanted - block.first_row;
  return {.planes = std::span(block.planes).subspan(r * plane_bytes_, plane_bytes_),
          .legal = std::span(block.legal).subspan(r * legal_bytes_, legal_bytes_),
          .scalars = std::span(block.scalars).subspan(r * scalars_, scalars_),
          .policy = std::span(block.policy)
                        .subspan(block.policy_begin[r],
                                 block.policy_begin[r + 1] - block.policy_begin[r]),
          .targets = block.targets[r]};
}

std::vector<std::uint64_t> SampleRows(const ReplayWindow& window, std::uint64_t seed,
                                      std::uint64_t step, int count) {
  const std::uint64_t rows = window.rows();
  QIRKAT_CHECK(rows > 0 && rows <= std::numeric_limits<std::uint32_t>::max(), rows);
  RandomStream stream(seed, step, 0, StreamPurpose::kTrainingRows);
  std::vector<std::uint64_t> sample(count);
  for (std::uint64_t& row : sample) row = stream.Below(static_cast<std::uint32_t>(rows));
  return sample;
}

}  // namespace qirkat
