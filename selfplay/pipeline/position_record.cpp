#include "selfplay/pipeline/position_record.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace qirkat {

PositionRecord DescribePosition(const AnyLine& line, const GameInfo& info) {
  PositionRecord position;
  position.planes.resize(info.plane_bytes);
  position.scalars.resize(info.scalars());
  line.Observe({position.planes.data(), position.scalars.data()});
  position.legal.resize(info.legal_bytes);
  line.LegalMask(position.legal.data());
  position.player = line.to_move();
  position.ply = line.ply();
  position.symmetries = line.SymmetryMask();
  return position;
}

void SetSearchTarget(const RootResult& root, const AnyLine& line, bool full_search,
                     PositionRecord& position) {
  std::vector<Action> actions;
  std::vector<double> weights;
  for (const RootResult::Edge& edge : root.edges) {
    actions.push_back(line.MoverView(edge.action));
    weights.push_back(edge.weight);
  }
  position.policy = MakePolicyShares(actions, weights);
  std::copy(std::begin(root.wdl), std::end(root.wdl), position.root_wdl);
  position.flags = full_search ? kFlagFullSearch : std::uint8_t{0};
}

void FillForcedValues(GameRecord& game) {
  const int result = game.outcome.result;
  float next[3] = {result > 0 ? 1.0f : 0.0f, result == 0 ? 1.0f : 0.0f, result < 0 ? 1.0f : 0.0f};
  for (auto position = game.positions.rbegin(); position != game.positions.rend(); ++position) {
    if (position->flags & kFlagForced) {
      std::copy(std::begin(next), std::end(next), position->root_wdl);
    } else {
      std::copy(std::begin(position->root_wdl), std::end(position->root_wdl), next);
    }
  }
}

}  // namespace qirkat
