// Writes a shard and prints, as JSON, what is in it: data_format_test.py reads both.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/selfplay/data_games.h"

namespace qirkat::testing_data {
namespace {

nlohmann::json Describe(const GameRecord& game) {
  nlohmann::json positions = nlohmann::json::array();
  for (const PositionRecord& position : game.positions) {
    nlohmann::json policy = nlohmann::json::array();
    for (const PolicyShare& entry : position.policy) policy.push_back({entry.action, entry.share});
    positions.push_back({{"planes", position.planes},
                         {"scalars", position.scalars},
                         {"legal", position.legal},
                         {"action", position.action},
                         {"player", position.player},
                         {"ply", position.ply},
                         {"weight", position.weight},
                         {"flags", position.flags},
                         {"symmetries", position.symmetries},
                         {"root_wdl", position.root_wdl},
                         {"policy", std::move(policy)}});
  }
  return {{"number", game.game},         {"start", game.start},
          {"actions", game.actions},     {"result", game.outcome.result},
          {"score", game.outcome.score}, {"reason", PackReason(game.outcome)},
          {"seed", game.seed},           {"model_0", game.model_0},
          {"model_1", game.model_1},     {"positions", std::move(positions)}};
}

}  // namespace
}  // namespace qirkat::testing_data

int main(int, char** argv) {
  using namespace qirkat;
  const Shard shard = testing_data::TestShard(4);
  WriteShard(argv[1], shard);
  nlohmann::json games = nlohmann::json::array();
  for (const GameRecord& game : shard.games) games.push_back(testing_data::Describe(game));
  const ShardHeader& header = shard.header;
  std::cout << nlohmann::json{{"game", header.game},
                              {"game_version", header.game_version},
                              {"columns", header.columns},
                              {"rows", header.rows},
                              {"plane_names", header.plane_names},
                              {"scalar_names", header.scalar_names},
                              {"plane_bytes", header.plane_bytes},
                              {"legal_bytes", header.legal_bytes},
                              {"policy_size", header.policy_size},
                              {"config", header.config},
                              {"model", header.model},
                              {"seed", header.seed},
                              {"generation", header.generation},
                              {"games", games}}
            << '\n';
}
