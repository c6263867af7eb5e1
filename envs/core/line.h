// A game being played: rules, start, current position and what the past decides. Environments,
// search paths, records and replays all play on a Line.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "envs/core/game.h"

namespace qirkat {

template <Game G>
class Line {
 public:
  using State = typename G::State;
  using Rules = typename G::Rules;
  using Legal = typename G::Legal;

  // `rules` is shared by every line of a run and outlives none of them.
  Line(std::shared_ptr<const Rules> rules, const State& start) : rules_(std::move(rules)) {
    Reset(start);
  }

  // Starts again from another position; allocates nothing but the first time.
  void Reset(const State& start) {
    if constexpr (G::kSpec.uses_history) keys_.reserve(kReservedKeys);
    start_ = state_ = start;
    ply_ = 0;
    undo_.clear();
    keys_.clear();
    keys_begin_ = 0;
    Examine();
  }

  const Rules& rules() const { return *rules_; }
  const std::shared_ptr<const Rules>& shared_rules() const { return rules_; }
  const State& start() const { return start_; }
  const State& state() const { return state_; }
  const Legal& legal() const { return position_.legal; }
  const Outcome& outcome() const { return position_.outcome; }
  bool over() const { return position_.outcome.over(); }
  std::uint32_t ply() const { return ply_; }
  Player to_move() const { return G::ToMove(state_); }
  // How many Push calls can be popped.
  int depth() const { return static_cast<int>(undo_.size()); }

  History history() const { return {ply_, std::span(keys_).subspan(keys_begin_)}; }

  // Puts another possible world in the place of the state (games with hidden information): the past
  // stays. Must not stand between Push and Pop.
  void SetWorld(const State& world) requires(G::kSpec.hidden_information) {
    state_ = world;
    Examine();
  }

  // Plays a legal action for good. Must not stand between Push and Pop.
  void Advance(Action action) {
    Record(action);
    G::Apply(*rules_, state_, action);
    ++ply_;
    Examine();
    // Keys before an irreversible action are never looked at again.
    if (keys_begin_ == keys_.size() && undo_.empty()) {
      keys_.clear();
      keys_begin_ = 0;
    }
  }

  // Plays a legal action that Pop takes back. Neither allocates once the deepest path was visited.
  void Push(Action action) {
    undo_.push_back({state_, position_, keys_.size(), keys_begin_});
    Record(action);
    G::Apply(*rules_, state_, action);
    ++ply_;
    Examine();
  }
  void Pop() {
    const Undo& undo = undo_.back();
    state_ = undo.state;
    position_ = undo.position;
    keys_.resize(undo.keys_size);
    keys_begin_ = undo.keys_begin;
    --ply_;
    undo_.pop_back();
  }

  void Observe(ObservationRow row) const { G::Observe(*rules_, state_, position_, history(), row); }
  // The full state: Observe itself unless the game hides something.
  void ObserveFull(ObservationRow row) const {
    if constexpr (G::kSpec.hidden_information) {
      static_assert(GameWithHiddenInformation<G>);
      G::ObserveFull(*rules_, state_, position_, history(), row);
    } else {
      Observe(row);
    }
  }
  Key128 StateKey() const { return G::StateKey(*rules_, state_, history()); }
  Key128 ObservationKey() const { return G::ObservationKey(*rules_, state_, history()); }

 private:
  struct Undo {
    State state;
    Position<Legal> position;
    std::size_t keys_size;
    std::size_t keys_begin;
  };
  // More than the turns without a capture or attack after which games are drawn by default. Where
  // limits let more pile up, the longest stretch so far allocates.
  static constexpr std::size_t kReservedKeys = 256;

  // Built in its place: the legal actions of a game may be large.
  void Examine() {
    static_assert(std::is_trivially_destructible_v<Position<Legal>>);
    ::new (&position_) Position<Legal>(G::Examine(*rules_, state_, history()));
  }

  // Remembers the position that `action` leaves.
  void Record([[maybe_unused]] Action action) {
    if constexpr (G::kSpec.uses_history) {
      static_assert(GameWithHistory<G>);
      if (G::CountsForHistory(*rules_, state_)) keys_.push_back(G::HistoryKey(*rules_, state_));
      if (G::Irreversible(*rules_, state_, action)) keys_begin_ = keys_.size();
    }
  }

  std::shared_ptr<const Rules> rules_;
  State start_;
  State state_;
  Position<Legal> position_;
  std::uint32_t ply_ = 0;
  std::vector<Undo> undo_;
  std::vector<Key128> keys_;
  std::size_t keys_begin_ = 0;
};

}  // namespace qirkat
