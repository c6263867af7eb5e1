// A finished self-play game as data: what the journal stores and shards collect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envs/core/types.h"

namespace qirkat {

// positions.flags
inline constexpr std::uint8_t kFlagFullSearch = 1;  // the policy target came from a full search
inline constexpr std::uint8_t kFlagForced = 2;      // one legal action: no search was made

struct PolicyShare {
  Action action;        // mover's view
  std::uint16_t share;  // of 65535; a row's shares sum to 65535
  friend bool operator==(const PolicyShare&, const PolicyShare&) = default;
};

// Turns weights (visit counts) into shares that sum to exactly 65535 (largest remainders; ties go
// to the earlier entry). Entries whose share is 0 are dropped.
std::vector<PolicyShare> MakePolicyShares(const std::vector<Action>& actions,
                                          const std::vector<double>& weights);

struct PositionRecord {
  std::vector<std::uint8_t> planes;  // [plane_bytes] bit-packed, mover's view
  std::vector<float> scalars;        // [scalars]
  std::vector<std::uint8_t> legal;   // [legal_bytes] bit-packed, mover's view
  Action action = 0;                 // played, absolute
  Player player = 0;                 // to move
  std::uint32_t ply = 0;
  float weight = 1;  // training weight
  std::uint8_t flags = 0;
  std::uint8_t symmetries = 1;      // bit s: symmetry s holds here
  float root_wdl[3] = {0, 0, 0};    // search's value, for player 0
  std::vector<PolicyShare> policy;  // search target
  friend bool operator==(const PositionRecord&, const PositionRecord&) = default;
};

struct GameRecord {
  std::uint32_t game = 0;       // number within the generation (or the `selfplay` call)
  std::string start;            // position text
  std::vector<Action> actions;  // all, absolute: the game replays exactly
  Outcome outcome;
  std::uint64_t seed = 0;  // of the run; streams are keyed by (seed, generation, game, purpose)
  std::string model_0, model_1;           // model names of the two players
  std::vector<PositionRecord> positions;  // in ply order; possibly fewer than plies
  friend bool operator==(const GameRecord&, const GameRecord&) = default;
};

// Flat little-endian form, for the journal and for comparing games byte for byte.
std::vector<std::uint8_t> SerializeGame(const GameRecord& game);
GameRecord ParseGame(const std::uint8_t* bytes, std::size_t size);  // throws UserError

}  // namespace qirkat
