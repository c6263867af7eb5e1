// Flat little-endian byte strings: what the journal is made of.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {

static_assert(std::endian::native == std::endian::little, "files hold numbers as memory does");

class ByteWriter {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void Put(Number value) { PutArray(&value, 1); }
  template <class Element>
  requires std::is_trivially_copyable_v<Element>
  void PutArray(const Element* values, std::size_t count) {
    const auto* raw = reinterpret_cast<const std::uint8_t*>(values);
    bytes_.insert(bytes_.end(), raw, raw + count * sizeof(Element));
  }
  // u32 length, then the bytes.
  void PutText(std::string_view text) {
    Put(static_cast<std::uint32_t>(text.size()));
    PutArray(text.data(), text.size());
  }
  std::vector<std::uint8_t> Take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Reads what ByteWriter wrote. Trusts no size: whatever would run over the end throws UserError.
class ByteReader {
 public:
  // `what` names the bytes in error messages ("game record").
  ByteReader(std::span<const std::uint8_t> bytes, std::string_view what)
      : bytes_(bytes), what_(what) {}

  template <class Number>
  requires std::is_arithmetic_v<Number> Number Get() {
    Number value;
    std::memcpy(&value, Skip(1, sizeof(Number)), sizeof(Number));
    return value;
  }
  template <class Element>
  requires std::is_trivially_copyable_v<Element> std::vector<Element> GetArray(std::size_t count) {
    const std::uint8_t* raw = Skip(count, sizeof(Element));
    std::vector<Element> values(count);
    if (count > 0) std::memcpy(values.data(), raw, count * sizeof(Element));
    return values;
  }
  std::string GetText() {
    const auto size = Get<std::uint32_t>();
    const std::uint8_t* raw = Skip(size, 1);
    return {reinterpret_cast<const char*>(raw), size};
  }
  // A u32 count of things of at least `least_bytes` each, refused if that many cannot follow.
  std::uint32_t GetCount(std::size_t least_bytes) {
    const auto count = Get<std::uint32_t>();
    if (least_bytes > 0 && count > remaining() / least_bytes) Fail("cut short");
    return count;
  }
  std::size_t remaining() const { return bytes_.size() - position_; }
  void ExpectEnd() const {
    if (remaining() != 0) Fail("longer than its contents");
  }

 private:
  const std::uint8_t* Skip(std::size_t count, std::size_t size) {
    if (count > remaining() / size) Fail("cut short");
    const std::uint8_t* raw = bytes_.data() + position_;
    position_ += count * size;
    return raw;
  }
  [[noreturn]] void Fail(std::string_view problem) const {
    throw UserError(
        StrCat(what_, " is ", problem, " (byte ", position_, " of ", bytes_.size(), ")"));
  }

  std::span<const std::uint8_t> bytes_;
  std::string_view what_;
  std::size_t position_ = 0;
};

}  // namespace qirkat
