// Setups: the 40 pieces of a player in the order in which they are placed.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/random.h"
#include "envs/core/types.h"
#include "envs/stratego/ranks.h"

namespace qirkat::stratego {

using Setup = std::array<Rank, kPiecesPerPlayer>;

// The n-th square that a player fills, n = 0 … 39: as the owner sees the board, the front rank
// first, left to right, then the next rank back.
constexpr int SetupSquare(Player player, int n) {
  const int square = 30 - n / 10 * 10 + n % 10;
  return player == 0 ? square : 99 - square;
}

// The 40 letters of a setup text; throws UserError "WHERE: REASON; accepted: FORM".
Setup ParseSetup(std::string_view text, std::string_view where);

struct SetupBook {
  std::string name;  // FILE@CHECKSUM: what a run stores, so that it never goes on with another
  std::vector<Setup> setups;  // at least one
};
// The book of the option setup_book: FILE, or FILE@CHECKSUM (16 hex digits), whose content must
// have that checksum. One setup text a line; throws UserError that names file and line.
SetupBook ReadSetupBook(const std::string& name);

// All orders of the 40 pieces are equally likely.
Setup RandomSetup(RandomStream& random);

}  // namespace qirkat::stratego
