// The one list of a shard's datasets, in byte order of their names: writing, reading and the
// checksum all walk it.
#pragma once

namespace qirkat {

inline constexpr int kList = -1;

// Calls visit(name, column, width) for every dataset; width: the elements in a row of a matrix, or
// kList. `Columns` is ShardColumns or const ShardColumns.
template <class Columns, class Visitor>
void VisitDatasets(Columns& columns, Visitor&& visit) {
  auto& games = columns.games;
  visit("games/action", games.action, kList);
  visit("games/action_offset", games.action_offset, kList);
  visit("games/crc", games.crc, kList);
  visit("games/model_0", games.model_0, kList);
  visit("games/model_1", games.model_1, kList);
  visit("games/number", games.number, kList);
  visit("games/plies", games.plies, kList);
  visit("games/reason", games.reason, kList);
  visit("games/result", games.result, kList);
  visit("games/score", games.score, kList);
  visit("games/seed", games.seed, kList);
  visit("games/start", games.start, kList);
  auto& positions = columns.positions;
  visit("positions/action", positions.action, kList);
  visit("positions/flags", positions.flags, kList);
  visit("positions/game", positions.game, kList);
  visit("positions/legal", positions.legal, columns.legal_bytes);
  visit("positions/planes", positions.planes, columns.plane_bytes);
  visit("positions/player", positions.player, kList);
  visit("positions/ply", positions.ply, kList);
  visit("positions/policy_action", positions.policy_action, kList);
  visit("positions/policy_offset", positions.policy_offset, kList);
  visit("positions/policy_weight", positions.policy_weight, kList);
  visit("positions/root_wdl", positions.root_wdl, 3);
  visit("positions/scalars", positions.scalars, columns.scalars);
  visit("positions/symmetries", positions.symmetries, kList);
  visit("positions/weight", positions.weight, kList);
}

}  // namespace qirkat
