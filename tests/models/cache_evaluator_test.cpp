// What the cache adds to the contract of evaluators (evaluator_test.cpp): which rows are computed.
#include "models/cache_evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "envs/core/random.h"
#include "models/evaluators.h"
#include "tests/allocations.h"
#include "tests/models/fake_device.h"
#include "tests/models/watched_evaluator.h"

namespace qirkat {
namespace {

constexpr EvalShape kShape{.plane_bytes = 5, .scalars = 2, .policy_size = 7};
constexpr int kMaxBatch = 16;

// Puts everything into one set.
std::uint64_t SameHash(std::span<const std::uint8_t>, std::span<const float>) { return 1; }

// Row number `id`, for any number. Neighbours differ in one bit of one plane or in one scalar.
void WriteObservation(int id, ObservationRow row) {
  std::fill_n(row.planes, kShape.plane_bytes, 0);
  std::fill_n(row.scalars, kShape.scalars, 0.0f);
  row.planes[4] = static_cast<std::uint8_t>(id >> 1);
  row.scalars[1] = id % 2 == 0 ? 0.0f : 0.25f;
}

class CacheEvaluatorTest : public testing::Test {
 protected:
  void Make(std::size_t bytes, ObservationHash hash = HashObservation) {
    const auto watched = std::make_shared<test::WatchedFactory>(
        MakeHashEvaluator(kShape), [this](int rows) { Compute(rows); });
    Make(MakeCachedEvaluator(watched, bytes, hash));
  }
  void Make(std::shared_ptr<const EvaluatorFactory> factory) {
    evaluator_.reset();
    factory_ = std::move(factory);
    evaluator_ = factory_->Make(kMaxBatch);
    ASSERT_NE(evaluator_->cache(), nullptr);
  }

  // Evaluates a batch of these rows and compares it with what `hash` alone says; returns how many
  // were computed.
  int Evaluate(const std::vector<int>& ids) {
    const int size = static_cast<int>(ids.size());
    EvalBuffers buffers(kShape, size), expected(kShape, size);
    for (int i = 0; i < size; ++i) {
      WriteObservation(ids[i], buffers.Row(i));
      WriteObservation(ids[i], expected.Row(i));
    }
    const int before = computed_;
    evaluator_->Evaluate(buffers.Batch(size, false), buffers.Result(size));
    MakeHashEvaluator(kShape)->Make(size)->Evaluate(expected.Batch(size, false),
                                                    expected.Result(size));
    EXPECT_EQ(buffers.policy_logits, expected.policy_logits);
    EXPECT_EQ(buffers.wdl, expected.wdl);
    EXPECT_EQ(buffers.score, expected.score);
    EXPECT_EQ(buffers.moves_left, expected.moves_left);
    return computed_ - before;
  }

  void Compute(int rows) {
    if (fail_) throw std::runtime_error("device lost");
    computed_ += rows;
  }

