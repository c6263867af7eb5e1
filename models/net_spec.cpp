#include "models/net_spec.h"

#include <nlohmann/json.hpp>

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void CheckSame(const T& net, const T& game, const char* what, const NetSpec& spec,
               const std::string& where) {
  if (net == game) return;
  throw UserError(StrCat(where, ": the network has ", net, ' ', what, ", but ", spec.game,
                         " version ", spec.game_version, " has ", game));
}

void CheckNames(const std::vector<std::string>& net, const std::vector<std::string>& game,
                const char* what, const std::string& where) {
  if (net == game) return;
  throw UserError(StrCat(where, ": the network's ", what, " are ", Join(net, ", "),
                         "; the game's are ", Join(game, ", ")));
}

int ReadSize(const Json& json, const char* key, int min, int max) {
  const auto value = json.at(key).get<std::int64_t>();
  if (value < min || value > max) {
    throw UserError(StrCat("network spec: ", key, " must be ", min, " … ", max, ", not ", value));
  }
  return static_cast<int>(value);
}

Json OptionsToJson(const OptionTexts& texts) {
  Json object = Json::object();
  for (const auto& [name, value] : texts) object[name] = value;
  return object;
}

OptionTexts OptionsFromJson(const Json& object) {
  OptionTexts texts;
  for (const auto& [name, value] : object.items()) {
    texts.emplace_back(name, value.get<std::string>());
  }
  return texts;
}

}  // namespace

const std::vector<Option<NetOptions>>& NetOptions::Table() {
  static const std::vector<Option<NetOptions>> table = {
      {"blocks",
       &NetOptions::blocks,
       {.min = 0, .max = 256, .help = "Residual blocks.", .source = "He et al. 2016"}},
      {"channels",
       &NetOptions::channels,
       {.min = 4, .max = 2048, .help = "Channels of the residual tower."}},
      {"pooled_every",
       &NetOptions::pooled_every,
       {.min = 0,
        .max = 256,
        .unit = "blocks",
        .help = "Every n-th block gets a global pooling branch; 0: none.",
        .source = "Wu 2019 (KataGo)"}},
      {"head_channels",
       &NetOptions::head_channels,
       {.min = 1, .max = 2048, .help = "Channels of the policy and value heads."}},
      {"value_hidden",
       &NetOptions::value_hidden,
       {.min = 1, .max = 4096, .help = "Hidden units of the value heads."}},
  };
  return table;
}

NetSpec MakeNetSpec(const GameInfo& game, const NetOptions& net) {
  return {.game = game.name,
          .game_version = game.version,
          .game_options = game.OptionValues(),
          .plane_names = game.plane_names,
          .scalar_names = game.scalar_names,
          .columns = game.columns,
          .rows = game.rows,
          .policy_planes = game.policy_planes,
          .policy_extras = game.policy_extras,
          .net = net};
}

std::string NetSpecToJson(const NetSpec& spec) {
  Json json;
  json["game"] = spec.game;
  json["game_version"] = spec.game_version;
  json["game_options"] = OptionsToJson(spec.game_options);
  json["plane_names"] = spec.plane_names;
  json["scalar_names"] = spec.scalar_names;
  json["columns"] = spec.columns;
  json["rows"] = spec.rows;
  json["policy_planes"] = spec.policy_planes;
  json["policy_extras"] = spec.policy_extras;
  json["net"] = OptionsToJson(OptionValues(spec.net));
  return json.dump();
}

NetSpec NetSpecFromJson(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    NetSpec spec;
    spec.game = json.at("game").get<std::string>();
    spec.game_version = ReadSize(json, "game_version", 0, 1 << 30);
    spec.game_options = OptionsFromJson(json.at("game_options"));
    spec.plane_names = json.at("plane_names").get<std::vector<std::string>>();
    spec.scalar_names = json.at("scalar_names").get<std::vector<std::string>>();
    spec.columns = ReadSize(json, "columns", 1, 64);
    spec.rows = ReadSize(json, "rows", 1, 64);
    spec.policy_planes = ReadSize(json, "policy_planes", 0, 1 << 16);
    spec.policy_extras = ReadSize(json, "policy_extras", 0, 1 << 16);
    spec.net = ParseOptions<NetOptions>(OptionsFromJson(json.at("net")), "network spec");
    return spec;
  } catch (const Json::exception& error) {
    throw UserError(StrCat("network spec: ", Quoted(error.what(), 200)));
  }
}

std::string CheckNetSpec(const NetSpec& spec, const GameInfo& game, const std::string& where) {
  if (spec.game != game.name) {
    throw UserError(
        StrCat(where, ": the network is for ", Quoted(spec.game), ", not for ", Quoted(game.name)));
  }
  if (spec.game_version != game.version) {
    throw UserError(StrCat(where, ": the network is for version ", spec.game_version, " of ",
                           game.name, "; this program plays version ", game.version));
  }
  CheckNames(spec.plane_names, game.plane_names, "planes", where);
  CheckNames(spec.scalar_names, game.scalar_names, "scalars", where);
  CheckSame(spec.columns, game.columns, "columns", spec, where);
  CheckSame(spec.rows, game.rows, "rows", spec, where);
  CheckSame(spec.policy_planes, game.policy_planes, "policy planes", spec, where);
  CheckSame(spec.policy_extras, game.policy_extras, "extra actions", spec, where);
  const OptionTexts options = game.OptionValues();
  if (spec.game_options == options) return "";
  std::vector<std::string> differences;
  for (const auto& [name, value] : options) {
    std::string trained = "not known";
    for (const auto& [net_name, net_value] : spec.game_options) {
      if (net_name == name) trained = net_value;
    }
    if (trained != value) {
      differences.push_back(StrCat(name, '=', value, " (trained: ", trained, ')'));
    }
  }
  if (differences.empty()) return "";
  return StrCat(where,
                ": the network was trained under other rule options: ", Join(differences, ", "));
}

}  // namespace qirkat
