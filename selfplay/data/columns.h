// Games as packed arrays (a structure of arrays): the form in which shards are written and read,
// and which the replay window takes rows from. Units and scales: docs/data_format.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "selfplay/data/record.h"

namespace qirkat {

// N positions; the rows of a game stand together, in ply order.
struct PositionColumns {
  std::vector<std::uint8_t> planes;      // [N, plane_bytes] bit-packed, mover's view
  std::vector<float> scalars;            // [N, scalars]
  std::vector<std::uint8_t> legal;       // [N, legal_bytes] bit-packed, mover's view
  std::vector<Action> action;            // [N] played, absolute
  std::vector<Player> player;            // [N] to move
  std::vector<std::uint32_t> game;       // [N] row of the game columns, not the game's number
  std::vector<std::uint32_t> ply;        // [N]
  std::vector<float> weight;             // [N]
  std::vector<std::uint8_t> flags;       // [N]
  std::vector<std::uint8_t> symmetries;  // [N]
  std::vector<float> root_wdl;           // [N, 3] for player 0
  std::vector<std::uint64_t> policy_offset = {0};  // [N + 1] row i: entries [i] .. [i + 1] - 1
  std::vector<Action> policy_action;               // mover's view
  std::vector<std::uint16_t> policy_weight;        // of 65535
  std::size_t size() const { return action.size(); }
};

// G games, in order of their numbers.
struct GameColumns {
  std::vector<std::uint64_t> action_offset = {0};  // [G + 1]
  std::vector<Action> action;                      // all actions, absolute
  std::vector<std::uint32_t> number;               // [G] GameRecord::game
  std::vector<std::string> start;                  // [G] position text
  std::vector<std::int8_t> result;                 // [G] +1, 0, -1 for player 0
  std::vector<std::int32_t> score;                 // [G] for player 0
  std::vector<std::uint32_t> plies;                // [G]
  std::vector<std::uint8_t> reason;                // [G] PackReason
  std::vector<std::uint64_t> seed;                 // [G]
  std::vector<std::string> model_0, model_1;       // [G]
  std::vector<std::uint32_t> crc;                  // [G] CRC32C of SerializeGame
  std::size_t size() const { return number.size(); }
};

struct ShardColumns {
  int plane_bytes = 0, scalars = 0, legal_bytes = 0;  // of one row
  PositionColumns positions;
  GameColumns games;
  std::vector<std::uint64_t> first_position = {0};  // [G + 1] where a game's rows start; not stored

  // Adds a game whose rows have the sizes above.
  void Append(const GameRecord& game);
  // Checks what was read from a file (sizes, offsets, row numbers, players, action indices) and
  // fills first_position. Throws UserError that says what does not hold.
  void CheckAndIndex(int policy_size);
  // The game of row `row` (< games.size()).
  GameRecord Game(std::size_t row) const;
};

}  // namespace qirkat
