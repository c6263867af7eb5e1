#include "training/batch.h"

#include <algorithm>
#include <bit>

#include "envs/core/error.h"

namespace qirkat {
namespace {

// Calls visit(bit) for every set bit of `bytes`, little-endian bits, ascending.
template <class Visit>
void ForEachBit(std::span<const std::uint8_t> bytes, Visit&& visit) {
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    for (unsigned rest = bytes[b]; rest != 0; rest &= rest - 1) {
      visit(static_cast<int>(b * 8) + std::countr_zero(rest));
    }
  }
}

}  // namespace

Augmenter::Augmenter(const GameInfo& info)
    : squares_(info.squares), planes_(info.planes()), symmetries_(info.symmetries) {}

int Augmenter::Draw(std::uint8_t mask, RandomStream& random) {
  QIRKAT_CHECK(mask & 1, int{mask});
  unsigned rest = mask;
  for (std::uint32_t skip = random.Below(std::popcount(rest)); skip > 0; --skip) rest &= rest - 1;
  return std::countr_zero(rest);
}

void Augmenter::ExpandPlanes(int symmetry, std::span<const std::uint8_t> from,
                             std::span<float> to) const {
  std::fill(to.begin(), to.end(), 0.0f);
  const std::vector<std::uint16_t>& square = symmetries_[symmetry].square;
  ForEachBit(from, [&](int bit) { to[square[bit % squares_] * planes_ + bit / squares_] = 1; });
}

void AssembleBatch(const ReplayWindow& window, std::span<const std::uint64_t> sample,
                   const GameInfo& info, const Augmenter& augmenter, RandomStream* augmentation,
                   double root_value_share, const BatchArrays& out) {
  const std::size_t plane_values = info.planes() * info.squares, scalars = info.scalars();
  const std::size_t policy_size = info.policy_size;
  const auto share = static_cast<float>(root_value_share);
  std::fill(out.legal.begin(), out.legal.end(), 0);
  std::fill(out.policy.begin(), out.policy.end(), 0.0f);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const WindowRow row = window.row(sample[i]);
    const RowTargets& targets = row.targets;
    const int symmetry = augmentation ? Augmenter::Draw(targets.symmetries, *augmentation) : 0;
    augmenter.ExpandPlanes(symmetry, row.planes,
                           out.planes.subspan(i * plane_values, plane_values));
    std::copy(row.scalars.begin(), row.scalars.end(), out.scalars.begin() + i * scalars);
    const auto legal = out.legal.subspan(i * policy_size, policy_size);
    ForEachBit(row.legal, [&](int action) { legal[augmenter.MapAction(symmetry, action)] = 1; });
    const auto policy = out.policy.subspan(i * policy_size, policy_size);
    for (const PolicyShare& entry : row.policy) {
      policy[augmenter.MapAction(symmetry, entry.action)] = static_cast<float>(entry.share) / 65535;
    }
    const int result = 1 - targets.result;
    for (int k = 0; k < 3; ++k) {
      out.wdl[i * 3 + k] = (1 - share) * (k == result ? 1.0f : 0.0f) + share * targets.root_wdl[k];
    }
    out.result[i] = result;
    out.score[i] = targets.score;
    out.moves_left[i] = targets.moves_left;
    out.weight[i] = targets.weight;
    out.policy_weight[i] = (targets.flags & kFlagFullSearch) ? targets.weight : 0.0f;
  }
}

}  // namespace qirkat
