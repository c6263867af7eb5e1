// The only file that sees toml++.
#include <toml++/toml.h>
#include <algorithm>
#include <sstream>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "training/config_settings.h"

namespace qirkat {
namespace {

std::string Place(const std::string& where, const toml::source_region& source) {
  return StrCat(where, ':', source.begin.line);
}

Setting ReadValue(const toml::node& node) {
  Setting setting;
  if (const auto* integer = node.as_integer()) {
    setting.type = SettingType::kInteger;
    setting.text = std::to_string(integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    setting.type = SettingType::kReal;
    setting.text = NumberText(real->get());
  } else if (const auto* boolean = node.as_boolean()) {
    setting.type = SettingType::kSwitch;
    setting.text = boolean->get() ? "on" : "off";
  } else if (const auto* text = node.as_string()) {
    setting.type = SettingType::kText;
    setting.text = text->get();
  } else {
    setting.type = SettingType::kOther;
    setting.text = node.is_array() ? "an array" : node.is_table() ? "a table" : "a date or time";
  }
  return setting;
}

}  // namespace

std::vector<Setting> ReadTomlSettings(std::string_view toml, const std::string& where) {
  toml::table root;
  try {
    root = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    throw UserError(
        StrCat(Place(where, error.source()), ": not valid TOML: ", error.description()));
  }
  std::vector<std::pair<toml::source_position, Setting>> settings;
  for (const auto& [section, node] : root) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      throw UserError(StrCat(Place(where, node.source()), ": ", Quoted(section.str()),
                             " stands outside a section; options are given as [section] and then "
                             "key = value"));
    }
    if (table->empty()) {
      // An empty section holds no option, but its name must be right.
      Setting setting;
      setting.section = section.str();
      setting.where = Place(where, table->source());
      settings.emplace_back(table->source().begin, std::move(setting));
    }
    for (const auto& [key, value] : *table) {
      Setting setting = ReadValue(value);
      setting.section = section.str();
      setting.key = key.str();
      setting.where = Place(where, key.source());
      settings.emplace_back(key.source().begin, std::move(setting));
    }
  }
  std::sort(settings.begin(), settings.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  std::vector<Setting> sorted;
  for (auto& [position, setting] : settings) sorted.push_back(std::move(setting));
  return sorted;
}

std::string TomlValue(OptionType type, std::string_view text) {
  if (type == OptionType::kSwitch) return text == "on" ? "true" : "false";
  if (type == OptionType::kReal && text.find_first_of(".e") == std::string_view::npos) {
    return StrCat(text, ".0");
  }
  if (type != OptionType::kText) return std::string(text);
  std::ostringstream out;
  const toml::value<std::string> value{std::string(text)};
  out << toml::toml_formatter(
      value, toml::toml_formatter::default_flags & ~toml::format_flags::allow_literal_strings);
  return out.str();
}

}  // namespace qirkat
