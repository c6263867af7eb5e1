// Game records as bytes (selfplay/data/record.h): refused, or the bytes that the record writes.
#include "selfplay/data/record.h"

#include <algorithm>

#include "tests/fuzz/game_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qirkat::fuzz::Accepts([&] {
    const auto bytes = qirkat::SerializeGame(qirkat::ParseGame(data, size));
    QIRKAT_CHECK(std::equal(bytes.begin(), bytes.end(), data, data + size), size, bytes.size());
  });
  return 0;
}
