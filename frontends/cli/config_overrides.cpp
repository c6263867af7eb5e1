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
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group != kOverrideGroup) {
      return CLI::Formatter::make_group(group, is_positional, options);
    }
    return "\nOptions of the config:\n  --section.key VALUE: all of configs/reference.toml\n";
  }
};

}  // namespace

CLI::Option* AddConfigFile(CLI::App& app, std::string& path) {
  return app.add_option("CONFIG", path, "A TOML file (configs/reference.toml shows every option)")
      ->required();
}

void AddConfigOverrides(CLI::App& app, ConfigOverrides& overrides) {
  app.formatter(std::make_shared<ShortFormatter>());
  std::set<std::string> names;
  for (const std::string& game : GameNames()) {
    RunConfig config;
    config.game = game;
    for (const OptionInfo& option : DescribeConfig(config)) names.insert(option.name);
  }
  for (const std::string& name : names) {
    app.add_option_function<std::string>(
           "--" + name,
           [&overrides, name](const std::string& value) { overrides.emplace_back(name, value); })
        ->group(kOverrideGroup);
  }
}

}  // namespace qirkat::cli
