// qirkat games [GAME]: the games, or one game's facts.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {
namespace {

struct GamesOptions {
  std::string game;
  OptionTexts rules;
  bool json = false;
};

std::string BoardText(const GameInfo& info) { return StrCat(info.columns, 'x', info.rows); }

// "64 from-squares in 1 plane + 1 extra": how an action index is made.
std::string LayoutText(const GameInfo& info) {
  return StrCat(info.policy_planes, info.policy_planes == 1 ? " plane" : " planes", " of ",
                info.squares, " from-squares + ", info.policy_extras,
                info.policy_extras == 1 ? " extra action" : " extra actions");
}

// "no", or how many planes of the full state are hidden.
std::string HiddenText(const GameInfo& info) {
  if (!info.hidden_information) return "no";
  const std::vector<std::string> hidden(info.full_plane_names.begin() + info.planes(),
                                        info.full_plane_names.end());
  return StrCat("yes; the full state has the planes ", Join(hidden, ", "), " besides");
}

nlohmann::ordered_json ToJson(const GameInfo& info) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const OptionInfo& option : info.options) {
    options.push_back({{"name", option.name},
                       {"value", option.value},
                       {"default", option.default_value},
                       {"accepted", AcceptedText(option.type, option.facts)},
                       {"help", option.facts.help}});
  }
  return {{"name", info.name},
          {"version", info.version},
          {"columns", info.columns},
          {"rows", info.rows},
          {"planes", info.plane_names},
          {"scalars", info.scalar_names},
          {"plane_bytes", info.plane_bytes},
          {"full_planes", info.full_plane_names},
          {"legal_bytes", info.legal_bytes},
          {"state_bytes", info.state_bytes},
          {"policy_planes", info.policy_planes},
          {"policy_extras", info.policy_extras},
          {"policy_size", info.policy_size},
          {"action_layout", info.action_layout},
          {"symmetries", info.symmetries.size()},
          {"hidden_information", info.hidden_information},
          {"options", std::move(options)}};
}

void PrintList(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"game", "board", "actions", "planes", "scalars", "symmetries", "hidden"});
  for (const std::string& name : GameNames()) {
    const auto game = MakeGame(name);
    const GameInfo& info = game->info();
    list.push_back(ToJson(info));
    table.AddRow({name, BoardText(info), std::to_string(info.policy_size),
                  std::to_string(info.planes()), std::to_string(info.scalars()),
                  std::to_string(info.symmetries.size()), info.hidden_information ? "yes" : "no"});
  }
  if (json) {
    PrintJson(list);
  } else {
    table.Print(std::cout);
  }
}

void PrintGame(const AnyGame& game) {
  const GameInfo& info = game.info();
  const std::string start = game.NewLineAt("start")->PositionText();
  std::cout << info.name << ", version " << info.version << ", board " << BoardText(info) << '\n'
            << "actions     " << info.policy_size << " = " << LayoutText(info) << '\n'
            << "            " << info.action_layout << '\n'
            << "planes      " << Join(info.plane_names, ", ") << " (" << info.plane_bytes
            << " bytes a position)\n"
            << "scalars     " << Join(info.scalar_names, ", ") << '\n'
            << "symmetries  " << info.symmetries.size() << '\n'
            << "state       " << info.state_bytes << " bytes\n"
            << "hidden      " << HiddenText(info) << '\n'
            << "start       " << start << "\n";
  for (const OptionInfo& option : info.options) {
    std::cout << "\noption " << option.name << " = " << option.value << '\n'
              << "    " << option.facts.help << "\n    " << AcceptedText(option.type, option.facts)
              << "; default " << option.default_value << '\n';
  }
}

void Run(const GamesOptions& options) {
  if (options.game.empty()) {
    if (!options.rules.empty()) throw UserError("--set needs a game: qirkat games GAME --set …");
    PrintList(options.json);
    return;
  }
  const auto game = MakeGame(options.game, options.rules);
  if (options.json) {
    PrintJson(ToJson(game->info()));
  } else {
    PrintGame(*game);
  }
}

}  // namespace

void AddGames(CLI::App& app, Session&) {
  const auto options = std::make_shared<GamesOptions>();
  AddGame(app, options->game)->required(false);
  AddSet(app, options->rules);
  AddJson(app, options->json);
  app.callback([options] { Run(*options); });
}

}  // namespace qirkat::cli
