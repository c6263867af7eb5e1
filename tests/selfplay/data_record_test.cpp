// Game records in memory: shares of the policy target, the flat form, packed columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "envs/core/error.h"
#include "envs/core/random.h"
#include "selfplay/data/bytes.h"
#include "selfplay/data/columns.h"
#include "selfplay/data/crc32c.h"
#include "selfplay/data/record.h"

namespace qirkat {
namespace {

constexpr int kPlaneBytes = 7, kScalars = 2, kLegalBytes = 3;

// A game that no rules know: every field filled at random.
GameRecord AnyRecord(RandomStream& random, std::uint32_t number) {
  GameRecord game;
  game.game = number;
  game.start = "start " + std::to_string(random.Below(1000));
  game.outcome.reason = EndReason::kDiscs;
  game.outcome.result = static_cast<std::int8_t>(static_cast<int>(random.Below(3)) - 1);
  game.outcome.score = static_cast<std::int32_t>(random.Below(129)) - 64;
  game.seed = random.Next();
  game.model_0 = "0123456789abcdef";
  game.model_1 = "hash";
  const std::uint32_t plies = random.Below(9);
  for (std::uint32_t ply = 0; ply < plies; ++ply) {
    game.actions.push_back(static_cast<Action>(random.Below(24)));
    PositionRecord position;
    for (int k = 0; k < kPlaneBytes; ++k) {
      position.planes.push_back(static_cast<std::uint8_t>(random.Below(256)));
    }
    for (int k = 0; k < kScalars; ++k) {
      position.scalars.push_back(static_cast<float>(random.Uniform()));
    }
    for (int k = 0; k < kLegalBytes; ++k) {
      position.legal.push_back(static_cast<std::uint8_t>(random.Below(256)));
    }
    position.action = game.actions.back();
    position.player = static_cast<Player>(random.Below(2));
    position.ply = ply;
    position.weight = static_cast<float>(random.Uniform());
    position.flags = static_cast<std::uint8_t>(random.Below(4));
    position.symmetries = static_cast<std::uint8_t>(random.Below(256));
    for (float& value : position.root_wdl) value = static_cast<float>(random.Uniform());
    position.policy = MakePolicyShares({1, 5, 7}, {random.UniformPositive(), 1.0, 2.0});
    game.positions.push_back(position);
  }
  return game;
}

int SumOfShares(const std::vector<PolicyShare>& policy) {
  return std::accumulate(policy.begin(), policy.end(), 0,
                         [](int sum, const PolicyShare& entry) { return sum + entry.share; });
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(Crc32c("123456789", 9), 0xE3069283u);
  EXPECT_EQ(Crc32c("", 0), 0u);
  const std::vector<std::uint8_t> zeros(32, 0);  // RFC 3720, B.4
  EXPECT_EQ(Crc32c(zeros.data(), zeros.size()), 0x8A9136AAu);
}

TEST(Crc32c, GoesOnWhereItStopped) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::uint32_t head = Crc32c(text.data(), cut);
    EXPECT_EQ(Crc32c(text.data() + cut, text.size() - cut, head), Crc32c(text.data(), text.size()));
  }
}

TEST(PolicyShares, SumExactlyAndFavourLargestRemainders) {
  EXPECT_EQ(MakePolicyShares({3}, {17}), (std::vector<PolicyShare>{{3, 65535}}));
  // 65535 / 2 = 32767.5 twice: the tie goes to the earlier entry.
  EXPECT_EQ(MakePolicyShares({9, 2}, {1, 1}), (std::vector<PolicyShare>{{9, 32768}, {2, 32767}}));
  // 21845 each.
  EXPECT_EQ(MakePolicyShares({1, 2, 3}, {5, 5, 5}),
            (std::vector<PolicyShare>{{1, 21845}, {2, 21845}, {3, 21845}}));
  // 65535 / 4 = 16383.75 and 49151.25.
  EXPECT_EQ(MakePolicyShares({1, 2}, {1, 3}), (std::vector<PolicyShare>{{1, 16384}, {2, 49151}}));
  // A share of 0 is dropped.
  EXPECT_EQ(MakePolicyShares({1, 2, 3}, {0, 1, 1e-9}), (std::vector<PolicyShare>{{2, 65535}}));
}

