// The one driver of many games at once, for self-play and for matches: W workers × S slots, batches
// across games, one writer in game order.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "selfplay/pipeline/ordered_games.h"
#include "selfplay/pipeline/worker.h"

namespace qirkat {

// The threads that an option `workers` stands for: 0 for all cores.
inline std::uint32_t WorkerThreads(std::int64_t workers) {
  return workers > 0 ? static_cast<std::uint32_t>(workers)
                     : std::max(1u, std::thread::hardware_concurrency());
}

// The groups of slots that `groups` stands for: 0 for two where an evaluator computes beside the
// CPU (while the batch of one is under way, the trees of the other are worked on), else for one.
inline int SlotGroups(int groups, const EvaluatorFactories& factories) {
  if (groups > 0) return groups;
  return std::ranges::any_of(factories, [](const auto& each) { return each->asynchronous(); }) ? 2
                                                                                               : 1;
}

struct RunGamesOptions {
  std::uint32_t first = 0, end = 0;  // game numbers
  std::uint32_t window = 1;          // game g starts only after game g - window is written
  int workers = 0;                   // threads; 0: all cores
  int slots = 1;                     // games at once per worker
  int groups = 0;                    // of a worker's slots, one batch each; 0: SlotGroups chooses
};

// Workers are plain threads, not TBB tasks: a worker sleeps while the writer is behind, and a task
// that sleeps holds a thread of TBB's pool, so that with fewer pool threads than workers the game
// that everybody waits for might never get one. The writer is the calling thread.
template <GameSlot S>
class Crew {
 public:
  Crew(const typename S::Context& context, const EvaluatorFactories& factories, int workers,
       int slots, int groups, OrderedGames<typename S::Result>& games)
      : games_(games), stats_(workers) {
    for (int w = 0; w < workers; ++w) {
      threads_.emplace_back([&context, &factories, slots, groups, &games, &stats = stats_[w]] {
        try {
          Worker<S>(context, factories, slots, groups, games, stats).Run();
        } catch (...) {
          games.Fail(std::current_exception());
        }
      });
    }
  }
  ~Crew() {
    games_.Close();
    Join();
  }
  void Join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  SelfPlayStats Stats() const {
    SelfPlayStats sum;
    for (const WorkerStats& worker : stats_) {
      const SelfPlayStats stats = worker.Get();
      sum.evaluations += stats.evaluations;
      sum.cache_hits += stats.cache_hits;
      sum.terminal_visits += stats.terminal_visits;
      sum.batches += stats.batches;
      sum.tree_bytes += stats.tree_bytes;
      sum.phases += stats.phases;
    }
    return sum;
  }

 private:
  OrderedGames<typename S::Result>& games_;
  std::deque<WorkerStats> stats_;
  std::vector<std::thread> threads_;
};

// Plays games [first, end) and hands each result to `sink` on the calling thread, in game order.
// `observe` is called about twice a second and once at the end. Returns early when `stop` (may be
// null) turns true: games in flight are dropped. Throws what a worker, `sink` or `observe` throws,
// after every thread has ended.
template <GameSlot S>
SelfPlayStats RunGames(const typename S::Context& context, const EvaluatorFactories& factories,
                       const RunGamesOptions& options,
                       const std::function<void(typename S::Result&&)>& sink,
                       const std::function<void(const SelfPlayStats&)>& observe,
                       const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kStopPoll(20), kObservePeriod(500);
  const std::uint32_t count = options.end - std::min(options.first, options.end);
  const std::uint32_t workers = std::clamp(WorkerThreads(options.workers), 1u, std::max(1u, count));
  // No worker takes more than its share of the games that can be in flight.
  const std::uint32_t in_flight = std::min(count, options.window);
  const int slots = static_cast<int>(
      std::min<std::uint32_t>(options.slots, std::max(1u, (in_flight + workers - 1) / workers)));

  const auto begin = Clock::now();
  OrderedGames<typename S::Result> games(options.first, options.end, std::max(1u, in_flight));
  Crew<S> crew(context, factories, static_cast<int>(workers), slots,
               SlotGroups(options.groups, factories), games);
  std::uint32_t written = 0;
  double writer_seconds = 0;
  const auto stats = [&] {
    SelfPlayStats now = crew.Stats();
    now.games = written;
    now.writer_seconds = writer_seconds;
    now.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return now;
  };
  const auto write_next = [&](std::chrono::milliseconds patience) {
    auto result = games.Next(patience);
    if (!result) return false;
    const auto started = Clock::now();
    sink(std::move(*result));
    writer_seconds += std::chrono::duration<double>(Clock::now() - started).count();
    games.Written();
    ++written;
    return true;
  };

  auto observed = begin;
  while (!games.AllWritten() && !games.closed()) {
    write_next(kStopPoll);
    if (stop != nullptr && *stop) games.Close();
    if (Clock::now() - observed >= kObservePeriod) {
      observed = Clock::now();
      if (observe) observe(stats());
    }
  }
  games.Close();
  crew.Join();
  while (write_next(std::chrono::milliseconds(0))) {
  }
  games.Rethrow();
  const SelfPlayStats final_stats = stats();
  if (observe) observe(final_stats);
  return final_stats;
}

}  // namespace qirkat
