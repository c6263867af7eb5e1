// The hash table of the endgame search: bounds of positions and the move that was best there.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "envs/reversi/bitboard.h"

namespace qirkat::reversi::internal {

class EndgameTable {
 public:
  struct Entry {
    Bitboard own = 0, enemy = 0;       // an empty board: nothing is stored here
    std::int8_t lower = 0, upper = 0;  // bounds of the score for the owner of `own`, to move
    std::uint8_t square = 0;           // the best move that is known
    std::uint8_t effort = 0;           // about log2 of the nodes that it took
    std::uint8_t search = 0;           // number of the search that wrote it, modulo 256
  };
  static_assert(sizeof(Entry) == 24);

  // As many entries as fit in `bytes`; 0: none.
  explicit EndgameTable(std::size_t bytes) : entries_(bytes / (2 * sizeof(Entry)) * 2) {}

  void Clear() { entries_.assign(entries_.size(), Entry()); }
  // What earlier searches left is kept, and given up first.
  void StartSearch() { ++search_; }

  // What is known of a position; nullptr if nothing is. The entry may change with the next Store.
  const Entry* Find(Bitboard own, Bitboard enemy) const {
    if (entries_.empty()) return nullptr;
    const Entry* bucket = &entries_[Bucket(own, enemy)];
    for (int i = 0; i < 2; ++i) {
      if (bucket[i].own == own && bucket[i].enemy == enemy) return &bucket[i];
    }
    return nullptr;
  }
  // Takes the place of the same position, of which bounds that were tighter stay, or of what was
  // cheaper to find out.
  void Store(Entry entry) {
    if (entries_.empty()) return;
    entry.search = search_;
    Entry* bucket = &entries_[Bucket(entry.own, entry.enemy)];
    Entry* place = &bucket[Worth(bucket[1]) < Worth(bucket[0])];
    for (int i = 0; i < 2; ++i) {
      if (bucket[i].own != entry.own || bucket[i].enemy != entry.enemy) continue;
      place = &bucket[i];
      entry.lower = std::max(entry.lower, place->lower);
      entry.upper = std::min(entry.upper, place->upper);
    }
    *place = entry;
  }

 private:
  int Worth(const Entry& entry) const { return entry.search == search_ ? entry.effort + 1 : 0; }

  // The index of the first of two neighbours.
  std::size_t Bucket(Bitboard own, Bitboard enemy) const {
    std::uint64_t hash = own * 0x9E3779B97F4A7C15 ^ std::rotl(enemy * 0xC2B2AE3D27D4EB4F, 32);
    hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9;
    unsigned long long bucket;  // hash / 2^64 of all buckets
    _mulx_u64(hash, entries_.size() / 2, &bucket);
    return 2 * bucket;
  }

  std::vector<Entry> entries_;
  std::uint8_t search_ = 0;
};

}  // namespace qirkat::reversi::internal
