// Small text helpers (g++ 12 has no std::format).
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace qirkat {

// Joins the values as `<<` writes them.
template <class... Values>
std::string StrCat(const Values&... values) {
  std::ostringstream out;
  (out << ... << values);
  return out.str();
}

std::vector<std::string_view> Split(std::string_view text, char separator);
std::string_view Trim(std::string_view text);

template <class Strings>
std::string Join(const Strings& strings, std::string_view separator) {
  std::string joined;
  bool first = true;
  for (const auto& string : strings) {
    if (!first) joined += separator;
    joined += string;
    first = false;
  }
  return joined;
}

// Whole-text number parsing, independent of the locale; nullopt if any character is left over.
template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// The shortest text that reads back as the same double ("0.25", "1e-05").
std::string NumberText(double value);

// The candidate nearest to `name` by edit distance, or nullopt if none is near (more than a third
// of its letters differ).
std::optional<std::string> Nearest(std::string_view name, std::span<const std::string> candidates);

// "unknown KIND 'NAME'[; did you mean 'NEAREST'?]; accepted: A, B, C"
std::string UnknownName(std::string_view kind, std::string_view name,
                        std::span<const std::string> candidates);

// `text` in single quotes, cut after `limit` bytes, with control characters written as \xNN: for
// error messages that show what a user typed.
std::string Quoted(std::string_view text, std::size_t limit = 80);

}  // namespace qirkat
