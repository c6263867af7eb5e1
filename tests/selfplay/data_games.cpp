#include "tests/selfplay/data_games.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "envs/core/random.h"
#include "envs/registry.h"

namespace qirkat::testing_data {
namespace {

constexpr std::uint64_t kSeed = 12;

PositionRecord RecordPosition(const AnyGame& game, const AnyLine& line, RandomStream& random,
                              Action action) {
  PositionRecord position;
  position.planes.resize(game.info().plane_bytes);
  position.scalars.resize(game.info().scalar_names.size());
  position.legal.resize(game.info().legal_bytes);
  line.Observe({position.planes.data(), position.scalars.data()});
  line.LegalMask(position.legal.data());
  position.action = action;
  position.player = line.to_move();
  position.ply = line.ply();
  position.weight = static_cast<float>(random.Uniform());
  position.flags = line.legal_count() == 1 ? kFlagForced : kFlagFullSearch;
  position.symmetries = line.SymmetryMask();
  for (float& value : position.root_wdl) value = static_cast<float>(random.Uniform());
  std::vector<Action> actions;
  std::vector<double> visits;
  for (int k = 0; k < line.legal_count(); ++k) {
    actions.push_back(line.MoverView(line.legal(k)));
    visits.push_back(1 + random.Below(100));
  }
  position.policy = MakePolicyShares(actions, visits);
  return position;
}

}  // namespace

std::shared_ptr<const AnyGame> ReversiGame() {
  static const std::shared_ptr<const AnyGame> game = MakeGame("reversi");
  return game;
}

ShardHeader TestHeader() {
  ShardHeader header = MakeShardHeader(ReversiGame()->info());
  header.config = "[search]\nvisits = 100\n";
  header.model = "0123456789abcdef";
  header.seed = kSeed;
  header.generation = 3;
  return header;
}

GameRecord RandomGame(std::uint32_t number, std::uint32_t stride) {
  const auto game = ReversiGame();
  RandomStream random(kSeed, 0, number, StreamPurpose::kTest);
  const auto line = game->NewLine(random);
  GameRecord record;
  record.game = number;
  record.start = line->StartText();
  record.seed = kSeed;
  record.model_0 = record.model_1 = "0123456789abcdef";
  while (!line->over()) {
    const Action action = line->legal(
        static_cast<int>(random.Below(static_cast<std::uint32_t>(line->legal_count()))));
    if (line->ply() % stride == 0) {
      record.positions.push_back(RecordPosition(*game, *line, random, action));
    }
    record.actions.push_back(action);
    line->Play(action);
  }
  record.outcome = line->outcome();
  return record;
}

std::vector<GameRecord> RandomGames(std::uint32_t count, std::uint32_t stride) {
  std::vector<GameRecord> games;
  for (std::uint32_t number = 0; number < count; ++number) {
    games.push_back(RandomGame(number, stride));
  }
  return games;
}

Shard TestShard(std::uint32_t games, std::uint32_t stride) {
  return {TestHeader(), RandomGames(games, stride)};
}

TempFolder::TempFolder() {
  std::string name = testing::TempDir() + "qirkat-data-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + name);
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

void WriteBytes(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::vector<GameRecord> GamesIn(const std::filesystem::path& folder) {
  std::vector<GameRecord> games;
  for (const auto& path : FindShards(folder)) {
    for (GameRecord& game : ReadShard(path).games) games.push_back(std::move(game));
  }
  return games;
}

}  // namespace qirkat::testing_data
