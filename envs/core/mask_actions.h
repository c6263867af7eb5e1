// Legal actions of a board of 65 to 128 squares with many action planes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "envs/core/types.h"
#include "envs/core/wide_board.h"

namespace qirkat {

// The bits of the legal mask, in ascending order: bit = absolute action index of an ActionLayout
// with one extra, the pass. So a mask is copied, not built.
template <class Layout>
class MaskActions {
 public:
  static constexpr int kSquares = Layout::kSquares;
  static_assert(kSquares % 8 == 0 && Layout::kPlanes % Layout::kDirections == 0);
  static_assert(Layout::kExtras == 1);
  static constexpr Action kPass = Layout::kFirstExtra;

  // The squares from which a plane's actions start; the plane was empty.
  void SetPlane(int plane, WideBoard from) {
    StoreBoard<kSquares>(from, bytes_.data() + plane * kPlaneBytes);
    counts_[plane / kGroupPlanes] += static_cast<std::uint16_t>(Count(from));
  }
  // One action more, which was not there.
  void Add(Action action) {
    bytes_[action / 8] |= static_cast<std::uint8_t>(1u << action % 8);
    ++counts_[action / kGroupActions];
  }

  int size() const {
    int size = 0;
    for (const int count : counts_) size += count;
    return size;
  }
  bool empty() const { return size() == 0; }
  Action operator[](int k) const {
    int group = 0;
    for (; k >= counts_[group]; ++group) k -= counts_[group];
    const std::uint8_t* word_bytes = bytes_.data() + group * kGroupPlanes * kPlaneBytes;
    for (int first = group * kGroupActions;; first += 64, word_bytes += 8) {
      std::uint64_t word;
      std::memcpy(&word, word_bytes, 8);
      const int count = std::popcount(word);
      if (k >= count) {
        k -= count;
        continue;
      }
      for (; k > 0; --k) word &= word - 1;
      return static_cast<Action>(first + std::countr_zero(word));
    }
  }
  bool Contains(Action action) const {
    return action < Layout::kPolicySize && (bytes_[action / 8] >> action % 8 & 1) != 0;
  }

  // Writes the legal mask that `player` sees: [(policy size + 7) / 8] bytes.
  void WriteMask(Player player, std::uint8_t* mask) const {
    if (player == 0) {
      std::memcpy(mask, bytes_.data(), kMaskBytes);
      return;
    }
    for (int plane = 0; plane < Layout::kPlanes; ++plane) {
      const auto from = LoadBoard<kSquares>(bytes_.data() + plane * kPlaneBytes);
      StoreBoard<kSquares>(HalfTurnedBoard<kSquares>(from),
                           mask + kTurnedPlane[plane] * kPlaneBytes);
    }
    mask[kMaskBytes - 1] = bytes_[kMaskBytes - 1];  // the pass
  }

 private:
  static constexpr int kPlaneBytes = kSquares / 8;
  static constexpr int kMaskBytes = (Layout::kPolicySize + 7) / 8;
  // Planes are counted in groups, one for each direction of the layout if it has one kind, so that
  // the k-th action is found in few steps. The pass has a group of its own.
  static constexpr int kGroupPlanes = Layout::kPlanes / Layout::kDirections;
  static constexpr int kGroupActions = kGroupPlanes * kSquares;
  static constexpr std::array<std::uint8_t, Layout::kPlanes> kTurnedPlane = [] {
    std::array<std::uint8_t, Layout::kPlanes> turned{};
    for (int plane = 0; plane < Layout::kPlanes; ++plane) {
      const auto action = static_cast<Action>(plane * kSquares);
      turned[plane] = static_cast<std::uint8_t>(Layout::MoverView(action, 1) / kSquares);
    }
    return turned;
  }();

  // 8 more: a word is read from any byte of the mask.
  std::array<std::uint8_t, kMaskBytes + 8> bytes_{};
  std::array<std::uint16_t, Layout::kDirections + 1> counts_{};
};

}  // namespace qirkat
