// Headers of journals as bytes (selfplay/data/header.h): refused, or written and read as the same.
#include "selfplay/data/header.h"
#include "tests/fuzz/game_input.h"

namespace qirkat::fuzz {
namespace {

ShardHeader Read(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes, "header");
  ShardHeader header = GetHeader(in);
  in.ExpectEnd();
  return header;
}

}  // namespace
}  // namespace qirkat::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qirkat::fuzz::Accepts([&] {
    const qirkat::ShardHeader header = qirkat::fuzz::Read({data, size});
    qirkat::ByteWriter out;
    qirkat::PutHeader(out, header);
    QIRKAT_CHECK(qirkat::fuzz::Read(out.Take()) == header);
  });
  return 0;
}
