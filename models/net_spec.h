// What a network is, as data: enough to build it, check it against a game and read its weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envs/core/game_info.h"
#include "envs/core/options.h"

namespace qirkat {

// [net]: the architecture that a config chooses.
struct NetOptions {
  std::int64_t blocks = 6;
  std::int64_t channels = 64;
  std::int64_t pooled_every = 3;  // every n-th block has a global pooling branch (KataGo); 0: none
  std::int64_t head_channels = 32;
  std::int64_t value_hidden = 64;
  // Whether block `block`, counted from 0, has a global pooling branch.
  bool IsPooled(std::int64_t block) const {
    return pooled_every > 0 && (block + 1) % pooled_every == 0;
  }
  static const std::vector<Option<NetOptions>>& Table();
  friend bool operator==(const NetOptions&, const NetOptions&) = default;
};

// A residual tower with global pooling (He et al. 2016; Wu 2019, KataGo) and heads for policy,
// W/D/L, score and moves left, for one game's planes and actions.
struct NetSpec {
  std::string game;
  int game_version = 0;
  OptionTexts game_options;  // rule options that the net was trained under
  std::vector<std::string> plane_names;
  std::vector<std::string> scalar_names;
  int columns = 0, rows = 0;
  int policy_planes = 0, policy_extras = 0;
  NetOptions net;

  int planes() const { return static_cast<int>(plane_names.size()); }
  int scalars() const { return static_cast<int>(scalar_names.size()); }
  int squares() const { return columns * rows; }
  int policy_size() const { return policy_planes * squares() + policy_extras; }
  // Units of two heads, so that their outputs are of order 1: the net predicts score /
  // score_scale() and moves left / kMovesLeftScale.
  float score_scale() const { return static_cast<float>(squares()); }
  static constexpr float kMovesLeftScale = 32;  // plies
  friend bool operator==(const NetSpec&, const NetSpec&) = default;
};

NetSpec MakeNetSpec(const GameInfo& game, const NetOptions& net);
std::string NetSpecToJson(const NetSpec& spec);

// Throws UserError (not JSON, a key missing or of the wrong type, a size out of range), without a
// place.
NetSpec NetSpecFromJson(const std::string& json);

// Throws UserError if a net of this spec cannot play `game` (other game, version, planes or action
// layout). Returns a warning, or an empty text, if only rule options differ. `where` names the
// file.
std::string CheckNetSpec(const NetSpec& spec, const GameInfo& game, const std::string& where);

}  // namespace qirkat
