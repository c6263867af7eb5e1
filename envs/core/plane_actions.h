// Legal actions of a board of at most 32 squares: for every plane the squares that they start from.
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

#include "envs/core/types.h"

namespace qirkat {

// Actions in ascending order: plane * squares + from, and one extra, the pass, behind the planes.
template <int kPlaneCount, int kSquareCount>
class PlaneActions {
 public:
  static_assert(kSquareCount <= 32);
  static constexpr Action kPass = kPlaneCount * kSquareCount;

  // kLanes planes from `first` on, which were empty. Lane i of `from`: the squares of plane
  // first + i.
  template <int kLanes>
  void AddPlanes(int first, const std::array<std::uint32_t, kLanes>& from) {
    for (int lane = 0; lane < kLanes; ++lane) {
      from_[first + lane] = from[lane];
      size_ += std::popcount(from[lane]);
    }
  }
  void AddPass() {
    pass_ = true;
    ++size_;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Action operator[](int k) const {
    for (int plane = 0; plane < kPlaneCount; ++plane) {
      const int count = std::popcount(from_[plane]);
      if (k < count) {
        const int from = std::countr_zero(_pdep_u32(1u << k, from_[plane]));
        return static_cast<Action>(plane * kSquareCount + from);
      }
      k -= count;
    }
    return kPass;
  }
  bool Contains(Action action) const {
    if (action >= kPass) return pass_ && action == kPass;
    return (from_[action / kSquareCount] >> (action % kSquareCount) & 1) != 0;
  }

 private:
  std::array<std::uint32_t, kPlaneCount> from_{};
  int size_ = 0;
  bool pass_ = false;
};

}  // namespace qirkat
