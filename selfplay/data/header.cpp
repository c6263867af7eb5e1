#include "selfplay/data/shard.h"

namespace qirkat {

ShardHeader MakeShardHeader(const GameInfo& info) {
  ShardHeader header;
  header.game = info.name;
  header.game_version = info.version;
  header.game_options = info.OptionValues();
  header.plane_names = info.plane_names;
  header.scalar_names = info.scalar_names;
  header.plane_bytes = info.plane_bytes;
  header.legal_bytes = info.legal_bytes;
  header.policy_size = info.policy_size;
  return header;
}

ShardColumns MakeShardColumns(const ShardHeader& header) {
  ShardColumns columns;
  columns.plane_bytes = header.plane_bytes;
  columns.scalars = static_cast<int>(header.scalar_names.size());
  columns.legal_bytes = header.legal_bytes;
  return columns;
}

}  // namespace qirkat
