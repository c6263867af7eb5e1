// Files of Stratego's option setup_book: refused, or made of the setups that are read from them.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "envs/core/text.h"
#include "envs/stratego/setup.h"
#include "tests/fuzz/game_input.h"

namespace qirkat::fuzz {
namespace {

// A file in memory that holds the bytes, by its path.
std::string FileOf(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("setup_book", 0);
  QIRKAT_CHECK(file >= 0 && ftruncate(file, 0) == 0);
  QIRKAT_CHECK(pwrite(file, data, size, 0) == static_cast<ssize_t>(size), size);
  return StrCat("/proc/self/fd/", file);
}

void Check(std::string_view text, const std::string& path) {
  std::string written;
  for (const stratego::Setup& setup : stratego::ReadSetupBook(path).setups) {
    for (const auto rank : setup) written += stratego::kRankLetters[rank];
    written += '\n';
  }
  if (!text.ends_with('\n')) written.pop_back();
  QIRKAT_CHECK(written == text, text);
}

}  // namespace
}  // namespace qirkat::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = qirkat::fuzz::FileOf(data, size);
  qirkat::fuzz::Accepts([&] {
    qirkat::fuzz::Check({reinterpret_cast<const char*>(data), size}, path);
  });
  return 0;
}
