#include "frontends/cli/config_overrides.h"

#include <set>
#include <string>

#include "envs/registry.h"

namespace qirkat::cli {

CLI::Option* AddConfigFile(CLI::App& app, std::string& path) {
  return app
      .add_option("CONFIG", path,
                  "A TOML file; any option of configs/reference.toml can be given as "
                  "--section.key VALUE too")
      ->required();
}

void AddConfigOverrides(CLI::App& app, ConfigOverrides& overrides) {
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
        ->group("");
  }
}

}  // namespace qirkat::cli
