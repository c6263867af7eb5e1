// Hands out game numbers and puts finished games back in order, in bounded memory.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "envs/core/error.h"

namespace qirkat {

// Games [first, end). Game g starts only after game g - window is written, so at most `window`
// games are in flight or wait for the writer. Nothing deadlocks: numbers are handed out in order,
// so the lowest game that is not written is always being played or already finished. Any number of
// workers call TryStart, WaitStart, Finish and Fail; one writer calls Next and Written.
template <class Result>
class OrderedGames {
 public:
  OrderedGames(std::uint32_t first, std::uint32_t end, std::uint32_t window)
      : end_(end), window_(window), next_(first), written_(first), finished_(window) {
    QIRKAT_CHECK(window > 0);
  }

  // The next game's number if it may start now.
  std::optional<std::uint32_t> TryStart() {
    const std::lock_guard lock(mutex_);
    return CanStart() ? std::optional(next_++) : std::nullopt;
  }
  // Sleeps until a game may start; nullopt: none ever will.
  std::optional<std::uint32_t> WaitStart() {
    std::unique_lock lock(mutex_);
    may_start_.wait(lock, [this] { return closed_ || next_ >= end_ || CanStart(); });
    return CanStart() ? std::optional(next_++) : std::nullopt;
  }
  void Finish(std::uint32_t game, Result&& result) {
    {
      const std::lock_guard lock(mutex_);
      finished_[game % window_] = std::move(result);
    }
    is_finished_.notify_one();
  }
  // A worker cannot go on: no new game starts, and Rethrow throws the first such error.
  void Fail(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::move(error);
    }
    Close();
  }

  // The next finished game in order, after waiting at most `patience` for it.
  std::optional<Result> Next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    auto& slot = finished_[written_ % window_];
    is_finished_.wait_for(lock, patience, [&] { return slot.has_value() || closed_; });
    return std::exchange(slot, std::nullopt);
  }
  // What Next returned is written: one more game may start.
  void Written() {
    {
      const std::lock_guard lock(mutex_);
      ++written_;
    }
    may_start_.notify_all();
  }
  bool AllWritten() const {
    const std::lock_guard lock(mutex_);
    return written_ >= end_;
  }

  // No new game starts; every sleeper wakes.
  void Close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    may_start_.notify_all();
    is_finished_.notify_all();
  }
  bool closed() const { return closed_; }
  void Rethrow() const {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool CanStart() const { return !closed_ && next_ < end_ && next_ - written_ < window_; }

  const std::uint32_t end_;
  const std::uint32_t window_;
  mutable std::mutex mutex_;
  std::condition_variable may_start_, is_finished_;
  std::atomic<bool> closed_ = false;  // changed under the mutex, read by workers without it
  std::uint32_t next_;                // the next number to hand out
  std::uint32_t written_;             // games below are written
  std::vector<std::optional<Result>> finished_;  // [window], by game number modulo window
  std::exception_ptr error_;
};

}  // namespace qirkat
