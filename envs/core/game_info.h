// A game's facts as run-time data, for everything that is not rules or search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envs/core/game.h"
#include "envs/core/options.h"

namespace qirkat {

// A symmetry of the board in the mover's view: what stands on square s goes to square[s], action a
// becomes action[a].
struct SymmetryMap {
  std::vector<std::uint16_t> square;  // [squares]
  std::vector<std::uint16_t> action;  // [policy_size]
};

struct GameInfo {
  std::string name;
  int version = 0;
  int columns = 0, rows = 0, squares = 0;
  int policy_planes = 0, policy_extras = 0, policy_size = 0;
  std::string action_layout;
  int max_legal = 0;
  bool hidden_information = false;
  std::vector<std::string> plane_names;
  std::vector<std::string> scalar_names;
  int plane_bytes = 0;                        // of one packed observation row
  std::vector<std::string> full_plane_names;  // with what is hidden from the mover, if anything is
  int full_plane_bytes = 0;
  int legal_bytes = 0;                  // of one packed legal mask
  int state_bytes = 0;                  // sizeof(State)
  std::vector<SymmetryMap> symmetries;  // [0] is the identity
  std::vector<OptionInfo> options;      // rule options with their values

  int planes() const { return static_cast<int>(plane_names.size()); }
  int scalars() const { return static_cast<int>(scalar_names.size()); }
  // The rule options as (name, value) texts: what files store.
  OptionTexts OptionValues() const {
    OptionTexts texts;
    for (const OptionInfo& option : options) texts.emplace_back(option.name, option.value);
    return texts;
  }
};

template <Game G>
GameInfo MakeGameInfo(const typename G::Options& options) {
  constexpr GameSpec kSpec = G::kSpec;
  GameInfo info;
  info.name = kSpec.name;
  info.version = kSpec.version;
  info.columns = kSpec.columns;
  info.rows = kSpec.rows;
  info.squares = kSpec.squares();
  info.policy_planes = kSpec.policy_planes;
  info.policy_extras = kSpec.policy_extras;
  info.policy_size = kSpec.policy_size();
  info.action_layout = kSpec.action_layout;
  info.max_legal = kSpec.max_legal;
  info.hidden_information = kSpec.hidden_information;
  info.plane_names.assign(G::PlaneNames().begin(), G::PlaneNames().end());
  info.scalar_names.assign(G::ScalarNames().begin(), G::ScalarNames().end());
  info.plane_bytes = kSpec.plane_bytes(info.planes());
  info.full_plane_names = info.plane_names;
  if constexpr (kSpec.hidden_information) {
    info.full_plane_names.assign(G::FullPlaneNames().begin(), G::FullPlaneNames().end());
  }
  info.full_plane_bytes = kSpec.plane_bytes(static_cast<int>(info.full_plane_names.size()));
  info.legal_bytes = kSpec.legal_bytes();
  info.state_bytes = sizeof(typename G::State);
  info.options = DescribeOptions(options);
  info.symmetries.resize(kSpec.symmetries);
  for (int s = 0; s < kSpec.symmetries; ++s) {
    SymmetryMap& map = info.symmetries[s];
    for (int q = 0; q < kSpec.squares(); ++q) {
      map.square.push_back(static_cast<std::uint16_t>(G::MapSquare(s, q)));
    }
    for (int a = 0; a < kSpec.policy_size(); ++a) {
      map.action.push_back(G::MapAction(s, static_cast<Action>(a)));
    }
  }
  return info;
}

}  // namespace qirkat
