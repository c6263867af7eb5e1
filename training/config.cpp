#include "training/config.h"

#include <algorithm>
#include <array>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "envs/registry.h"
#include "training/config_settings.h"

namespace qirkat {
namespace {

// Calls visit(section name, options struct) for every section that has an options struct, in the
// order of the files. [game] stands before them; its options depend on the game.
template <class Config, class Visit>
void ForEachSection(Config& config, Visit visit) {
  visit("run", config.run);
  visit("net", config.net);
  visit("search", config.search);
  visit("selfplay", config.selfplay);
  visit("window", config.window);
  visit("learner", config.learner);
  visit("rating", config.rating);
}

constexpr const char* kGameSection = "game";

std::vector<std::string> SectionNames() {
  std::vector<std::string> names = {kGameSection};
  const RunConfig config;
  ForEachSection(config, [&](const char* name, const auto&) { names.push_back(name); });
  return names;
}

OptionInfo GameNameOption(const std::string& value) {
  OptionInfo info;
  info.name = "name";
  info.value = value;
  info.facts.choices = GameNames();
  info.facts.help = "The game. The other keys of [game] are its rule options.";
  return info;
}

// A section as run-time data: "[search]" and its options.
struct Section {
  std::string name;
  std::vector<OptionInfo> options;
};

std::vector<Section> DescribeSections(const RunConfig& config) {
  std::vector<Section> sections = {{kGameSection, {GameNameOption(config.game)}}};
  if (!config.game.empty()) {
    const auto game = MakeGame(config.game, config.game_options);
    const auto& options = game->info().options;
    sections[0].options.insert(sections[0].options.end(), options.begin(), options.end());
  }
  ForEachSection(config, [&](const char* name, const auto& options) {
    sections.push_back({name, DescribeOptions(options)});
  });
  return sections;
}

// Refuses a value that was written as another type than its option has.
void CheckType(const Setting& setting, const OptionInfo& option) {
  const auto fits = [&] {
    switch (setting.type) {
      case SettingType::kUntyped:
        return true;
      case SettingType::kInteger:
        return option.type == OptionType::kInteger || option.type == OptionType::kReal;
      case SettingType::kReal:
        return option.type == OptionType::kReal;
      case SettingType::kSwitch:
        return option.type == OptionType::kSwitch;
      case SettingType::kText:
        return option.type == OptionType::kText;
      case SettingType::kOther:
        return false;
    }
    return false;
  };
  if (fits()) return;
  const std::string accepted = option.type == OptionType::kSwitch
                                   ? "true or false"
                                   : AcceptedText(option.type, option.facts);
  const std::string given =
      setting.type == SettingType::kOther ? setting.text
      : setting.type == SettingType::kText
          ? StrCat("the text ", Quoted(setting.text))
          : Quoted(TomlValue(static_cast<OptionType>(static_cast<int>(setting.type) - 1),
                             setting.text));
  throw UserError(StrCat(setting.where, ": ", setting.key, " must be ", accepted, ", not ", given));
}

// `setting` is one of `options`, and its value is right; throws UserError otherwise.
void CheckSetting(const Setting& setting, const std::vector<OptionInfo>& options) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options) {
    names.push_back(option.name);
    if (option.name != setting.key) continue;
    CheckType(setting, option);
    CheckOption(option, setting.text, setting.where);
    return;
  }
  throw UserError(
      StrCat(setting.where, ": ",
             UnknownName(StrCat('[', setting.section, "] option"), setting.key, names)));
}

void ReadGame(RunConfig& config, const std::vector<Setting>& settings, const std::string& where) {
  for (const Setting& setting : settings) {
    if (setting.section != kGameSection || setting.key != "name") continue;
    CheckSetting(setting, {GameNameOption("")});
    config.game = setting.text;
  }
  if (config.game.empty()) {
    throw UserError(StrCat(where, ": [game] name is missing; accepted: name = \"",
                           Join(GameNames(), "\" or \""), '"'));
  }
  auto options = MakeGame(config.game)->info().options;
  options.insert(options.begin(), GameNameOption(config.game));
  for (const Setting& setting : settings) {
    if (setting.section != kGameSection || setting.key.empty() || setting.key == "name") continue;
    CheckSetting(setting, options);
    config.game_options.emplace_back(setting.key, setting.text);
  }
  // What only the rules can refuse; and every rule option with its value.
  const auto game = MakeGame(config.game, config.game_options, where);
  config.game_options = game->info().OptionValues();
  const auto start = InContext(where, [&] { return game->NewLineAt("start"); });
  if (start->over()) {
    throw UserError(StrCat(where, ": [game]: the start is a finished game (",
                           ReasonText(start->outcome()),
                           "); accepted: options with a start to play"));
  }
}

