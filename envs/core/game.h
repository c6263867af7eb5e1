// What a game is: the concept that every game's type satisfies.
//
// A game is a type with static functions over a small, trivially copyable State. It holds no
// history: Line (line.h) is a game being played. A player may move several times in a row (a
// chain), so nobody may assume that the side to move alternates.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "envs/core/options.h"
#include "envs/core/random.h"
#include "envs/core/types.h"

namespace qirkat {

// The fixed facts of a game, known at compile time.
struct GameSpec {
  std::string_view name;
  int version;        // rises when rules, planes or action layout change; files carry it
  int columns, rows;  // squares = columns * rows; square = (rank - 1) * columns + file
  int policy_planes;  // action index = plane * squares + from_square …
  int policy_extras;  // … then the extra actions (pass, placements)
  // What plane and extra actions stand for, for a person: "kind · 8 + direction (kind 0 step …)".
  std::string_view action_layout;
  int max_legal;   // upper bound of legal actions in any position
  int symmetries;  // symmetry 0 is the identity; at most 8
  bool hidden_information;
  bool uses_history;  // Examine looks at History::keys (repetition, the chase rule)
  // How boards are shown. The names of the players may stay empty, and so may the square texts of
  // the dark and the light piece, which are for games whose pieces are all alike.
  bool rank_1_on_top = false;
  std::array<std::string_view, 2> player_names = {};
  std::array<std::string_view, 2> disc_texts = {};

  constexpr int squares() const { return columns * rows; }
  constexpr int policy_size() const { return policy_planes * squares() + policy_extras; }
  constexpr int legal_bytes() const { return (policy_size() + 7) / 8; }
  // `planes` bit planes: bit plane * squares + square, little-endian bits, no padding between
  // planes.
  constexpr int plane_bytes(int planes) const { return (planes * squares() + 7) / 8; }
};

// What a position's past adds to it. Keys are those of G::HistoryKey since the last irreversible
// action, oldest first, without the position itself.
struct History {
  std::uint32_t ply = 0;  // plies since the start of the record
  std::span<const Key128> keys = {};
};

// Where Observe writes one row, every byte of it.
struct ObservationRow {
  std::uint8_t* planes;  // [spec.plane_bytes(plane count)] bit planes, mover's view
  float* scalars;        // [scalar count] each in [0, 1]
};

// Legal actions as a plain list, for games that have no denser form.
template <int kCapacity>
class ActionList {
 public:
  void Add(Action action) { actions_[size_++] = action; }
  void Clear() { size_ = 0; }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Action operator[](int k) const { return actions_[k]; }
  bool Contains(Action action) const {
    for (int k = 0; k < size_; ++k) {
      if (actions_[k] == action) return true;
    }
    return false;
  }

