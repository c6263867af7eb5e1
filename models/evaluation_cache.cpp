#include "models/evaluation_cache.h"

#include <algorithm>
#include <cstring>

#include "envs/core/error.h"
#include "envs/core/hash.h"

namespace qirkat {
namespace {

constexpr std::size_t kValues = 5;  // W/D/L, score, moves left

std::size_t ResultBytes(const EvalShape& shape) {
  return (shape.policy_size + kValues) * sizeof(float);
}

std::size_t RecordBytes(const EvalShape& shape) {
  const std::size_t bytes = ResultBytes(shape) + shape.scalars * sizeof(float) + shape.plane_bytes;
  return (bytes + alignof(float) - 1) / alignof(float) * alignof(float);
}

}  // namespace

std::uint64_t HashObservation(std::span<const std::uint8_t> planes,
                              std::span<const float> scalars) {
  Hasher hasher;
  hasher.AddBytes(planes.data(), planes.size_bytes());
  hasher.AddBytes(scalars.data(), scalars.size_bytes());
  return HashKey(hasher.key());
}

EvaluationCache::EvaluationCache(const EvalShape& shape, std::size_t bytes, ObservationHash hash)
    : shape_(shape),
      hash_(hash),
      result_bytes_(ResultBytes(shape)),
      record_bytes_(RecordBytes(shape)),
      sets_(std::min<std::size_t>(bytes / (kWays * EntryBytes(shape)), kNone / kWays)),
      ways_(entries()),
      records_(new std::byte[entries() * record_bytes_]) {
  QIRKAT_CHECK(sets_ > 0, bytes);
}

std::size_t EvaluationCache::EntryBytes(const EvalShape& shape) {
  return RecordBytes(shape) + sizeof(Way);
}

EvaluationCache::Key EvaluationCache::KeyOf(const EvalBatch& batch, int row) const {
  const auto r = static_cast<std::size_t>(row);
  Key key{.planes = batch.planes.subspan(r * shape_.plane_bytes, shape_.plane_bytes),
          .scalars = batch.scalars.subspan(r * shape_.scalars, shape_.scalars)};
  key.hash = hash_(key.planes, key.scalars);
  return key;
}

EvaluationCache::Entry EvaluationCache::Find(const Key& key) {
  const auto same = [](const std::byte* stored, auto wanted) {
    return std::ranges::equal(std::span(stored, wanted.size_bytes()), std::as_bytes(wanted));
  };
  const Entry first = FirstOf(key.hash);
  for (Entry entry = first; entry < first + kWays; ++entry) {
    Way& way = ways_[entry];
    if (way.used == 0 || way.hash != key.hash) continue;
    const std::byte* stored = StoredKey(entry);
    if (!same(stored, key.scalars) || !same(stored + key.scalars.size_bytes(), key.planes))
      continue;
    way.used = batch_;
    return entry;
  }
  return kNone;
}

EvaluationCache::Entry EvaluationCache::Reserve(const Key& key, int row) {
  const Entry first = FirstOf(key.hash);
  const auto begin = ways_.begin() + first;
  const auto oldest = std::ranges::min_element(begin, begin + kWays, {}, &Way::used);
  if (oldest->used == batch_) return kNone;
  *oldest = {.hash = key.hash, .used = batch_, .waits_for = row};
  const auto entry = static_cast<Entry>(oldest - ways_.begin());
  std::byte* stored = StoredKey(entry);
  std::ranges::copy(std::as_bytes(key.scalars), stored);
  std::ranges::copy(std::as_bytes(key.planes), stored + key.scalars.size_bytes());
  return entry;
}

void EvaluationCache::Write(Entry entry, const EvalResult& result, int row) {
  ways_[entry].waits_for = -1;
  const auto policy_size = static_cast<std::size_t>(shape_.policy_size);
  float values[kValues];
  std::copy_n(&result.wdl[3 * row], 3, values);
  values[3] = result.score[row];
  values[4] = result.moves_left[row];
  std::byte* record = Record(entry);
  std::memcpy(record, &result.policy_logits[row * policy_size], policy_size * sizeof(float));
  std::memcpy(record + policy_size * sizeof(float), values, sizeof(values));
}

void EvaluationCache::Read(Entry entry, const EvalResult& result, int row) const {
  const auto policy_size = static_cast<std::size_t>(shape_.policy_size);
  float values[kValues];
  const std::byte* record = Record(entry);
  std::memcpy(&result.policy_logits[row * policy_size], record, policy_size * sizeof(float));
  std::memcpy(values, record + policy_size * sizeof(float), sizeof(values));
  std::copy_n(values, 3, &result.wdl[3 * row]);
  result.score[row] = values[3];
  result.moves_left[row] = values[4];
}

}  // namespace qirkat
