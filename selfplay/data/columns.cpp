#include "selfplay/data/columns.h"

#include <algorithm>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "selfplay/data/crc32c.h"

namespace qirkat {
namespace {

template <class Element>
void Extend(std::vector<Element>& column, const std::vector<Element>& values,
            std::size_t expected) {
  QIRKAT_CHECK(values.size() == expected, values.size(), expected);
  column.insert(column.end(), values.begin(), values.end());
}

// Row `row` of a column whose rows hold `width` elements.
template <class Element>
std::vector<Element> Row(const std::vector<Element>& column, std::size_t row, std::size_t width) {
  const auto begin = column.begin() + static_cast<std::ptrdiff_t>(row * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

PositionRecord MakePosition(const ShardColumns& columns, std::size_t row) {
  const PositionColumns& from = columns.positions;
  PositionRecord position;
  position.planes = Row(from.planes, row, columns.plane_bytes);
  position.scalars = Row(from.scalars, row, columns.scalars);
  position.legal = Row(from.legal, row, columns.legal_bytes);
  position.action = from.action[row];
  position.player = from.player[row];
  position.ply = from.ply[row];
  position.weight = from.weight[row];
  position.flags = from.flags[row];
  position.symmetries = from.symmetries[row];
  std::copy_n(&from.root_wdl[3 * row], 3, position.root_wdl);
  for (std::uint64_t k = from.policy_offset[row]; k < from.policy_offset[row + 1]; ++k) {
    position.policy.push_back({from.policy_action[k], from.policy_weight[k]});
  }
  return position;
}

void Require(bool condition, const char* what) {
  if (!condition) throw UserError(StrCat("damaged shard: ", what));
}

template <class Element>
bool HasRows(const std::vector<Element>& column, std::size_t rows, std::size_t width = 1) {
  return column.size() == rows * width;
}

// Offsets of `rows` lists within an array of `size`.
bool AreOffsets(const std::vector<std::uint64_t>& offsets, std::size_t rows, std::size_t size) {
  return HasRows(offsets, rows + 1) && offsets.front() == 0 && offsets.back() == size &&
         std::is_sorted(offsets.begin(), offsets.end());
}

bool AreBelow(const std::vector<Action>& actions, int bound) {
  return std::all_of(actions.begin(), actions.end(), [&](Action a) { return a < bound; });
}

void CheckGames(const GameColumns& games, int policy_size) {
  const std::size_t count = games.size();
  Require(HasRows(games.start, count) && HasRows(games.result, count) &&
              HasRows(games.score, count) && HasRows(games.plies, count) &&
              HasRows(games.reason, count) && HasRows(games.seed, count) &&
              HasRows(games.model_0, count) && HasRows(games.model_1, count) &&
              HasRows(games.crc, count),
          "the lists of 'games' differ in length");
  Require(AreOffsets(games.action_offset, count, games.action.size()),
          "'games/action_offset' does not divide 'games/action'");
  Require(AreBelow(games.action, policy_size), "'games/action' has an index that is no action");
  Require(std::all_of(games.result.begin(), games.result.end(),
                      [](std::int8_t result) { return result >= -1 && result <= 1; }),
          "'games/result' is not -1, 0 or 1");
  for (const std::uint8_t reason : games.reason) UnpackReason(reason);
}

void CheckPositions(const ShardColumns& columns, int policy_size) {
  const PositionColumns& positions = columns.positions;
  const std::size_t count = positions.size();
  Require(HasRows(positions.planes, count, columns.plane_bytes) &&
              HasRows(positions.scalars, count, columns.scalars) &&
              HasRows(positions.legal, count, columns.legal_bytes) &&
              HasRows(positions.root_wdl, count, 3) && HasRows(positions.player, count) &&
              HasRows(positions.game, count) && HasRows(positions.ply, count) &&
              HasRows(positions.weight, count) && HasRows(positions.flags, count) &&
              HasRows(positions.symmetries, count),
          "the lists of 'positions' differ in length");
  Require(HasRows(positions.policy_weight, positions.policy_action.size()) &&
              AreOffsets(positions.policy_offset, count, positions.policy_action.size()),
          "'positions/policy_offset' does not divide 'positions/policy_action'");
  Require(AreBelow(positions.action, policy_size) && AreBelow(positions.policy_action, policy_size),
          "'positions' has an index that is no action");
  Require(std::all_of(positions.player.begin(), positions.player.end(),
                      [](Player player) { return player <= 1; }),
          "'positions/player' is not 0 or 1");
  Require(std::is_sorted(positions.game.begin(), positions.game.end()) &&
              (count == 0 || positions.game.back() < columns.games.size()),
          "'positions/game' is no ascending list of rows of 'games'");
}

}  // namespace

void ShardColumns::Append(const GameRecord& game) {
  const auto row = static_cast<std::uint32_t>(games.size());
  for (const PositionRecord& position : game.positions) {
    PositionColumns& to = positions;
    Extend(to.planes, position.planes, plane_bytes);
    Extend(to.scalars, position.scalars, scalars);
    Extend(to.legal, position.legal, legal_bytes);
    to.action.push_back(position.action);
    to.player.push_back(position.player);
    to.game.push_back(row);
    to.ply.push_back(position.ply);
    to.weight.push_back(position.weight);
    to.flags.push_back(position.flags);
    to.symmetries.push_back(position.symmetries);
    to.root_wdl.insert(to.root_wdl.end(), position.root_wdl, position.root_wdl + 3);
    for (const PolicyShare& share : position.policy) {
      to.policy_action.push_back(share.action);
      to.policy_weight.push_back(share.share);
    }
    to.policy_offset.push_back(to.policy_action.size());
  }
  games.action.insert(games.action.end(), game.actions.begin(), game.actions.end());
  games.action_offset.push_back(games.action.size());
  games.number.push_back(game.game);
  games.start.push_back(game.start);
  games.result.push_back(game.outcome.result);
  games.score.push_back(game.outcome.score);
  games.plies.push_back(static_cast<std::uint32_t>(game.actions.size()));
  games.reason.push_back(PackReason(game.outcome));
  games.seed.push_back(game.seed);
  games.model_0.push_back(game.model_0);
  games.model_1.push_back(game.model_1);
  const std::vector<std::uint8_t> bytes = SerializeGame(game);
  games.crc.push_back(Crc32c(bytes.data(), bytes.size()));
  first_position.push_back(positions.size());
}

void ShardColumns::CheckAndIndex(int policy_size) {
  CheckGames(games, policy_size);
  CheckPositions(*this, policy_size);
  first_position.assign(1, 0);
  for (std::uint32_t row = 0; row < games.size(); ++row) {
    const auto end = std::upper_bound(positions.game.begin(), positions.game.end(), row);
    first_position.push_back(static_cast<std::uint64_t>(end - positions.game.begin()));
  }
}

GameRecord ShardColumns::Game(std::size_t row) const {
  GameRecord game;
  game.game = games.number[row];
  game.start = games.start[row];
  game.actions.assign(
      games.action.begin() + static_cast<std::ptrdiff_t>(games.action_offset[row]),
      games.action.begin() + static_cast<std::ptrdiff_t>(games.action_offset[row + 1]));
  game.outcome = UnpackReason(games.reason[row]);
  game.outcome.result = games.result[row];
  game.outcome.score = games.score[row];
  game.seed = games.seed[row];
  game.model_0 = games.model_0[row];
  game.model_1 = games.model_1[row];
  for (std::uint64_t k = first_position[row]; k < first_position[row + 1]; ++k) {
    game.positions.push_back(MakePosition(*this, k));
  }
  return game;
}

}  // namespace qirkat
