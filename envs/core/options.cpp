#include "envs/core/options.h"

#include <algorithm>
#include <cmath>

namespace qirkat {

namespace {
// Limits of integers in full: "1000000", not "1e+06".
std::string LimitText(OptionType type, double limit) {
  return type == OptionType::kInteger ? std::to_string(static_cast<std::int64_t>(limit))
                                      : NumberText(limit);
}
}  // namespace

std::string AcceptedText(OptionType type, const OptionFacts& facts) {
  const std::string unit = facts.unit.empty() ? "" : " " + facts.unit;
  const bool low = std::isfinite(facts.min);
  const bool high = std::isfinite(facts.max);
  std::string range;
  if (low && high) {
    range = StrCat(' ', LimitText(type, facts.min), " … ", LimitText(type, facts.max));
  } else if (low) {
    range = StrCat(" ≥ ", LimitText(type, facts.min));
  } else if (high) {
    range = StrCat(" ≤ ", LimitText(type, facts.max));
  }
  switch (type) {
    case OptionType::kInteger:
      return StrCat("an integer", range, unit);
    case OptionType::kReal:
      return StrCat("a number", range, unit);
    case OptionType::kSwitch:
      return "on or off";
    case OptionType::kText:
      break;
  }
  return facts.choices.empty() ? "a text" : StrCat("one of ", Join(facts.choices, ", "));
}

namespace internal {
namespace {
[[noreturn]] void ThrowBadValue(OptionType type, const std::string& name, const OptionFacts& facts,
                                std::string_view text, std::string_view where) {
  throw UserError(
      StrCat(where, ": ", name, " must be ", AcceptedText(type, facts), ", not ", Quoted(text)));
}
}  // namespace

std::int64_t ParseOptionInteger(const std::string& name, const OptionFacts& facts,
                                std::string_view text, std::string_view where) {
  const auto value = ParseNumber<std::int64_t>(text);
  if (!value || static_cast<double>(*value) < facts.min ||
      static_cast<double>(*value) > facts.max) {
    ThrowBadValue(OptionType::kInteger, name, facts, text, where);
  }
  return *value;
}

double ParseOptionReal(const std::string& name, const OptionFacts& facts, std::string_view text,
                       std::string_view where) {
  const auto value = ParseNumber<double>(text);
  if (!value || !std::isfinite(*value) || *value < facts.min || *value > facts.max) {
    ThrowBadValue(OptionType::kReal, name, facts, text, where);
  }
  return *value;
}

bool ParseOptionSwitch(const std::string& name, const OptionFacts& facts, std::string_view text,
                       std::string_view where) {
  const bool on = text == "on" || text == "true";  // as TOML writes it
  if (!on && text != "off" && text != "false") {
    ThrowBadValue(OptionType::kSwitch, name, facts, text, where);
  }
  return on;
}

std::string ParseOptionText(const std::string& name, const OptionFacts& facts,
                            std::string_view text, std::string_view where) {
  if (!facts.choices.empty() &&
      std::find(facts.choices.begin(), facts.choices.end(), text) == facts.choices.end()) {
    ThrowBadValue(OptionType::kText, name, facts, text, where);
  }
  return std::string(text);
}

void ThrowUnknownOption(std::string_view name, std::span<const std::string> known,
                        std::string_view where) {
  throw UserError(StrCat(where, ": ", UnknownName("option", name, known)));
}

}  // namespace internal

void CheckOption(const OptionInfo& option, std::string_view text, std::string_view where) {
  switch (option.type) {
    case OptionType::kInteger:
      internal::ParseOptionInteger(option.name, option.facts, text, where);
      return;
    case OptionType::kReal:
      internal::ParseOptionReal(option.name, option.facts, text, where);
      return;
    case OptionType::kSwitch:
      internal::ParseOptionSwitch(option.name, option.facts, text, where);
      return;
    case OptionType::kText:
      internal::ParseOptionText(option.name, option.facts, text, where);
      return;
  }
}

}  // namespace qirkat
