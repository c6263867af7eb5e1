// A config as it was written: settings with their places, before any option table has seen them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "envs/core/options.h"

namespace qirkat {

// What a value was written as. kUntyped: on the command line, where everything is text.
enum class SettingType { kUntyped, kInteger, kReal, kSwitch, kText, kOther };

struct Setting {
  std::string section, key;
  std::string text;  // switches as on/off; of kOther: what it is ("an array")
  SettingType type = SettingType::kUntyped;
  std::string where;  // "configs/x.toml:12"
};

// The settings of a TOML text in the order of its lines. Throws UserError "WHERE:LINE: …" for
// syntax errors, repeated keys and keys outside a section.
std::vector<Setting> ReadTomlSettings(std::string_view toml, const std::string& where);

// A value of this type as TOML.
std::string TomlValue(OptionType type, std::string_view text);

}  // namespace qirkat
