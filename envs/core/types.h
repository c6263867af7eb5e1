// The few types that every game and every user of a game shares.
#pragma once

#include <cstdint>
#include <string>

namespace qirkat {

using Action = std::uint16_t;  // absolute action index, 0 .. policy_size - 1 (docs/rules.md)
using Player = std::uint8_t;   // 0 moves first and sits at the bottom; 1 sits at the top

constexpr Player Opponent(Player player) { return player ^ 1; }

// A 128-bit key of a position: exact where it fits, else a hash.
struct Key128 {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend bool operator==(const Key128&, const Key128&) = default;
  friend constexpr Key128 operator^(const Key128& a, const Key128& b) {
    return {a.lo ^ b.lo, a.hi ^ b.hi};
  }
};

// A strong 64-bit mixer (the finalizer of MurmurHash3 with splitmix64's constants, Stafford's mix
// 13).
constexpr std::uint64_t Mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
constexpr std::uint64_t HashKey(const Key128& key) {
  return Mix64(key.lo + 0x9E3779B97F4A7C15ull * Mix64(key.hi + 0x632BE59BD9B4E019ull));
}

// Why a game is over: the reasons of the rules, then those that only a match gives.
// The numbers are part of the data format.
enum class EndReason : std::uint8_t {
  kNone = 0,  // not over
  kDiscs = 1,
  kCaptureAll = 2,
  kBlocked = 3,
  kLastSuper = 4,
  kOnePiece = 5,
  kFlag = 6,
  kRepetition = 7,
  kNoCapture = 8,
  kNoAttack = 9,
  kBothPass = 10,
  kMaxPlies = 11,
  kResign = 32,
  kAdjudicated = 33,
  kTime = 34,
  kIllegal = 35,
  kCrash = 36,
  kAborted = 37,
};

struct Outcome {
  EndReason reason = EndReason::kNone;
  bool by_points = false;  // Super 1 al 5: points decided; written as "+points" behind the reason
  std::int8_t result = 0;  // +1, 0, -1 for player 0
  std::int32_t score = 0;  // for player 0, in the game's own unit; also valid before the end
  bool over() const { return reason != EndReason::kNone; }
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// "discs", "max-plies+points", "unfinished" for kNone.
std::string ReasonText(const Outcome& outcome);

// One byte of the data format: the reason, with bit 7 for by_points.
std::uint8_t PackReason(const Outcome& outcome);
// Inverse of PackReason; result and score stay 0. Throws UserError for a byte that means nothing.
Outcome UnpackReason(std::uint8_t packed);

// "result R score S plies N reason X" as `qirkat replay` prints it; R is +1, 0 or -1; "*" and S 0
// for a game that is not over.
std::string ResultText(const Outcome& outcome, std::uint32_t plies);

}  // namespace qirkat
