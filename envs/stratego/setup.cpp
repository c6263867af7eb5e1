#include "envs/stratego/setup.h"

#include <iomanip>
#include <sstream>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/hash.h"
#include "envs/core/text.h"

namespace qirkat::stratego {
namespace {

// "FBBBBBBS12…": all pieces of a player.
std::string SupplyText() {
  std::string text;
  for (int rank = 0; rank < kRanks; ++rank) text.append(kSupply[rank], kRankLetters[rank]);
  return text;
}

struct BookName {
  std::string path;
  std::string checksum;  // "" if not given
};

BookName SplitBookName(const std::string& book) {
  constexpr std::size_t kDigits = 16;
  if (book.find('\0') != std::string::npos) {
    throw UserError("the name holds a NUL character; accepted: the name of a file");
  }
  const std::size_t at = book.rfind('@');
  if (at == std::string::npos || book.size() - at != kDigits + 1) return {book, ""};
  const std::string checksum = book.substr(at + 1);
  if (checksum.find_first_not_of("0123456789abcdef") != std::string::npos) return {book, ""};
  return {book.substr(0, at), checksum};
}

std::string ChecksumOf(const std::vector<std::uint8_t>& bytes) {
  Hasher hasher;
  hasher.Add(bytes.size());
  hasher.AddBytes(bytes.data(), bytes.size());
  std::ostringstream hex;
  hex << std::hex << std::setw(16) << std::setfill('0') << hasher.key().lo;
  return hex.str();
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

SetupBook ReadSetupBook(const std::string& name) {
  const auto [path, checksum] = SplitBookName(name);
  const auto bytes = ReadFileBytes(path);
  const std::string found = ChecksumOf(bytes);
  if (!checksum.empty() && found != checksum) {
    throw UserError(StrCat(path, ": the checksum is ", found, ", not ", checksum,
                           ": the book has changed; accepted: the book as it was"));
  }
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) throw UserError(StrCat(path, ": no setups; accepted: one setup text a line"));
  SetupBook book = {StrCat(path, '@', found), {}};
  for (const std::string_view line : Split(text, '\n')) {
    const std::string where = StrCat(path, ':', book.setups.size() + 1);
    if (line.ends_with('\r')) {
      throw UserError(StrCat(where, ": the line ends in CR LF; accepted: LF line ends"));
    }
    book.setups.push_back(ParseSetup(line, where));
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