TEST(PolicyShares, SumForAnyWeights) {
  RandomStream random(1, 0, 0, StreamPurpose::kTest);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Action> actions(1 + random.Below(60));
    std::iota(actions.begin(), actions.end(), 0);
    std::vector<double> weights;
    for (std::size_t k = 0; k < actions.size(); ++k) {
      weights.push_back(round % 2 == 0 ? random.Below(200) : random.UniformPositive());
    }
    weights.back() += 1;
    EXPECT_EQ(SumOfShares(MakePolicyShares(actions, weights)), 65535);
  }
}

TEST(PolicyShares, RefuseWeightsWithoutMass) {
  EXPECT_THROW(MakePolicyShares({1, 2}, {0, 0}), InternalError);
  EXPECT_THROW(MakePolicyShares({1, 2}, {1}), InternalError);
  EXPECT_THROW(MakePolicyShares({1, 2}, {2, -1}), InternalError);
}

TEST(GameBytes, RoundTrip) {
  RandomStream random(2, 0, 0, StreamPurpose::kTest);
  for (std::uint32_t number = 0; number < 50; ++number) {
    const GameRecord game = AnyRecord(random, number);
    const auto bytes = SerializeGame(game);
    EXPECT_EQ(ParseGame(bytes.data(), bytes.size()), game);
  }
}

TEST(GameBytes, EveryTruncationIsRefused) {
  RandomStream random(3, 0, 0, StreamPurpose::kTest);
  GameRecord game = AnyRecord(random, 0);
  while (game.positions.size() < 3) game = AnyRecord(random, 0);
  auto bytes = SerializeGame(game);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(ParseGame(bytes.data(), size), UserError) << size;
  }
  bytes.push_back(0);
  EXPECT_THROW(ParseGame(bytes.data(), bytes.size()), UserError);
}

TEST(GameBytes, SizesOfNoPositionsAreRefused) {
  GameRecord game;
  game.positions.emplace_back().planes = {1, 2, 3};
  const auto one_position = SerializeGame(game);
  game.positions.clear();
  auto bytes = SerializeGame(game);
  EXPECT_EQ(ParseGame(bytes.data(), bytes.size()), game);
  constexpr std::size_t kSizeBytes = 12;  // the sizes stand before the count at the end
  const std::size_t begin = bytes.size() - 4 - kSizeBytes;
  std::copy_n(one_position.begin() + static_cast<std::ptrdiff_t>(begin), kSizeBytes,
              bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  EXPECT_THROW(ParseGame(bytes.data(), bytes.size()), UserError);
}

// Forged sizes must not make the reader allocate or read beyond the bytes.
TEST(GameBytes, ForgedBytesNeverCrash) {
  RandomStream random(4, 0, 0, StreamPurpose::kTest);
  const auto bytes = SerializeGame(AnyRecord(random, 7));
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    auto forged = bytes;
    for (std::uint32_t k = 0; k <= random.Below(4); ++k) {
      forged[random.Below(static_cast<std::uint32_t>(forged.size()))] =
          random.Below(3) == 0 ? 255 : static_cast<std::uint8_t>(random.Below(256));
    }
    try {
      const GameRecord game = ParseGame(forged.data(), forged.size());
      EXPECT_EQ(SerializeGame(game), forged);
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(ByteReader, RefusesCountsThatCannotFollow) {
  const std::vector<std::uint8_t> bytes = {255, 255, 255, 255, 1, 2};
  ByteReader in(bytes, "test");
  EXPECT_THROW(in.GetCount(1), UserError);
}

TEST(ShardColumns, GiveBackTheGames) {
  RandomStream random(5, 0, 0, StreamPurpose::kTest);
  ShardColumns columns{kPlaneBytes, kScalars, kLegalBytes, {}, {}};
  std::vector<GameRecord> games;
  for (std::uint32_t number = 10; number < 40; ++number) {
    games.push_back(AnyRecord(random, number));
    columns.Append(games.back());
  }
  ASSERT_EQ(columns.games.size(), games.size());
  std::size_t positions = 0;
  for (std::size_t row = 0; row < games.size(); ++row) {
    EXPECT_EQ(columns.Game(row), games[row]);
    positions += games[row].positions.size();
  }
  EXPECT_EQ(columns.positions.size(), positions);
}

TEST(ShardColumns, RefuseRowsOfAnotherSize) {
  RandomStream random(6, 0, 0, StreamPurpose::kTest);
  GameRecord game = AnyRecord(random, 0);
  while (game.positions.empty()) game = AnyRecord(random, 0);
  ShardColumns columns{kPlaneBytes + 1, kScalars, kLegalBytes, {}, {}};
  EXPECT_THROW(columns.Append(game), InternalError);
}

}  // namespace
}  // namespace qirkat
