// Where the time of a thread that plays many games goes.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>

namespace qirkat {

enum class Phase {
  kSelect,    // following edges
  kRules,     // making moves, legal actions
  kEncode,    // writing observations
  kEvaluate,  // the evaluator, and looking up what it computed before
  kBackup,    // expanding leaves and adding their values to the tree
  kWrite,     // choosing and recording moves, handing over games
  kWait       // for a game to start: the writer is behind
};
inline constexpr std::array kPhaseNames = {"select", "rules", "encode", "evaluate",
                                           "backup", "write", "wait"};
using PhaseSeconds = std::array<double, kPhaseNames.size()>;

// What a PhaseClock booked: sums that only grow, so that clocks can be added and moments
// subtracted.
struct PhaseTimes {
  PhaseSeconds plain{};     // with the turns that were not looked at in detail, as selection
  PhaseSeconds detailed{};  // of those that were
  PhaseTimes& operator+=(const PhaseTimes& other);
  PhaseTimes& operator-=(const PhaseTimes& other);
  // Seconds in each phase: the plain turns shared out as the detailed ones were.
  PhaseSeconds SharedOut() const;
};

// A stopwatch that always books time to one phase. Phases that are left and entered once a batch or
// a move are entered always. What alternates many times a turn, a turn being one slot's way to its
// next leaf, is told apart only in every 61st turn; the others are booked as selection. One thread.
class PhaseClock {
 public:
  PhaseClock() {
    // What reading the clock adds to a stretch of time.
    const Clock::time_point begin = Clock::now();
    constexpr int kReads = 100;
    for (int i = 1; i < kReads; ++i) Clock::now();
    read_cost_ = (Clock::now() - begin) / kReads;
    Start();
  }

  // What was before is booked nowhere.
  void Start() { since_ = Clock::now(); }

  void Enter(Phase phase) {
    const Clock::time_point now = Clock::now();
    PhaseSeconds& booked = detailed_ ? times_.detailed : times_.plain;
    const std::chrono::duration<double> time = now - since_ - read_cost_;
    booked[static_cast<std::size_t>(phase_)] += std::max(time.count(), 0.0);
    since_ = now;
    phase_ = phase;
  }

  // Turns are parts of kSelect.
  void BeginTurn() {
    if (--turns_left_ > 0) [[likely]]
      return;
    Enter(Phase::kSelect);
    detailed_ = true;
    turns_left_ = kTurnsPerDetail;
  }
  void EndTurn() {
    if (!detailed_) [[likely]]
      return;
    Enter(Phase::kSelect);
    detailed_ = false;
  }
  // This clock in a turn that is looked at in detail, else null.
  PhaseClock* detail() { return detailed_ ? this : nullptr; }

  const PhaseTimes& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;
  // A prime: with 32 slots every slot gets its turn to be looked at.
  static constexpr int kTurnsPerDetail = 61;

  Clock::duration read_cost_;
  Clock::time_point since_;
  Phase phase_ = Phase::kSelect;
  bool detailed_ = false;
  int turns_left_ = kTurnsPerDetail;
  PhaseTimes times_;
};

// Enters a phase in turns that are looked at in detail.
inline void EnterDetail(PhaseClock* detail, Phase phase) {
  if (detail != nullptr) [[unlikely]]
    detail->Enter(phase);
}

}  // namespace qirkat
