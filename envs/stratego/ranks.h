// The ranks of Stratego's pieces and how they fight.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qirkat::stratego {

// In the order of the placement actions. From the marshal on, the lower is the stronger.
enum Rank : std::uint8_t {
  kFlag,
  kBomb,
  kSpy,
  kMarshal,
  kGeneral,
  kColonel,
  kMajor,
  kCaptain,
  kLieutenant,
  kSergeant,
  kMiner,
  kScout,
};
inline constexpr int kRanks = 12;
inline constexpr std::string_view kRankLetters = "FBS123456789";

// How many of each rank a player has, 40 in all.
inline constexpr std::array<std::uint8_t, kRanks> kSupply = {1, 6, 1, 1, 1, 2, 3, 4, 4, 4, 5, 8};
inline constexpr int kPiecesPerPlayer = 40;

constexpr bool IsFixed(Rank rank) { return rank == kFlag || rank == kBomb; }

enum class Fight { kAttackerWins, kDefenderWins, kBothRemoved };

constexpr Fight FightOf(Rank attacker, Rank defender) {
  const auto attacker_wins_if = [](bool wins) {
    return wins ? Fight::kAttackerWins : Fight::kDefenderWins;
  };
  if (defender == kFlag) return Fight::kAttackerWins;
  if (defender == kBomb) return attacker_wins_if(attacker == kMiner);
  if (attacker == defender) return Fight::kBothRemoved;
  if (attacker == kSpy) return attacker_wins_if(defender == kMarshal);
  return attacker_wins_if(defender == kSpy || attacker < defender);
}

}  // namespace qirkat::stratego
