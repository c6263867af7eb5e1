// qirkat config [CONFIG] [--section.key VALUE]…
#include <iostream>
#include <memory>

#include "envs/core/error.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/config_overrides.h"

namespace qirkat::cli {
namespace {

struct ConfigCommand {
  std::string path;
  ConfigOverrides overrides;
};

void Run(const ConfigCommand& command) {
  if (!command.path.empty()) {
    std::cout << ConfigToToml(ReadConfig(command.path, command.overrides), false);
    return;
  }
  if (!command.overrides.empty()) {
    throw UserError("config: --section.key VALUE needs a CONFIG before it");
  }
  std::cout << ReferenceToml();
}

}  // namespace

void AddConfig(CLI::App& app, Session&) {
  auto command = std::make_shared<ConfigCommand>();
  AddConfigFile(app, command->path)
      ->required(false)
      ->description("Print this file with every option resolved; without it, the reference");
  AddConfigOverrides(app, command->overrides);
  app.callback([command] { Run(*command); });
}

}  // namespace qirkat::cli
