// qirkat inspect PATH: a model file, a run folder, a checkpoint, shards.
#include "frontends/cli/inspect.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"
#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "models/tensor_file.h"

namespace qirkat::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct InspectCommand {
  std::string path;
  bool json = false;
  std::optional<std::string> svg;
};

Json Inspect(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw UserError(StrCat(path.string(), ": ",
                           fs::status_known(status) && !error ? "not there" : error.message(),
                           "; accepted: a model file, a run folder, a checkpoint, shards"));
  }
  if (fs::is_directory(status)) {
    if (fs::exists(path / "config.toml")) return InspectRun(path);
    if (fs::exists(path / "state.json")) return InspectCheckpoint(path);
    return InspectShards(path);
  }
  if (path.extension() == ".h5" || path.extension() == ".journal") return InspectShards(path);
  return InspectModel(path);
}

std::string ValueText(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return NumberText(value.get<double>());
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const Json& part : value) parts.push_back(ValueText(part));
    return Join(parts, ", ");
  }
  return value.dump();
}

// "key  value" lines; an object's entries are indented below its key.
void PrintText(const Json& json, const std::string& indent) {
  std::size_t width = 0;
  for (const auto& [key, value] : json.items()) width = std::max(width, key.size());
  for (const auto& [key, value] : json.items()) {
    // Long lists are for --json.
    if (value.is_array() && !value.empty() && value[0].is_structured()) continue;
    if (value.is_object()) {
      std::cout << indent << key << '\n';
      PrintText(value, indent + "  ");
    } else {
      std::cout << indent << key << std::string(width - key.size() + 2, ' ')
                << OneLine(ValueText(value)) << '\n';
    }
  }
}

void Run(const InspectCommand& command) {
  const Json json = Inspect(command.path);
  if (command.svg) {
    if (json["kind"] != "run") {
      throw UserError(
          StrCat("--svg: ", command.path, " is no run folder and has no learning curve"));
    }
    WriteFileAtomically(*command.svg, LearningCurveSvg(command.path));
  }
  if (command.json) {
    PrintJson(json);
  } else {
    PrintText(json, "");
  }
}

// Whether this program can play the net: "yes", "yes, but …", "no: …".
std::string PlayableText(const NetSpec& spec, const std::string& file) {
  try {
    const std::string warning =
        CheckNetSpec(spec, MakeGame(spec.game, spec.game_options)->info(), file);
    return warning.empty() ? "yes" : "yes, but " + warning;
  } catch (const UserError& error) {
    return StrCat("no: ", error.what());
  }
}

}  // namespace

Json InspectModel(const fs::path& path) {
  const Model model = ReadModel(path);
  std::uint64_t parameters = 0;
  Json tensors = Json::array();
  for (const NamedTensor& tensor : model.weights) {
    parameters += tensor.values.size();
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  }
  Json options = Json::object(), net = Json::object();
  for (const auto& [name, value] : model.spec.game_options) options[name] = value;
  for (const auto& [name, value] : OptionValues(model.spec.net)) net[name] = value;
  return {{"kind", "model"},
          {"path", path.string()},
          {"model", ModelName(model)},
          {"bytes", fs::file_size(path)},
          {"game", model.spec.game},
          {"game_version", model.spec.game_version},
          {"playable", PlayableText(model.spec, path.string())},
          {"planes", model.spec.plane_names},
          {"scalars", model.spec.scalar_names},
          {"actions", model.spec.policy_size()},
          {"parameters", parameters},
          {"net", std::move(net)},
          {"game_options", std::move(options)},
          {"tensors", std::move(tensors)}};
}

void AddInspect(CLI::App& app, Session&) {
  auto command = std::make_shared<InspectCommand>();
  app.add_option("PATH", command->path, "A model file, a run folder, a checkpoint, shards")
      ->required();
  AddJson(app, command->json);
  AddSvg(app, command->svg, "Draw the learning curve of a run into this file");
  app.callback([command] { Run(*command); });
}

}  // namespace qirkat::cli
