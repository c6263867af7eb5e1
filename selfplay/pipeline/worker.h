// One thread of a batched run: its groups of slots take turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "selfplay/pipeline/slot_group.h"

namespace qirkat {

// Numbers of one worker that other threads may read at any time.
class WorkerStats {
 public:
  SelfPlayStats Get() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }
  void Set(const SelfPlayStats& stats) {
    const std::lock_guard lock(mutex_);
    stats_ = stats;
  }

 private:
  mutable std::mutex mutex_;
  SelfPlayStats stats_;
};

template <GameSlot S>
class Worker {
 public:
  // The slots are shared out to the groups.
  Worker(const typename S::Context& context, const EvaluatorFactories& factories, int slots,
         int groups, OrderedGames<typename S::Result>& games, WorkerStats& published)
      : games_(games), published_(published) {
    for (int left = std::min(slots, groups); left > 0; --left) {
      const int share = (slots + left - 1) / left;
      groups_.emplace_back(context, factories, share, games, clock_);
      slots -= share;
    }
  }

  // Plays until there is no game to start any more.
  void Run() {
    clock_.Start();
    while (!games_.closed()) {
      bool playing = false;
      for (SlotGroup<S>& group : groups_) playing |= Turn(group);
      if (!playing && !WaitForGame()) break;
      if (Clock::now() - published_at_ >= kPublishPeriod) Publish();
    }
    Publish();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPublishPeriod{10};

  // False if no slot of the group has a game.
  bool Turn(SlotGroup<S>& group) {
    clock_.Enter(Phase::kEvaluate);
    group.WaitForBatch();
    clock_.Enter(Phase::kBackup);
    group.DeliverBatch();
    clock_.Enter(Phase::kSelect);
    if (!group.Advance()) return false;
    clock_.Enter(Phase::kEvaluate);
    group.BeginBatch();
    return true;
  }

  // Sleeps until a game may start; false if none ever will.
  bool WaitForGame() {
    clock_.Enter(Phase::kWait);
    const std::optional<std::uint32_t> game = games_.WaitStart();
    if (game) groups_.front().Start(*game);
    return game.has_value();
  }

  void Publish() {
    SelfPlayStats stats;
    stats.phases = clock_.times();
    for (const SlotGroup<S>& group : groups_) group.AddTo(stats);
    published_.Set(stats);
    published_at_ = Clock::now();
  }

  OrderedGames<typename S::Result>& games_;
  WorkerStats& published_;
  Clock::time_point published_at_ = Clock::now();
  PhaseClock clock_;
  std::deque<SlotGroup<S>> groups_;
};

}  // namespace qirkat
