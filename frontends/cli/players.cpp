#include "frontends/cli/players.h"

#include <nlohmann/json.hpp>

#include "envs/core/text.h"

namespace qirkat::cli {

std::string PlayerText(const MatchPlayer& player) {
  const bool net = player.spec.starts_with("net:");
  return net ? StrCat(player.spec, " (", player.evaluator->description(), ')') : player.spec;
}

nlohmann::ordered_json PlayerFacts(const MatchPlayer& player) {
  if (!player.evaluator) return {{"spec", player.spec}, {"model", "random"}};
  return {{"spec", player.spec},
          {"model", player.evaluator->model_name()},
          {"evaluator", player.evaluator->description()}};
}

}  // namespace qirkat::cli
