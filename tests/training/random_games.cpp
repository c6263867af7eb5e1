#include "random_games.h"

#include "envs/core/random.h"

namespace qirkat::test {

GameRecord RandomGame(const AnyGame& game, std::uint32_t number, std::uint64_t seed) {
  const GameInfo& info = game.info();
  RandomStream random(seed, 0, number, StreamPurpose::kTest);
  const std::unique_ptr<AnyLine> line = game.NewLine(random);
  GameRecord record;
  record.game = number;
  record.start = line->StartText();
  record.seed = seed;
  while (!line->over()) {
    PositionRecord position;
    position.planes.resize(info.plane_bytes);
    position.scalars.resize(info.scalars());
    position.legal.resize(info.legal_bytes);
    line->Observe({position.planes.data(), position.scalars.data()});
    line->LegalMask(position.legal.data());
    position.player = line->to_move();
    position.ply = line->ply();
    position.weight = line->ply() % 5 == 4 ? 0 : 1;
    position.flags = kFlagFullSearch;
    position.symmetries = line->SymmetryMask();
    std::vector<Action> actions;
    std::vector<double> visits;
    for (int k = 0; k < line->legal_count(); ++k) {
      actions.push_back(line->MoverView(line->legal(k)));
      visits.push_back(1 + random.Below(20));
    }
    position.policy = MakePolicyShares(actions, visits);
    position.root_wdl[0] = static_cast<float>(random.Uniform());
    position.root_wdl[2] = 1 - position.root_wdl[0];
    position.action = line->legal(static_cast<int>(random.Below(line->legal_count())));
    line->Play(position.action);
    record.actions.push_back(position.action);
    record.positions.push_back(std::move(position));
  }
  record.outcome = line->outcome();
  return record;
}

std::vector<GameRecord> RandomGames(const AnyGame& game, std::uint32_t count, std::uint64_t seed) {
  std::vector<GameRecord> games;
  for (std::uint32_t g = 0; g < count; ++g) games.push_back(RandomGame(game, g, seed));
  return games;
}

}  // namespace qirkat::test
