#include "selfplay/data/record.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "envs/core/error.h"
#include "selfplay/data/bytes.h"

namespace qirkat {
namespace {

constexpr std::uint32_t kShareTotal = 65535;

// The row sizes that all positions of a game share.
struct RowSizes {
  std::uint32_t planes = 0, scalars = 0, legal = 0;
  // Bytes of a row with an empty policy.
  std::size_t bytes() const {
    return planes + sizeof(float) * static_cast<std::size_t>(scalars) + legal + 29;
  }
};

void PutPosition(ByteWriter& out, const PositionRecord& position, const RowSizes& sizes) {
  QIRKAT_CHECK(position.planes.size() == sizes.planes, position.planes.size(), sizes.planes);
  QIRKAT_CHECK(position.scalars.size() == sizes.scalars, position.scalars.size(), sizes.scalars);
  QIRKAT_CHECK(position.legal.size() == sizes.legal, position.legal.size(), sizes.legal);
  out.PutArray(position.planes.data(), sizes.planes);
  out.PutArray(position.scalars.data(), sizes.scalars);
  out.PutArray(position.legal.data(), sizes.legal);
  out.Put(position.action);
  out.Put(position.player);
  out.Put(position.ply);
  out.Put(position.weight);
  out.Put(position.flags);
  out.Put(position.symmetries);
  out.PutArray(position.root_wdl, 3);
  out.Put(static_cast<std::uint32_t>(position.policy.size()));
  out.PutArray(position.policy.data(), position.policy.size());
}

PositionRecord GetPosition(ByteReader& in, const RowSizes& sizes) {
  PositionRecord position;
  position.planes = in.GetArray<std::uint8_t>(sizes.planes);
  position.scalars = in.GetArray<float>(sizes.scalars);
  position.legal = in.GetArray<std::uint8_t>(sizes.legal);
  position.action = in.Get<Action>();
  position.player = in.Get<Player>();
  position.ply = in.Get<std::uint32_t>();
  position.weight = in.Get<float>();
  position.flags = in.Get<std::uint8_t>();
  position.symmetries = in.Get<std::uint8_t>();
  for (float& value : position.root_wdl) value = in.Get<float>();
  position.policy = in.GetArray<PolicyShare>(in.GetCount(sizeof(PolicyShare)));
  return position;
}

}  // namespace

std::vector<PolicyShare> MakePolicyShares(const std::vector<Action>& actions,
                                          const std::vector<double>& weights) {
  QIRKAT_CHECK(actions.size() == weights.size(), actions.size(), weights.size());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  QIRKAT_CHECK(std::isfinite(total) && total > 0, total);
  std::vector<std::uint32_t> shares(weights.size());
  std::vector<double> remainders(weights.size());
  std::uint32_t left = kShareTotal;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    QIRKAT_CHECK(weights[k] >= 0, k, weights[k]);
    const double exact = weights[k] / total * kShareTotal;
    shares[k] = std::min(static_cast<std::uint32_t>(exact), left);
    remainders[k] = exact - shares[k];
    left -= shares[k];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  QIRKAT_CHECK(left <= order.size(), left, order.size());
  for (std::size_t k = 0; k < left; ++k) ++shares[order[k]];

  std::vector<PolicyShare> policy;
  for (std::size_t k = 0; k < actions.size(); ++k) {
    if (shares[k] > 0) policy.push_back({actions[k], static_cast<std::uint16_t>(shares[k])});
  }
  return policy;
}

std::vector<std::uint8_t> SerializeGame(const GameRecord& game) {
  ByteWriter out;
  out.Put(game.game);
  out.Put(game.seed);
  out.Put(game.outcome.result);
  out.Put(game.outcome.score);
  out.Put(PackReason(game.outcome));
  out.PutText(game.start);
  out.PutText(game.model_0);
  out.PutText(game.model_1);
  out.Put(static_cast<std::uint32_t>(game.actions.size()));
  out.PutArray(game.actions.data(), game.actions.size());

  RowSizes sizes;
  if (!game.positions.empty()) {
    const PositionRecord& first = game.positions.front();
    sizes = {static_cast<std::uint32_t>(first.planes.size()),
             static_cast<std::uint32_t>(first.scalars.size()),
             static_cast<std::uint32_t>(first.legal.size())};
  }
  out.Put(sizes.planes);
  out.Put(sizes.scalars);
  out.Put(sizes.legal);
  out.Put(static_cast<std::uint32_t>(game.positions.size()));
  for (const PositionRecord& position : game.positions) PutPosition(out, position, sizes);
  return out.Take();
}

GameRecord ParseGame(const std::uint8_t* bytes, std::size_t size) {
  ByteReader in({bytes, size}, "game record");
  GameRecord game;
  game.game = in.Get<std::uint32_t>();
  game.seed = in.Get<std::uint64_t>();
  const auto result = in.Get<std::int8_t>();
  const auto score = in.Get<std::int32_t>();
  game.outcome = UnpackReason(in.Get<std::uint8_t>());
  game.outcome.result = result;
  game.outcome.score = score;
  game.start = in.GetText();
  game.model_0 = in.GetText();
  game.model_1 = in.GetText();
  game.actions = in.GetArray<Action>(in.GetCount(sizeof(Action)));

  RowSizes sizes;
  sizes.planes = in.Get<std::uint32_t>();
  sizes.scalars = in.Get<std::uint32_t>();
  sizes.legal = in.Get<std::uint32_t>();
  const std::uint32_t positions = in.GetCount(sizes.bytes());
  if (positions == 0 && (sizes.planes | sizes.scalars | sizes.legal) != 0) {
    throw UserError("game record without positions gives their sizes");
  }
  game.positions.reserve(positions);
  for (std::uint32_t k = 0; k < positions; ++k) game.positions.push_back(GetPosition(in, sizes));
  in.ExpectEnd();
  return game;
}

}  // namespace qirkat
