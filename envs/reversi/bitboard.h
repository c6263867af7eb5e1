// Reversi on two 64-bit boards: where a disc can go, what it turns, what counts in the end. Bit =
// square (a1 is 0, h8 is 63). Four directions go through one AVX2 register, so that eight take two
// passes and no lookup but the rays of the square (4 KiB).
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

namespace qirkat::reversi {

using Bitboard = std::uint64_t;

inline constexpr Bitboard kFileA = 0x0101010101010101;

// The discs of file a as a byte, a1 lowest.
inline unsigned FileByte(Bitboard board) {
  return static_cast<unsigned>((board & kFileA) * 0x0102040810204080 >> 56);
}

namespace internal {

// Per square, in the lanes of direction steps 1, 7, 8, 9: the squares of the ray towards higher
// squares (`up`) and towards lower squares (`down`), the square itself not among them.
struct Rays {
  alignas(32) std::array<Bitboard, 4> up{};
  alignas(32) std::array<Bitboard, 4> down{};
};

constexpr Bitboard Ray(int square, int file_step, int row_step) {
  Bitboard ray = 0;
  int file = square % 8 + file_step;
  int row = square / 8 + row_step;
  for (; file >= 0 && file < 8 && row >= 0 && row < 8; file += file_step, row += row_step) {
    ray |= Bitboard{1} << (row * 8 + file);
  }
  return ray;
}

inline constexpr std::array<Rays, 64> kRays = [] {
  std::array<Rays, 64> rays{};
  for (int square = 0; square < 64; ++square) {
    rays[square].up = {Ray(square, 1, 0), Ray(square, -1, 1), Ray(square, 0, 1), Ray(square, 1, 1)};
    rays[square].down = {Ray(square, -1, 0), Ray(square, 1, -1), Ray(square, 0, -1),
                         Ray(square, -1, -1)};
  }
  return rays;
}();

inline Bitboard OrLanes(__m256i x) {
  const __m128i half = _mm_or_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  return static_cast<Bitboard>(_mm_cvtsi128_si64(half)) |
         static_cast<Bitboard>(_mm_extract_epi64(half, 1));
}

inline __m256i Splat(Bitboard board) { return _mm256_set1_epi64x(static_cast<long long>(board)); }

}  // namespace internal

// Every empty square where `own` turns at least one disc of `enemy`. Parallel prefix: runs of enemy
// discs next to own ones grow by 1, 2, 2 and 2 squares.
inline Bitboard Mobility(Bitboard own, Bitboard enemy) {
  using internal::Splat;
  const __m256i step = _mm256_set_epi64x(9, 8, 7, 1);
  const __m256i two_steps = _mm256_set_epi64x(18, 16, 14, 2);
  // A run that goes sideways cannot hold a disc of the edge files: its other end would be off
  // board.
  constexpr long long kInner = 0x7E7E7E7E7E7E7E7E;
  const __m256i inner =
      _mm256_and_si256(Splat(enemy), _mm256_set_epi64x(kInner, -1, kInner, kInner));
  const __m256i mine = Splat(own);

  __m256i up = _mm256_and_si256(inner, _mm256_sllv_epi64(mine, step));
  __m256i down = _mm256_and_si256(inner, _mm256_srlv_epi64(mine, step));
  up = _mm256_or_si256(up, _mm256_and_si256(inner, _mm256_sllv_epi64(up, step)));
  down = _mm256_or_si256(down, _mm256_and_si256(inner, _mm256_srlv_epi64(down, step)));
  const __m256i pairs_up = _mm256_and_si256(inner, _mm256_sllv_epi64(inner, step));
  const __m256i pairs_down = _mm256_srlv_epi64(pairs_up, step);
  for (int i = 0; i < 2; ++i) {
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two_steps)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two_steps)));
  }
  const __m256i ends = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
  return internal::OrLanes(ends) & ~(own | enemy);
}

// The discs of `enemy` that `own` turns with a disc on the empty `square`.
inline Bitboard Flips(Bitboard own, Bitboard enemy, int square) {
  using internal::Splat;
  const internal::Rays& rays = internal::kRays[square];
  const __m256i zero = _mm256_setzero_si256();
  const __m256i ones = _mm256_cmpeq_epi64(zero, zero);
  const __m256i mine = Splat(own);
  const __m256i other = Splat(enemy);

  // Upwards: a carry through everything that is enemy or not on the ray stops at the first square
  // behind the run; if that one is own, the ray below it is turned.
  const __m256i up = _mm256_load_si256(reinterpret_cast<const __m256i*>(rays.up.data()));
  const __m256i carried =
      _mm256_sub_epi64(_mm256_or_si256(other, _mm256_andnot_si256(up, ones)), ones);
  const __m256i up_end = _mm256_and_si256(_mm256_and_si256(carried, up), mine);
  const __m256i up_run = _mm256_and_si256(_mm256_add_epi64(up_end, ones), up);
  const __m256i up_flips = _mm256_andnot_si256(_mm256_cmpeq_epi64(up_end, zero), up_run);

  // Downwards there is no carry: what is not enemy is smeared to the far end of the ray.
  const __m256i step = _mm256_set_epi64x(9, 8, 7, 1);
  const __m256i two_steps = _mm256_set_epi64x(18, 16, 14, 2);
  const __m256i four_steps = _mm256_set_epi64x(36, 32, 28, 4);
  const __m256i down = _mm256_load_si256(reinterpret_cast<const __m256i*>(rays.down.data()));
  __m256i behind = _mm256_andnot_si256(other, down);
  behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, step));
  behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, two_steps));
  behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, four_steps));
  const __m256i first = _mm256_andnot_si256(_mm256_srlv_epi64(behind, step), behind);
  const __m256i down_end = _mm256_and_si256(_mm256_and_si256(first, mine), down);
  const __m256i down_run = _mm256_andnot_si256(behind, down);
  const __m256i down_flips = _mm256_andnot_si256(_mm256_cmpeq_epi64(down_end, zero), down_run);

  return internal::OrLanes(_mm256_or_si256(up_flips, down_flips));
}

inline constexpr int kMaxScore = 64;

// The score of a game that is over, for the owner of `own`.
inline int FinalScore(Bitboard own, Bitboard enemy, bool winner_takes_empties) {
  const int discs = std::popcount(own);
  const int enemy_discs = std::popcount(enemy);
  const int difference = discs - enemy_discs;
  if (!winner_takes_empties || difference == 0) return difference;
  const int empties = 64 - discs - enemy_discs;
  return difference > 0 ? difference + empties : difference - empties;
}

}  // namespace qirkat::reversi
