// One declaration an option: name, default, range, unit, help in one table, from which the command
// line, TOML files, reference.toml, listings and error messages all come.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {

enum class OptionType { kInteger, kReal, kSwitch, kText };

// What is said about an option besides its name and where it is stored.
struct OptionFacts {
  double min = -std::numeric_limits<double>::infinity();  // inclusive, of numbers
  double max = std::numeric_limits<double>::infinity();   // inclusive, of numbers
  std::vector<std::string> choices = {};                  // of texts; empty: any text
  std::string unit = "";                                  // "plies", "bytes", "positions/s" …
  std::string help = "";                                  // one sentence
  std::string source = "";      // paper or system an idea is borrowed from
  bool changes_results = true;  // false: paths, worker counts and the like; not stored with data
};

// One option of the options struct T: where its value is stored in T, and its facts.
template <class T>
struct Option {
  std::string name;
  std::variant<std::int64_t T::*, double T::*, bool T::*, std::string T::*> field;
  OptionFacts facts;
};

// An option as run-time data (values as text: numbers shortest, switches on/off).
struct OptionInfo {
  std::string name;
  OptionType type = OptionType::kText;
  std::string value;
  std::string default_value;
  OptionFacts facts;
};

using OptionTexts = std::vector<std::pair<std::string, std::string>>;  // name, value

// "integer 0 … 1000000", "one of classic, tournament", "on or off"
std::string AcceptedText(OptionType type, const OptionFacts& facts);
// Throws UserError "WHERE: NAME must be ACCEPTED, not 'TEXT'" unless the option takes this value.
void CheckOption(const OptionInfo& option, std::string_view text, std::string_view where);

namespace internal {
// Each parses and range-checks; throws UserError "WHERE: NAME must be ACCEPTED, not 'TEXT'".
std::int64_t ParseOptionInteger(const std::string& name, const OptionFacts& facts,
                                std::string_view text, std::string_view where);
double ParseOptionReal(const std::string& name, const OptionFacts& facts, std::string_view text,
                       std::string_view where);
bool ParseOptionSwitch(const std::string& name, const OptionFacts& facts, std::string_view text,
                       std::string_view where);
std::string ParseOptionText(const std::string& name, const OptionFacts& facts,
                            std::string_view text, std::string_view where);
[[noreturn]] void ThrowUnknownOption(std::string_view name, std::span<const std::string> known,
                                     std::string_view where);

inline std::string OptionValueText(std::int64_t value) { return std::to_string(value); }
inline std::string OptionValueText(double value) { return NumberText(value); }
inline std::string OptionValueText(bool value) { return value ? "on" : "off"; }
inline std::string OptionValueText(const std::string& value) { return value; }
// In a small T g++ 12 warns of the types of members that T has not.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
template <class T>
std::string OptionValueText(const T& options, const Option<T>& option) {
  return std::visit([&](auto member) { return OptionValueText(options.*member); }, option.field);
}
#pragma GCC diagnostic pop
}  // namespace internal

// An options struct T is a default-constructible aggregate with `static const
// std::vector<Option<T>>& Table()`. `where` names the place for the error message:
// "configs/x.toml:12" or "--set". Not inlined: g++ would warn of a text written into a struct too
// small to hold one.
template <class T>
[[gnu::noinline]] void SetOption(T& options, std::string_view name, std::string_view text,
                                 std::string_view where) {
  for (const Option<T>& option : T::Table()) {
    if (option.name != name) continue;
    const auto& facts = option.facts;
    switch (option.field.index()) {
      case 0:
        options.*std::get<0>(option.field) =
            internal::ParseOptionInteger(option.name, facts, text, where);
        return;
      case 1:
        options.*std::get<1>(option.field) =
            internal::ParseOptionReal(option.name, facts, text, where);
        return;
      case 2:
        options.*std::get<2>(option.field) =
            internal::ParseOptionSwitch(option.name, facts, text, where);
        return;
      default:
        options.*std::get<3>(option.field) =
            internal::ParseOptionText(option.name, facts, text, where);
        return;
    }
  }
  std::vector<std::string> known;
  for (const Option<T>& option : T::Table()) known.push_back(option.name);
  internal::ThrowUnknownOption(name, known, where);
}

// Every option of T with its current value in `options`, in table order.
template <class T>
std::vector<OptionInfo> DescribeOptions(const T& options) {
  static const T defaults{};
  std::vector<OptionInfo> infos;
  for (const Option<T>& option : T::Table()) {
    OptionInfo info;
    info.name = option.name;
    info.type = static_cast<OptionType>(option.field.index());
    info.facts = option.facts;
    info.value = internal::OptionValueText(options, option);
    info.default_value = internal::OptionValueText(defaults, option);
    infos.push_back(std::move(info));
  }
  return infos;
}

// All values of T as (name, value) texts, in table order.
template <class T>
OptionTexts OptionValues(const T& options) {
  OptionTexts texts;
  for (const OptionInfo& info : DescribeOptions(options)) texts.emplace_back(info.name, info.value);
  return texts;
}

template <class T>
T ParseOptions(const OptionTexts& texts, std::string_view where) {
  T options{};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (texts[i].first == texts[j].first) {
        throw UserError(StrCat(where, ": option '", texts[i].first, "' is given twice"));
      }
    }
    SetOption(options, texts[i].first, texts[i].second, where);
  }
  return options;
}

}  // namespace qirkat
