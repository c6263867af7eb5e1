// Evaluators that compute beside the CPU: two groups of slots take turns, the games are the same.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "envs/registry.h"
#include "models/evaluators.h"
#include "selfplay/match/match.h"
#include "selfplay/pipeline/self_play.h"
#include "tests/models/fake_device.h"

namespace qirkat {
namespace {

using test::DeviceEvent;
using test::FakeDevice;

SelfPlayJob Job(int games, int workers, int slots) {
  SelfPlayJob job;
  job.game = MakeGame("reversi");
  job.evaluator = MakeHashEvaluator(ShapeOf(job.game->info()));
  job.search.visits = 24;
  job.options.games = games;
  job.options.workers = workers;
  job.options.slots = slots;
  job.seed = 11;
  return job;
}

std::vector<std::vector<std::uint8_t>> Play(const SelfPlayJob& job) {
  std::vector<std::vector<std::uint8_t>> games;
  RunSelfPlay(job, [&](GameRecord&& game) { games.push_back(SerializeGame(game)); });
  return games;
}

TEST(SlotGroups, TheSameBytesAsWithoutADevice) {
  const auto expected = Play(Job(20, 1, 6));
  ASSERT_EQ(expected.size(), 20u);
  for (const auto& [workers, slots, window] : std::vector<std::array<int, 3>>{
           {1, 1, 256}, {1, 2, 256}, {1, 9, 256}, {2, 16, 3}, {3, 4, 1}}) {
    for (const int groups : {0, 1, 3}) {
      SelfPlayJob job = Job(20, workers, slots);
      job.options.window = window;
      job.groups = groups;
      EXPECT_EQ(Play(job), expected) << workers << " × " << slots << " in " << groups;
      const auto device = std::make_shared<FakeDevice>(job.evaluator);
      job.evaluator = device;
      EXPECT_EQ(Play(job), expected) << workers << " × " << slots << " in " << groups;
      EXPECT_EQ(device->living(), 0);
    }
  }
}

// The first batch ends only after another one was begun.
TEST(SlotGroups, OneGroupWorksWhileTheOthersBatchIsUnderWay) {
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  const auto watch = [&](DeviceEvent event) {
    std::unique_lock lock(mutex);
    if (event == DeviceEvent::kBegin) ++begun;
    changed.notify_all();
    const auto other_began = [&] { return begun >= 2; };
    if (event == DeviceEvent::kCompute &&
        !changed.wait_for(lock, std::chrono::seconds(60), other_began)) {
      throw std::runtime_error("nothing was begun while the first batch was under way");
    }
  };
  SelfPlayJob job = Job(6, 1, 4);
  job.evaluator = std::make_shared<FakeDevice>(job.evaluator, watch);
  EXPECT_EQ(Play(job).size(), 6u);
}

TEST(SlotGroups, SlotsAreSharedOutOverTheGroups) {
  // Of five slots three and two: no batch has more rows than a group has slots.
  std::vector<int> sizes;
  class Recorder final : public EvaluatorFactory {
   public:
    Recorder(std::shared_ptr<const EvaluatorFactory> inner, std::vector<int>& sizes)
        : inner_(std::move(inner)), sizes_(sizes) {}
    std::string model_name() const override { return inner_->model_name(); }
    bool asynchronous() const override { return true; }
    std::unique_ptr<Evaluator> Make(int max_batch) const override {
      sizes_.push_back(max_batch);
      return inner_->Make(max_batch);
    }

   private:
    std::shared_ptr<const EvaluatorFactory> inner_;
    std::vector<int>& sizes_;
  };
  SelfPlayJob job = Job(10, 1, 5);
  job.evaluator = std::make_shared<Recorder>(job.evaluator, sizes);
  EXPECT_EQ(Play(job).size(), 10u);
  EXPECT_EQ(sizes, (std::vector<int>{3, 2}));
}

TEST(SlotGroups, AnErrorOfTheDeviceReachesTheCallerAndNoThreadIsLeft) {
  for (const DeviceEvent event : {DeviceEvent::kBegin, DeviceEvent::kCompute, DeviceEvent::kWait}) {
    for (const int bad : {1, 2, 301}) {
      std::atomic<int> left = bad;
      const auto watch = [&](DeviceEvent now) {
        if (now == event && --left == 0) throw std::runtime_error("device lost");
      };
      SelfPlayJob job = Job(100, 2, 6);
      const auto device = std::make_shared<FakeDevice>(job.evaluator, watch);
      job.evaluator = device;
      EXPECT_THROW(Play(job), std::runtime_error) << static_cast<int>(event) << ", " << bad;
      EXPECT_EQ(device->living(), 0);
    }
  }
}

TEST(SlotGroups, StopEndsTheRunWithBatchesUnderWay) {
  SelfPlayJob job = Job(1000000, 2, 8);
  const auto device = std::make_shared<FakeDevice>(job.evaluator);
  job.evaluator = device;
  std::atomic<bool> stop = false;
  std::uint32_t written = 0;
  const auto sink = [&](GameRecord&& game) {
    EXPECT_EQ(game.game, written++);
    if (game.game == 10) stop = true;
  };
  const SelfPlayStats stats = RunSelfPlay(job, sink, {}, &stop);
  EXPECT_GE(written, 11u);
  EXPECT_LT(written, 300u);
  EXPECT_EQ(stats.games, written);
  EXPECT_EQ(device->living(), 0);
}

// A match has two evaluators: one on a device, one on the CPU, or both on devices.
TEST(SlotGroups, MatchesAreTheSameToo) {
  const auto game = MakeGame("reversi");
  const EvalShape shape = ShapeOf(game->info());
  const auto play = [&](bool a_beside, bool b_beside) {
    MatchPlayer a{.spec = "a", .evaluator = MakeHashEvaluator(shape), .search = {}};
    MatchPlayer b{.spec = "b", .evaluator = MakeUniformEvaluator(shape), .search = {}};
    a.search.visits = 20;
    b.search.visits = 12;
    if (a_beside) a.evaluator = std::make_shared<FakeDevice>(a.evaluator);
    if (b_beside) b.evaluator = std::make_shared<FakeDevice>(b.evaluator);
    std::vector<std::vector<Action>> games;
    const MatchResult result =
        RunMatch(*game, a, b, {.games = 12, .seed = 3, .workers = 2, .slots = 5});
    for (const MatchGame& played : result.games) games.push_back(played.actions);
    return games;
  };
  const auto expected = play(false, false);
  ASSERT_EQ(expected.size(), 12u);
  EXPECT_EQ(play(true, false), expected);
  EXPECT_EQ(play(false, true), expected);
  EXPECT_EQ(play(true, true), expected);
}

}  // namespace
}  // namespace qirkat
