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
  // Where an evaluator computes beside the CPU the slots form two groups: while the batch of one is
  // under way, the trees of the other are worked on. Elsewhere one group has all slots.
  Worker(const typename S::Context& context, const EvaluatorFactories& factories, int slots,
         OrderedGames<typename S::Result>& games, WorkerStats& published)
      : games_(games), published_(published) {
    const bool beside =
        std::ranges::any_of(factories, [](const auto& factory) { return factory->asynchronous(); });
    for (int left = beside ? std::min(slots, 2) : 1; left > 0; --left) {
      const int share = (slots + left - 1) / left;
      groups_.emplace_back(context, factories, share, games);
      slots -= share;
    }
  }

  // Plays until there is no game to start any more.
  void Run() {
    while (!games_.closed()) {
      bool playing = false;
      for (SlotGroup<S>& group : groups_) playing |= Turn(group);
      if (!playing && !WaitForGame()) break;
      if (Since(published_at_) >= kPublishSeconds) Publish();
    }
    Publish();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kPublishSeconds = 0.01;

  static double Since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  // False if no slot of the group has a game.
  bool Turn(SlotGroup<S>& group) {
    const auto begin = Clock::now();
    group.WaitForBatch();
    const auto there = Clock::now();
    group.DeliverBatch();
    const bool playing = group.Advance();
    const auto selected = Clock::now();
    if (playing) group.BeginBatch();
    stats_.select_seconds += std::chrono::duration<double>(selected - there).count();
    stats_.evaluate_seconds +=
        std::chrono::duration<double>(there - begin).count() + Since(selected);
    return playing;
  }

  // Sleeps until a game may start; false if none ever will.
  bool WaitForGame() {
    const auto begin = Clock::now();
    const std::optional<std::uint32_t> game = games_.WaitStart();
    if (!game) return false;
    stats_.writer_wait_seconds += Since(begin);
    groups_.front().Start(*game);
    return true;
  }

  void Publish() {
    SelfPlayStats stats = stats_;
    for (const SlotGroup<S>& group : groups_) group.AddTo(stats);
    published_.Set(stats);
    published_at_ = Clock::now();
  }

  OrderedGames<typename S::Result>& games_;
  WorkerStats& published_;
  Clock::time_point published_at_ = Clock::now();
  SelfPlayStats stats_;  // times only
  std::deque<SlotGroup<S>> groups_;
};

}  // namespace qirkat
