// Finds the node of a position again: an index by key, for graph search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "envs/core/types.h"

namespace qirkat {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xFFFFFFFF;

// Open addressing with linear probing, at most half full. The keys themselves are kept by the
// caller, by node.
class Transpositions {
 public:
  // Forgets all; keeps the memory.
  void Clear() {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    size_ = 0;
  }

  // kNoNode if no node has this key. `keys[node]` of every node that was inserted.
  NodeIndex Find(const Key128& key, std::span<const Key128> keys) const {
    if (slots_.empty()) return kNoNode;
    const std::uint64_t hash = HashKey(key);
    for (std::size_t i = hash & mask(); slots_[i].node != kNoNode; i = (i + 1) & mask()) {
      if (slots_[i].hash == static_cast<std::uint32_t>(hash >> 32) && keys[slots_[i].node] == key) {
        return slots_[i].node;
      }
    }
    return kNoNode;
  }

  // No node has this key.
  void Insert(const Key128& key, NodeIndex node) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    const std::uint64_t hash = HashKey(key);
    Put({static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32), node});
    ++size_;
  }

  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t place = 0;  // low half of the key's hash
    std::uint32_t hash = 0;   // high half
    NodeIndex node = kNoNode;
  };
  static constexpr std::size_t kSmallest = 1024;

  std::size_t mask() const { return slots_.size() - 1; }
  void Put(const Slot& slot) {
    std::size_t i = slot.place & mask();
    while (slots_[i].node != kNoNode) i = (i + 1) & mask();
    slots_[i] = slot;
  }
  void Grow() {
    std::vector<Slot> old(std::max(kSmallest, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.node != kNoNode) Put(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, or none
  std::size_t size_ = 0;
};

}  // namespace qirkat
