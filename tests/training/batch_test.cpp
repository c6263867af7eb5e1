#include "training/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "envs/registry.h"
#include "random_games.h"

namespace qirkat {
namespace {

// A batch with its arrays.
struct OwnedBatch {
  OwnedBatch(const GameInfo& info, std::size_t rows)
      : legal(rows * info.policy_size, 9),
        planes(rows * info.squares * info.planes(), 9),
        scalars(rows * info.scalars(), 9),
        policy(rows * info.policy_size, 9),
        wdl(rows * 3, 9),
        score(rows, 9),
        moves_left(rows, 9),
        weight(rows, 9),
        policy_weight(rows, 9),
        result(rows, 9) {}
  BatchArrays Arrays() {
    return {planes, scalars, legal, policy, wdl, result, score, moves_left, weight, policy_weight};
  }
  float Plane(const GameInfo& info, std::size_t row, int plane, int square) const {
    return planes[(row * info.squares + square) * info.planes() + plane];
  }
  std::vector<std::uint8_t> legal;
  std::vector<float> planes, scalars, policy, wdl, score, moves_left, weight, policy_weight;
  std::vector<std::int64_t> result;
};

bool Bit(std::span<const std::uint8_t> bits, int b) { return (bits[b / 8] >> (b % 8)) & 1; }

TEST(Augmenter, DrawsTheSymmetriesOfTheMaskEquallyOften) {
  RandomStream random(5);
  std::map<int, int> count;
  for (int i = 0; i < 6000; ++i) ++count[Augmenter::Draw(0b1001'0101, random)];
  ASSERT_EQ(count.size(), 4u);
  for (const int s : {0, 2, 4, 7}) EXPECT_NEAR(count[s], 1500, 150);
}

// Along random games, the position whose board text is mirrored must have exactly the augmented
// observation and legal mask.
TEST(Augmenter, AMirroredPositionLooksLikeTheAugmentedOne) {
  const auto game = MakeGame("reversi");
  const GameInfo& info = game->info();
  const Augmenter augmenter(info);
  ASSERT_EQ(info.symmetries.size(), 8u);
  std::vector<float> mapped(info.squares * info.planes()), expected(mapped.size());
  std::vector<std::uint8_t> planes(info.plane_bytes), mirror_planes(info.plane_bytes),
      legal(info.legal_bytes), mirror_legal(info.legal_bytes);
  std::vector<float> scalars(info.scalars()), mirror_scalars(info.scalars());
  for (int s = 0; s < 8; ++s) {
    RandomStream random(s);
    const auto line = game->NewLine(random);
    for (; !line->over();
         line->Play(line->legal(static_cast<int>(random.Below(line->legal_count()))))) {
      ASSERT_TRUE((line->SymmetryMask() >> s) & 1);
      std::string text = line->PositionText();
      const std::string original = text;
      for (int q = 0; q < info.squares; ++q) {
        const int target = line->MoverView(
            static_cast<Action>(augmenter.MapAction(s, line->MoverView(static_cast<Action>(q)))));
        text[target] = original[q];
      }
      const auto mirror = game->NewLineAt(text);
      line->Observe({planes.data(), scalars.data()});
      mirror->Observe({mirror_planes.data(), mirror_scalars.data()});
      augmenter.ExpandPlanes(s, planes, mapped);
      augmenter.ExpandPlanes(0, mirror_planes, expected);
      ASSERT_EQ(mapped, expected) << "symmetry " << s << " of " << original;
      ASSERT_EQ(scalars, mirror_scalars);
      line->LegalMask(legal.data());
      mirror->LegalMask(mirror_legal.data());
      for (int a = 0; a < info.policy_size; ++a) {
        ASSERT_EQ(Bit(legal, a), Bit(mirror_legal, augmenter.MapAction(s, a)))
            << "symmetry " << s << " of " << original << " action " << a;
      }
    }
  }
}

class BatchTest : public ::testing::Test {
 protected:
  BatchTest() {
    for (const GameRecord& game : test::RandomGames(*game_, 10, 2)) window_.AddGame(0, game);
    sample_.resize(window_.rows());
    std::iota(sample_.begin(), sample_.end(), 0);
  }

  std::shared_ptr<const AnyGame> game_ = MakeGame("reversi");
  const GameInfo& info_ = game_->info();
  Augmenter augmenter_{info_};
  ReplayWindow window_{info_, {}};
  std::vector<std::uint64_t> sample_;
};

TEST_F(BatchTest, HoldsTheRowsUnchangedWithoutAugmentation) {
  OwnedBatch batch(info_, sample_.size());
  AssembleBatch(window_, sample_, info_, augmenter_, nullptr, 0.25, batch.Arrays());
  for (std::size_t i = 0; i < sample_.size(); ++i) {
    const WindowRow row = window_.row(sample_[i]);
    for (int plane = 0; plane < info_.planes(); ++plane) {
      for (int q = 0; q < info_.squares; ++q) {
        EXPECT_EQ(batch.Plane(info_, i, plane, q), Bit(row.planes, plane * info_.squares + q));
      }
    }
    std::vector<float> policy(info_.policy_size, 0);
    for (const PolicyShare& share : row.policy) policy[share.action] = share.share / 65535.0f;
    for (int a = 0; a < info_.policy_size; ++a) {
      EXPECT_EQ(batch.legal[i * info_.policy_size + a], Bit(row.legal, a) ? 1 : 0);
      EXPECT_EQ(batch.policy[i * info_.policy_size + a], policy[a]);
    }
    EXPECT_EQ(batch.result[i], 1 - row.targets.result);
    for (int k = 0; k < 3; ++k) {
      EXPECT_FLOAT_EQ(batch.wdl[i * 3 + k], 0.75f * static_cast<float>(k == batch.result[i]) +
                                                0.25f * row.targets.root_wdl[k]);
    }
    EXPECT_EQ(batch.score[i], row.targets.score);
    EXPECT_EQ(batch.moves_left[i], row.targets.moves_left);
    EXPECT_EQ(batch.weight[i], 1);
    EXPECT_EQ(batch.policy_weight[i], 1);
  }
}

TEST_F(BatchTest, AugmentedRowsAreRowsUnderOneSymmetryOfTheirMask) {
  OwnedBatch batch(info_, sample_.size());
  RandomStream augmentation(3);
  AssembleBatch(window_, sample_, info_, augmenter_, &augmentation, 0, batch.Arrays());
  std::set<int> used;
  RandomStream again(3);
  for (std::size_t i = 0; i < sample_.size(); ++i) {
    const WindowRow row = window_.row(sample_[i]);
    const int s = Augmenter::Draw(row.targets.symmetries, again);
    used.insert(s);
    for (int plane = 0; plane < info_.planes(); ++plane) {
      for (int q = 0; q < info_.squares; ++q) {
        EXPECT_EQ(batch.Plane(info_, i, plane, info_.symmetries[s].square[q]),
                  Bit(row.planes, plane * info_.squares + q));
      }
    }
    float sum = 0;
    for (const PolicyShare& share : row.policy) {
      const std::size_t action = info_.symmetries[s].action[share.action];
      EXPECT_EQ(batch.policy[i * info_.policy_size + action], share.share / 65535.0f);
      EXPECT_EQ(batch.legal[i * info_.policy_size + action], 1);
      sum += batch.policy[i * info_.policy_size + action];
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_EQ(used.size(), info_.symmetries.size());
}

}  // namespace
}  // namespace qirkat
