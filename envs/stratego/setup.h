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

// The option setup_book: FILE, or FILE@CHECKSUM, whose content must have that checksum (16 hex
// digits): what a run stores, so that it never goes on with another book.
//
// One setup text a line, at least one; throws UserError that names file and line.
std::vector<Setup> ReadSetupBook(const std::string& book);
// FILE@CHECKSUM; throws UserError if the file cannot be read or has another checksum than `book`.
std::string WithChecksum(const std::string& book);

// All orders of the 40 pieces are equally likely.
Setup RandomSetup(RandomStream& random);

}  // namespace qirkat::stratego