RunConfig ApplySettings(const std::vector<Setting>& settings, const std::string& where) {
  const std::vector<std::string> sections = SectionNames();
  for (const Setting& setting : settings) {
    if (std::find(sections.begin(), sections.end(), setting.section) == sections.end()) {
      throw UserError(
          StrCat(setting.where, ": ", UnknownName("section", setting.section, sections)));
    }
  }
  RunConfig config;
  ReadGame(config, settings, where);
  ForEachSection(config, [&](const char* name, auto& options) {
    const auto known = DescribeOptions(options);
    for (const Setting& setting : settings) {
      if (setting.section != name || setting.key.empty()) continue;
      CheckSetting(setting, known);
      SetOption(options, setting.key, setting.text, setting.where);
    }
  });
  return config;
}

// Puts an override in the place of the file's setting of the same name.
void Override(std::vector<Setting>& settings, const std::string& name, const std::string& value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) {
    throw UserError(StrCat("--", name, ": options of a config are named --section.key"));
  }
  Setting setting;
  setting.section = name.substr(0, dot);
  setting.key = name.substr(dot + 1);
  setting.text = value;
  setting.where = StrCat("--", name);
  std::erase_if(settings, [&](const Setting& other) {
    return other.section == setting.section && other.key == setting.key;
  });
  settings.push_back(std::move(setting));
}

// "integer 1 … 1000000, games; does not change results; source: …"
std::string FactsComment(const OptionInfo& option) {
  std::string text = option.type == OptionType::kSwitch ? "true or false"
                                                        : AcceptedText(option.type, option.facts);
  if (!option.facts.changes_results) text += "; does not change results";
  if (!option.facts.source.empty()) text += "; source: " + option.facts.source;
  return text;
}

void AddReference(std::string& text, const std::vector<OptionInfo>& options,
                  std::string_view prefix) {
  for (const OptionInfo& option : options) {
    text += StrCat("\n# ", option.facts.help, "\n# ", FactsComment(option), '\n', prefix,
                   option.name, " = ", TomlValue(option.type, option.value), '\n');
  }
}

}  // namespace

RunConfig ParseConfig(std::string_view toml, const std::string& where,
                      const ConfigOverrides& overrides) {
  std::vector<Setting> settings = ReadTomlSettings(toml, where);
  for (const auto& [name, value] : overrides) Override(settings, name, value);
  return ApplySettings(settings, where);
}

RunConfig ReadConfig(const std::filesystem::path& path, const ConfigOverrides& overrides) {
  const std::vector<std::uint8_t> bytes = ReadFileBytes(path);
  return ParseConfig({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(),
                     overrides);
}

std::string ConfigToToml(const RunConfig& config, bool only_results) {
  std::string toml;
  for (const Section& section : DescribeSections(config)) {
    toml += StrCat(toml.empty() ? "" : "\n", '[', section.name, "]\n");
    for (const OptionInfo& option : section.options) {
      if (only_results && !option.facts.changes_results) continue;
      toml += StrCat(option.name, " = ", TomlValue(option.type, option.value), '\n');
    }
  }
  return toml;
}

std::string ReferenceToml() {
  RunConfig config;
  config.game = GameNames().front();
  std::string text =
      "# Every option of a run with its default. Generated by `qirkat config`; on the command line "
      "the\n"
      "# same options are --section.key VALUE.\n";
  for (const Section& section : DescribeSections(config)) {
    text += StrCat("\n[", section.name, "]\n");
    AddReference(text, section.options, "");
    if (section.name != kGameSection) continue;
    for (const std::string& name : GameNames()) {
      if (name == config.game) continue;
      text += StrCat("\n# With name = \"", name, "\":\n");
      AddReference(text, MakeGame(name)->info().options, "# ");
    }
  }
  return text;
}

std::vector<OptionInfo> DescribeConfig(const RunConfig& config) {
  std::vector<OptionInfo> infos;
  for (Section& section : DescribeSections(config)) {
    for (OptionInfo& option : section.options) {
      option.name = StrCat(section.name, '.', option.name);
      infos.push_back(std::move(option));
    }
  }
  return infos;
}

}  // namespace qirkat
