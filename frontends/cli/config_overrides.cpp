#include "frontends/cli/config_overrides.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "envs/registry.h"

namespace qirkat::cli {
namespace {

// One line in the place of some sixty options.
class ShortFormatter : public CLI::Formatter {
 public:
  explicit ShortFormatter(std::string line) : line_(std::move(line)) {}
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group != kOverrideGroup) {
      return CLI::Formatter::make_group(group, is_positional, options);
    }
    return StrCat("\n", kOverrideGroup, ":\n  ", line_, "\n");
  }

 private:
  std::string line_;
};

// `--PREFIXNAME VALUE`.
void AddOverride(CLI::App& app, const std::string& prefix, const std::string& name,
                 OptionTexts& overrides) {
  app.add_option_function<std::string>(
         StrCat("--", prefix, name),
         [&overrides, name](const std::string& value) { overrides.emplace_back(name, value); })
      ->group(kOverrideGroup);
}

}  // namespace

CLI::Option* AddConfigFile(CLI::App& app, std::string& path) {
  return app.add_option("CONFIG", path, "A TOML file (configs/reference.toml shows every option)")
      ->required();
}

void AddConfigOverrides(CLI::App& app, ConfigOverrides& overrides) {
  app.formatter(
      std::make_shared<ShortFormatter>("--section.key VALUE: all of configs/reference.toml"));
  std::set<std::string> names;
  for (const std::string& game : GameNames()) {
    RunConfig config;
    config.game = game;
    for (const OptionInfo& option : DescribeConfig(config)) names.insert(option.name);
  }
  for (const std::string& name : names) AddOverride(app, "", name, overrides);
}

void AddSearchOverrides(CLI::App& app, OptionTexts& overrides) {
  app.formatter(std::make_shared<ShortFormatter>(
      "--search.key VALUE: all of [search] in configs/reference.toml but visits"));
  for (const OptionInfo& option : DescribeOptions(SearchOptions())) {
    if (option.name != "visits") AddOverride(app, "search.", option.name, overrides);
  }
}

}  // namespace qirkat::cli