  std::shared_ptr<const EvaluatorFactory> factory_;  // lives longer than what it made
  std::unique_ptr<Evaluator> evaluator_;
  int computed_ = 0;
  bool fail_ = false;
};

TEST_F(CacheEvaluatorTest, OnlyWhatIsNotKnownIsComputed) {
  Make(1 << 20);
  EXPECT_EQ(Evaluate({1, 2, 3}), 3);
  EXPECT_EQ(Evaluate({3, 4, 1, 5}), 2);
  EXPECT_EQ(Evaluate({5, 4, 3, 2, 1}), 0);
  EXPECT_EQ(evaluator_->cache()->hits(), 7u);
}

TEST_F(CacheEvaluatorTest, EqualRowsOfABatchAreComputedOnce) {
  Make(1 << 20);
  EXPECT_EQ(Evaluate({1, 1, 2, 1, 2, 3}), 3);
  EXPECT_EQ(Evaluate({9, 3, 9, 9, 8, 1, 8}), 2);
  EXPECT_EQ(evaluator_->cache()->hits(), 3u + 5u);
}

TEST_F(CacheEvaluatorTest, AnswersOneRowIfItIsKnown) {
  Make(1 << 20);
  EvalBuffers buffers(kShape, 3), expected(kShape, 1);
  WriteObservation(6, buffers.Row(2));
  WriteObservation(6, expected.Row(0));
  EXPECT_FALSE(evaluator_->cache()->Answer(buffers.Batch(3, false), 2, buffers.Result(3)));
  EXPECT_EQ(Evaluate({5, 6}), 2);
  EXPECT_TRUE(evaluator_->cache()->Answer(buffers.Batch(3, false), 2, buffers.Result(3)));
  MakeHashEvaluator(kShape)->Make(1)->Evaluate(expected.Batch(1, false), expected.Result(1));
  EXPECT_TRUE(std::ranges::equal(buffers.Logits(2), expected.Logits(0)));
  EXPECT_EQ(buffers.wdl[6], expected.wdl[0]);
  EXPECT_EQ(buffers.wdl[8], expected.wdl[2]);
  EXPECT_EQ(buffers.score[2], expected.score[0]);
  EXPECT_EQ(buffers.moves_left[2], expected.moves_left[0]);
  EXPECT_EQ(evaluator_->cache()->hits(), 1u);
}

// Every row in one set: only the comparison of whole observations tells them apart.
TEST_F(CacheEvaluatorTest, EqualHashesAreToldApart) {
  Make(1 << 20, SameHash);
  for (int id = 0; id + 3 < 40; ++id) {
    EXPECT_EQ(Evaluate({id, id + 1, id + 2, id + 3}), id == 0 ? 4 : 1) << id;
  }
}

TEST_F(CacheEvaluatorTest, TheLeastRecentlyUsedMakesRoom) {
  Make(1 << 20, SameHash);
  for (const int id : {1, 2, 3, 4}) EXPECT_EQ(Evaluate({id}), 1);
  EXPECT_EQ(Evaluate({1}), 0);
  EXPECT_EQ(Evaluate({5}), 1);  // in place of 2
  EXPECT_EQ(Evaluate({1, 3, 4, 5}), 0);
  EXPECT_EQ(Evaluate({2}), 1);
}

TEST_F(CacheEvaluatorTest, ABatchKeepsWhatItUses) {
  Make(1 << 20, SameHash);
  EXPECT_EQ(Evaluate({1, 2, 3, 4, 5, 6, 1, 6}), 7);  // 5 and 6 find no room
  EXPECT_EQ(Evaluate({4, 3, 2, 1, 7}), 1);
}

TEST_F(CacheEvaluatorTest, AnyBatchesGiveTheRightRows) {
  RandomStream random(1, 0, 0, StreamPurpose::kTest);
  for (const std::size_t bytes : {1000, 2000, 4000}) {  // for a few rows only
    Make(bytes);
    computed_ = 0;
    int rows = 0;
    for (int k = 0; k < 500; ++k) {
      std::vector<int> ids(1 + random.Below(kMaxBatch));
      for (int& id : ids) id = static_cast<int>(random.Below(60));
      Evaluate(ids);
      rows += static_cast<int>(ids.size());
    }
    EXPECT_EQ(evaluator_->cache()->hits(), static_cast<std::uint64_t>(rows - computed_));
    EXPECT_GT(computed_, 60);
    EXPECT_LT(computed_, rows);
  }
}

TEST_F(CacheEvaluatorTest, NothingOfABatchThatFailedIsKept) {
  Make(1 << 20);
  fail_ = true;
  EXPECT_THROW(Evaluate({1, 2, 1}), std::runtime_error);
  fail_ = false;
  EXPECT_EQ(Evaluate({2, 3, 1}), 3);
  EXPECT_EQ(Evaluate({1, 2, 3}), 0);
}

TEST_F(CacheEvaluatorTest, NothingOfABatchThatFailedOnADeviceIsKept) {
  const auto device = std::make_shared<test::FakeDevice>(MakeHashEvaluator(kShape),
                                                         [this](test::DeviceEvent event) {
                                                           if (event == test::DeviceEvent::kCompute)
                                                             Compute(0);
                                                         });
  Make(MakeCachedEvaluator(device, 1 << 20));
  EXPECT_TRUE(factory_->asynchronous());
  fail_ = true;
  EXPECT_THROW(Evaluate({1, 2, 1}), std::runtime_error);
  fail_ = false;
  Evaluate({2, 3, 1, 2});
  EXPECT_EQ(evaluator_->cache()->hits(), 1u + 1u);
}

TEST_F(CacheEvaluatorTest, MemoryIsReservedOnceAndWithinTheBudget) {
  for (const std::size_t bytes : {std::size_t{2000}, std::size_t{100'000}, std::size_t{1} << 22}) {
    const EvaluationCache cache(kShape, bytes, HashObservation);
    EXPECT_LE(cache.bytes(), bytes);
    EXPECT_GT(cache.bytes(), bytes - EvaluationCache::kWays * EvaluationCache::EntryBytes(kShape));
    EXPECT_GE(EvaluationCache::EntryBytes(kShape), 5 + 2 * 4 + (7 + 5) * 4u);
  }
  Make(1 << 20);
  EvalBuffers buffers(kShape, kMaxBatch);
  const std::uint64_t before = Allocations();
  for (int k = 0; k < 300; ++k) {
    for (int i = 0; i < kMaxBatch; ++i) WriteObservation(k + i / 2, buffers.Row(i));
    evaluator_->Evaluate(buffers.Batch(kMaxBatch, false), buffers.Result(kMaxBatch));
  }
  EXPECT_EQ(Allocations(), before);
}

TEST(MakeCachedEvaluator, EvaluatorsThatNeedNoCacheComeAsTheyAre) {
  const auto watched = std::make_shared<test::WatchedFactory>(MakeHashEvaluator(kShape));
  EXPECT_EQ(MakeCachedEvaluator(watched, 0), watched);
  EXPECT_EQ(MakeCachedEvaluator(watched, 100)->Make(kMaxBatch)->cache(), nullptr);
  EXPECT_NE(MakeCachedEvaluator(watched, 1 << 20)->Make(kMaxBatch)->cache(), nullptr);
  EXPECT_EQ(MakeCachedEvaluator(watched, 1 << 20)->model_name(), "hash");
  // Cheaper than a look-up, and what depends on more than the observation.
  for (const char* spec : {"hash", "uniform", "rollout"}) {
    const auto factory = MakeCachedEvaluator(MakeEvaluator(spec, kShape, "test"), 1 << 20);
    EXPECT_EQ(factory->Make(kMaxBatch)->cache(), nullptr) << spec;
  }
}

}  // namespace
}  // namespace qirkat
