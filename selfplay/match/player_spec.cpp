#include "selfplay/match/player_spec.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "models/evaluators.h"

namespace qirkat {
namespace {

const std::vector<std::string> kPlayers = {"random", "rollout", "net", "hash", "uniform"};
const std::vector<std::string> kEvaluators = {"rollout", "hash", "uniform"};

// Names of [search] that mean something in a match.
std::vector<std::string> PlayerOptionNames() {
  std::vector<std::string> names;
  for (const Option<SearchOptions>& option : SearchOptions::Table()) {
    if (!option.name.starts_with("noise_")) names.push_back(option.name);
  }
  return names;
}

std::pair<std::string, std::string> SplitSetting(std::string_view setting, std::string_view place) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos) {
    throw UserError(StrCat(place, ": ", Quoted(setting), " must be option=value"));
  }
  return {std::string(setting.substr(0, equals)), std::string(setting.substr(equals + 1))};
}

std::shared_ptr<const EvaluatorFactory> LoadFile(const std::string& file,
                                                 const BackendOptions& wanted,
                                                 const LoadNet& load_net, std::string_view where) {
  if (!load_net) {
    throw UserError(StrCat(where, ": ", Quoted(file),
                           " is a model file; accepted here: ", Join(kEvaluators, ", ")));
  }
  return InContext(where, [&] { return load_net(file, wanted); });
}

}  // namespace

SearchOptions PlaySearch(SearchOptions search) {
  search.noise_fraction = 0;
  search.temperature = 0;
  search.final_temperature = 0;
  return search;
}

MatchPlayer MakePlayer(std::string_view spec, const GameInfo& game, const LoadNet& load_net,
                       std::string_view where) {
  const std::size_t colon = spec.find(':');
  const std::string kind(spec.substr(0, colon));
  if (std::find(kPlayers.begin(), kPlayers.end(), kind) == kPlayers.end()) {
    throw UserError(StrCat(where, ": ", UnknownName("player", kind, kPlayers)));
  }
  const std::string place = StrCat(where, ": player ", Quoted(spec));
  auto settings = colon == std::string_view::npos ? std::vector<std::string_view>()
                                                  : Split(spec.substr(colon + 1), ',');
  MatchPlayer player{.spec = std::string(spec), .evaluator = nullptr, .search = PlaySearch({})};
  if (kind == "random") {
    if (!settings.empty()) throw UserError(StrCat(place, ": random has no options"));
    return player;
  }

  std::string file;
  if (kind == "net") {
    if (settings.empty() || settings.front().empty()) {
      throw UserError(StrCat(place, ": the model file is missing; accepted: net:FILE[,OPTIONS]"));
    }
    file = settings.front();
    settings.erase(settings.begin());
  }

  std::string evaluator = kind;  // with the options that are its own
  std::vector<std::string> known = PlayerOptionNames();
  if (kind == "rollout") known.push_back("playouts");
  BackendOptions backend;
  const std::map<std::string, std::string*> backend_options = {{"backend", &backend.backend},
                                                               {"device", &backend.device},
                                                               {"precision", &backend.precision}};
  if (kind == "net") {
    for (const auto& [name, value] : backend_options) known.push_back(name);
  }
  std::vector<std::string> seen;
  for (const std::string_view setting : settings) {
    const auto [name, value] = SplitSetting(setting, place);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw UserError(StrCat(place, ": option '", name, "' is given twice"));
    }
    seen.push_back(name);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UserError(StrCat(place, ": ", UnknownName("option", name, known)));
    }
    if (name == "playouts") {
      evaluator = StrCat(kind, ":playouts=", value);
    } else if (const auto option = backend_options.find(name); option != backend_options.end()) {
      *option->second = value;
    } else {
      SetOption(player.search, name, value, place);
    }
  }
  player.evaluator = kind == "net" ? LoadFile(file, backend, load_net, where)
                                   : MakeEvaluator(evaluator, ShapeOf(game), where);
  return player;
}

std::shared_ptr<const EvaluatorFactory> MakeModel(std::string_view model, const GameInfo& game,
                                                  const LoadNet& load_net, std::string_view where) {
  const std::string name(model.substr(0, model.find(':')));
  const bool known = std::find(kEvaluators.begin(), kEvaluators.end(), name) != kEvaluators.end();
  if (known) return MakeEvaluator(model, ShapeOf(game), where);
  const std::string file(model);
  if (!std::filesystem::exists(file)) {
    throw UserError(StrCat(where, ": ", Quoted(file), " is no model file; accepted: a file, ",
                           Join(kEvaluators, ", ")));
  }
  return LoadFile(file, {}, load_net, where);
}

}  // namespace qirkat
