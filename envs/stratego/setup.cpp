#include "envs/stratego/setup.h"

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"

namespace qirkat::stratego {
namespace {

// "FBBBBBBS12…": all pieces of a player.
std::string SupplyText() {
  std::string text;
  for (int rank = 0; rank < kRanks; ++rank) text.append(kSupply[rank], kRankLetters[rank]);
  return text;
}

}  // namespace

Setup ParseSetup(std::string_view text, std::string_view where) {
  const auto fail = [where](const auto&... reason) {
    throw UserError(
        StrCat(where, ": ", reason..., "; accepted: the letters ", SupplyText(), " in any order"));
  };
  Setup setup{};
  std::array<int, kRanks> count{};
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto rank = kRankLetters.find(text[n]);
    if (rank == std::string_view::npos) {
      fail("no piece is called ", Quoted(text.substr(n, 1)), " at character ", n + 1);
    }
    if (++count[rank] > kSupply[rank]) {
      fail("more than ", int{kSupply[rank]}, " pieces ", text[n], " at character ", n + 1);
    }
    if (n < setup.size()) setup[n] = static_cast<Rank>(rank);
  }
  if (text.size() != setup.size()) {
    fail("a setup of ", text.size(), " letters instead of ", setup.size());
  }
  return setup;
}

std::vector<Setup> ReadSetupBook(const std::filesystem::path& path) {
  const auto bytes = ReadFileBytes(path);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) {
    throw UserError(StrCat(path.string(), ": no setups; accepted: one setup text a line"));
  }
  std::vector<Setup> book;
  for (const std::string_view line : Split(text, '\n')) {
    const std::string where = StrCat(path.string(), ':', book.size() + 1);
    if (line.ends_with('\r')) {
      throw UserError(StrCat(where, ": the line ends in CR LF; accepted: LF line ends"));
    }
    book.push_back(ParseSetup(line, where));
  }
  return book;
}

Setup RandomSetup(RandomStream& random) {
  Setup setup{};
  std::size_t n = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int i = 0; i < kSupply[rank]; ++i) setup[n++] = static_cast<Rank>(rank);
  }
  Shuffle(setup, random);
  return setup;
}

}  // namespace qirkat::stratego