 private:
  std::uint16_t size_ = 0;
  std::array<Action, kCapacity> actions_;
};

// The legal actions of a position: each once, in an order that depends on the position alone.
template <class L>
concept LegalActions = std::copyable<L> && requires(const L& legal, int k, Action action) {
  { legal.size() } -> std::convertible_to<int>;
  { legal.empty() } -> std::same_as<bool>;
  { legal[k] } -> std::same_as<Action>;
  { legal.Contains(action) } -> std::same_as<bool>;
};

// Those that write their mask faster than action by action: [legal_bytes], as `player` sees it.
template <class L>
concept LegalActionsWithMask = LegalActions<L> &&
    requires(const L& legal, Player player, std::uint8_t* mask) {
  { legal.WriteMask(player, mask) } -> std::same_as<void>;
};

// What is computed once per position: its legal actions (none if it is over), whether it is over,
// and, in games with repetition, how often it has stood before where a turn starts.
template <class Legal>
struct Position {
  Legal legal;
  Outcome outcome;
  int earlier_occurrences = 0;
};

template <class G>
concept Game = std::is_trivially_copyable_v<typename G::State> && LegalActions<typename G::Legal> &&
    std::default_initializable<typename G::Options> &&
    requires(const typename G::Options& options, const typename G::Rules& rules,
             const typename G::State& state, typename G::State& mutable_state,
             const Position<typename G::Legal>& position, const History& history,
             ObservationRow row, RandomStream& random, std::string_view text, Action action,
             Player player, int index) {
  // Facts.
  { G::kSpec } -> std::convertible_to<GameSpec>;
  { G::PlaneNames() } -> std::convertible_to<std::span<const std::string_view>>;
  { G::ScalarNames() } -> std::convertible_to<std::span<const std::string_view>>;
  // Rule options as the user sets them (an options struct, options.h) and as the rules read them.
  // Throws UserError for a value that no table can refuse (an illegal start text, say).
  { G::MakeRules(options) } -> std::same_as<typename G::Rules>;

  // The start position; `random` is the game's own stream and is read only for chance setups.
  { G::Start(rules, random) } -> std::same_as<typename G::State>;
  // Exact inverses of each other; ParsePosition throws UserError with the reason and the place.
  { G::ParsePosition(rules, text) } -> std::same_as<typename G::State>;
  { G::PositionText(rules, state) } -> std::same_as<std::string>;
  // Of any index below policy_size; those of a position's legal actions differ.
  { G::ActionText(rules, state, action) } -> std::same_as<std::string>;
  // What stands on a square, in a few ASCII characters; "" if it is empty.
  { G::SquareText(rules, state, index) } -> std::same_as<std::string>;

  { G::ToMove(state) } -> std::same_as<Player>;
  // Plays a legal action.
  { G::Apply(rules, mutable_state, action) } -> std::same_as<void>;
  { G::Examine(rules, state, history) } -> std::same_as<Position<typename G::Legal>>;

  // Full state: everything that decides the future. Observation: what the network sees.
  { G::StateKey(rules, state, history) } -> std::same_as<Key128>;
  { G::ObservationKey(rules, state, history) } -> std::same_as<Key128>;
  { G::Observe(rules, state, position, history, row) } -> std::same_as<void>;

  // Absolute index <-> mover's view; its own inverse for a fixed player.
  { G::MoverView(action, player) } -> std::same_as<Action>;
  // Symmetries in the mover's view: where a square and an action go. SymmetryMask: bit s is set
  // if symmetry s keeps the rules and the phase of this state.
  { G::MapSquare(index, index) } -> std::same_as<int>;
  { G::MapAction(index, action) } -> std::same_as<Action>;
  { G::SymmetryMask(rules, state) } -> std::same_as<std::uint8_t>;
};

// Only games with spec.uses_history: the key that Line collects, and which actions empty the
// history.
template <class G>
concept GameWithHistory = Game<G> &&
    requires(const typename G::Rules& rules, const typename G::State& state, Action action) {
  { G::HistoryKey(rules, state) } -> std::same_as<Key128>;
  { G::CountsForHistory(rules, state) } -> std::same_as<bool>;      // a turn starts here, say
  { G::Irreversible(rules, state, action) } -> std::same_as<bool>;  // state: before the action
};

// Only games with spec.hidden_information. A state is where the pieces stand and what each of them
// is; a player knows the former and only part of the latter. Another possible world is the same
// state with other unknowns.
template <class G>
concept GameWithHiddenInformation = Game<G> &&
    requires(const typename G::Rules& rules, const typename G::State& state,
             const Position<typename G::Legal>& position, const History& history,
             ObservationRow row, RandomStream& random, Player player, int index) {
  // The position as a player may know it. It is no position text.
  { G::ViewText(rules, state, player) } -> std::same_as<std::string>;
  // What stands on a square, as SquareText, as far as a player may know it.
  { G::ViewSquareText(rules, state, player, index) } -> std::same_as<std::string>;
  // A world drawn uniformly from those that agree with all that `player` has seen. Depends on
  // nothing that is hidden from him; what he sees, legal actions and histories stay.
  { G::DrawWorld(rules, state, player, random) } -> std::same_as<typename G::State>;
  // As Observe, with planes behind its own that show the mover all that is hidden from him: for
  // trainers of belief models, never for players. The row holds FullPlaneNames() planes.
  { G::FullPlaneNames() } -> std::convertible_to<std::span<const std::string_view>>;
  { G::ObserveFull(rules, state, position, history, row) } -> std::same_as<void>;
};

// What a position is worth if both play their best, for player 0.
struct EndgameValue {
  std::int8_t result = 0;   // as Outcome::result
  std::int32_t score = 0;   // as Outcome::score under the same rules
  Action best = kNoAction;  // a legal action that reaches it; kNoAction if the game is over
  static constexpr Action kNoAction = 0xFFFF;
};

// Called now and then with the nodes searched so far; what it throws ends the search, and the
// solver stays usable.
using EndgameObserver = std::function<void(std::uint64_t nodes)>;

// Optional: a game that can find the exact value of its late positions. EndgameSolver is made with
// the bytes of its hash table (0: none), allocates nothing after that, and may be copied. Values
// depend on the position alone, whatever was solved before; which of several best actions is named
// may not.
template <class G>
concept GameWithEndgameSolver = Game<G> && std::copyable<typename G::EndgameSolver> &&
    std::constructible_from<typename G::EndgameSolver, std::size_t> &&
    requires(const typename G::Rules& rules, const typename G::State& state, const History& history,
             typename G::EndgameSolver& solver, EndgameObserver observer) {
  // Empty squares, or what else the cost grows with: by a constant factor for each. kNoEndgame
  // where values do not follow from the state alone (a limit of plies can decide).
  { G::EndgameEmpties(rules, state, history) } -> std::same_as<int>;
  // The rule options that the scores in files of solved positions suppose (.obf), as in --set; the
  // others do not change them. Empty if there are no such files.
  { G::EndgameFileRules() } -> std::same_as<OptionTexts>;
  // Only where EndgameEmpties is less than kNoEndgame.
  { solver.Solve(rules, state) } -> std::same_as<EndgameValue>;
  // Positions searched since the solver was made.
  { solver.nodes() } -> std::same_as<std::uint64_t>;
  { solver.set_observer(observer) } -> std::same_as<void>;
};
inline constexpr int kNoEndgame = std::numeric_limits<int>::max();

}  // namespace qirkat
