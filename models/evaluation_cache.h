// Results of evaluated observations, kept in memory of a fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/evaluator.h"

namespace qirkat {

// A hash of an observation: planes and scalars of one row. It only finds the place where an entry
// may stand; entries are told apart by comparing the whole observation, so that a poor hash costs
// time and nothing else.
using ObservationHash = std::uint64_t (*)(std::span<const std::uint8_t> planes,
                                          std::span<const float> scalars);
std::uint64_t HashObservation(std::span<const std::uint8_t> planes, std::span<const float> scalars);

// A hash table of sets of four entries. The hash names the set; where all four are taken the one
// least recently used makes room, but none that the batch under way has used. One thread.
class EvaluationCache {
 public:
  using Entry = std::uint32_t;
  struct Key {
    std::span<const std::uint8_t> planes;  // [plane_bytes]
    std::span<const float> scalars;        // [scalars]
    std::uint64_t hash = 0;
  };
  static constexpr Entry kNone = 0xFFFFFFFF;
  static constexpr std::size_t kWays = 4;

  // What one entry takes.
  static std::size_t EntryBytes(const EvalShape& shape);

  // All memory is reserved here and stays within `bytes`, which are enough for one set.
  EvaluationCache(const EvalShape& shape, std::size_t bytes, ObservationHash hash);

  std::size_t entries() const { return sets_ * kWays; }
  std::size_t bytes() const { return entries() * EntryBytes(shape_); }

  Key KeyOf(const EvalBatch& batch, int row) const;

  // From here on entries that are found or reserved belong to the next batch.
  void BeginBatch() { ++batch_; }
  // The entry of an equal observation, or kNone.
  Entry Find(const Key& key);
  // An entry for what Find did not find; its result comes later, as row `row` of what is computed.
  // kNone if the batch has used all entries that it might take.
  Entry Reserve(const Key& key, int row);
  // The row whose result an entry waits for; -1: it is there.
  int waits_for(Entry entry) const { return ways_[entry].waits_for; }

  void Write(Entry entry, const EvalResult& result, int row);       // from row `row`
  void Read(Entry entry, const EvalResult& result, int row) const;  // into row `row`
  // Forgets an entry whose result will not come.
  void Forget(Entry entry) { ways_[entry] = {}; }

 private:
  struct Way {
    std::uint64_t hash = 0;
    // The last batch that used it; 0: empty. Should the count ever wrap round, entries are only
    // replaced in a worse order or forgotten.
    std::uint32_t used = 0;
    std::int32_t waits_for = -1;
  };
  static_assert(sizeof(Way) == 16);

  Entry FirstOf(std::uint64_t hash) const {
    return static_cast<Entry>(((hash >> 32) * sets_) >> 32) * kWays;
  }
  // An entry's memory: the result's floats, the scalars, the planes.
  std::byte* Record(Entry entry) const { return records_.get() + entry * record_bytes_; }
  std::byte* StoredKey(Entry entry) const { return Record(entry) + result_bytes_; }

  EvalShape shape_;
  ObservationHash hash_;
  std::size_t result_bytes_;  // of a record; its key stands behind
  std::size_t record_bytes_;
  std::size_t sets_;
  std::uint32_t batch_ = 1;
  std::vector<Way> ways_;                 // [sets, kWays]
  std::unique_ptr<std::byte[]> records_;  // [sets, kWays, record_bytes]; written before it is read
};

}  // namespace qirkat
