// Superlogo (docs/rules.md). Yellow is player 0.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/game.h"
#include "envs/core/grid.h"
#include "envs/core/limits.h"
#include "envs/core/plane_actions.h"
#include "envs/core/small_board.h"

namespace qirkat {

struct SuperlogoOptions {
  std::string start = "sssss/lltll/ll1LL/LLTLL/SSSSS y - 0,0 0";
  bool step_after_capture = true;
  std::int64_t no_capture_limit = 80;
  std::int64_t max_plies = 600;
  static const std::vector<Option<SuperlogoOptions>>& Table();
};

class Superlogo {
 public:
  using Board = Grid<5, 5>;
  using Layout = ActionLayout<Board, /*kKindCount=*/4, /*kDirectionCount=*/4, 1, 1>;

  static constexpr GameSpec kSpec = {.name = "superlogo",
                                     .version = 1,
                                     .columns = Board::kColumns,
                                     .rows = Board::kRows,
                                     .policy_planes = Layout::kPlanes,
                                     .policy_extras = Layout::kExtras,
                                     .action_layout =
                                         "plane = kind · 4 + direction N E S W; kind 0 step, "
                                         "1 two steps, 2 jump or hop, 3 run-up jump; pass",
                                     .max_legal = 68,  // 2 a super and direction, 1 for the others
                                     .symmetries = 8,
                                     .hidden_information = false,
                                     .uses_history = true,
                                     .player_names = {"yellow, capitals", "brown, small letters"}};
  static constexpr Action kPass = Layout::kFirstExtra;

  static constexpr std::uint8_t kNoCell = Board::kSquares;
  struct State {
    BoardPair<Board> supers;
    BoardPair<Board> lows;
    std::uint32_t quiet = 0;                    // plies since the last capture
    std::uint8_t stop[2] = {kNoCell, kNoCell};  // the cell of each player's stop, or kNoCell
    std::uint8_t stop_count[2] = {0, 0};        // the last turns in a row that moved it, 0 … 2
    std::uint8_t chain = kNoCell;               // the cell of the super that may go on, or kNoCell
    bool chain_step = false;                    // the chain may end with a plain step
    Player to_move = 0;
    bool both_pass = false;  // the forced pass just made meets another one
  };
  static_assert(sizeof(State) == 32);

  using Options = SuperlogoOptions;
  struct Rules {
    bool step_after_capture;
    Limit no_capture_limit;
    Limit max_plies;
    State start;
  };

  using Legal = PlaneActions<Layout::kPlanes, Board::kSquares>;

  static std::span<const std::string_view> PlaneNames();
  static std::span<const std::string_view> ScalarNames();
  static Rules MakeRules(const Options& options);

  static State Start(const Rules& rules, RandomStream&) { return rules.start; }
  static State ParsePosition(const Rules& rules, std::string_view text);
  static std::string PositionText(const Rules& rules, const State& state);
  static std::string ActionText(const Rules& rules, const State& state, Action action);
  static std::string SquareText(const Rules& rules, const State& state, int square);

  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules& rules, State& state, Action action);
  static Position<Legal> Examine(const Rules& rules, const State& state, const History& history);

  // A turn's position: board, side to move and stop counts, exact.
  static Key128 HistoryKey(const Rules&, const State& state) {
    // 14 bits: as many as a pair of boards leaves free.
    const auto stops = static_cast<std::uint64_t>(
        state.stop[0] | state.stop[1] << 5 | state.stop_count[0] << 10 | state.stop_count[1] << 12);
    static_assert(BoardPair<Board>::kGapBits == 14);
    return {state.supers.bits() | stops << Board::kSquares,
            state.lows.bits() | std::uint64_t{state.to_move} << Board::kSquares};
  }
  static bool CountsForHistory(const Rules&, const State& state) { return state.chain == kNoCell; }
  static bool Irreversible(const Rules&, const State& state, Action action) {
    return Takes(state, action);
  }

  static Key128 StateKey(const Rules& rules, const State& state, const History& history) {
    return WithHistory(PlaceKey(rules, state, history), history.keys);
  }
  static Key128 ObservationKey(const Rules& rules, const State& state, const History& history) {
    const auto earlier = static_cast<std::uint64_t>(Earlier(rules, state, history));
    const Key128 key = PlaceKey(rules, SeenByMover(state), history);
    return {key.lo, key.hi ^ earlier << 32};
  }
  static void Observe(const Rules& rules, const State& state, const Position<Legal>& position,
                      const History& history, ObservationRow row);

  static Action MoverView(Action action, Player player) {
    return Layout::MoverView(action, player);
  }
  static int MapSquare(int symmetry, int square) { return Board::MapSquare(symmetry, square); }
  static Action MapAction(int symmetry, Action action) { return Layout::Map(symmetry, action); }
  static std::uint8_t SymmetryMask(const Rules&, const State&) { return 0xFF; }

 private:
  using View = Lookout<Board, 4>;
  using Directions = std::array<SmallBoard, 4>;
  // Of an action; a plane is kind * 4 + direction.
  enum Kind { kStep, kTwoSteps, kJump, kRunUpJump };  // kJump: hops too

  static constexpr int kMaxLows = 6;
  static constexpr SmallBoard kFull = BitOf(Board::kSquares) - 1;

  // Everything of a position that the player to move looks at.
  struct Sight {
    explicit Sight(const State& state)
        : supers(state.supers[state.to_move]),
          lows(state.lows[state.to_move]),
          prey(state.supers[Opponent(state.to_move)] | state.lows[Opponent(state.to_move)]),
          stops(StopBoard(state)),
          empty(kFull & ~(supers | lows | prey | stops)) {
      if (state.stop_count[state.to_move] < 2) movable_stop = CellBoard(state.stop[state.to_move]);
    }
    SmallBoard supers, lows;  // own
    SmallBoard prey;          // what can be taken
    SmallBoard stops;         // of both players
    SmallBoard empty;
    SmallBoard movable_stop = 0;
  };

  // Empty for kNoCell.
  static SmallBoard CellBoard(std::uint8_t cell) { return BitOf(cell) & kFull; }
  static SmallBoard StopBoard(const State& state) {
    return CellBoard(state.stop[0]) | CellBoard(state.stop[1]);
  }
  static bool Takes(const State& state, Action action);
  // Whether a super on `cell` can take, or step if the chain may end so.
  static bool CanGoOn(const State& state, std::uint8_t cell);
  static void EndTurn(State& state) {
    state.chain = kNoCell;
    state.chain_step = false;
    state.to_move = Opponent(state.to_move);
  }
  static void Pass(State& state);
  // Removes or converts the piece on a cell; taken by a super or a low of the side to move.
  static void Take(State& state, SmallBoard cell, bool by_low);
  // Actions of a turn's first ply, without the forced pass.
  static Legal TurnActions(const Sight& sight);
  static Legal ChainActions(const State& state, const Sight& sight);

  // The position as player 0 would see it from the mover's side.
  static State SeenByMover(const State& state);
  // Board, side to move, stop counts and chain, exact, with the counters that can decide mixed in.
  static Key128 PlaceKey(const Rules& rules, const State& state, const History& history) {
    const Key128 turn = HistoryKey(rules, state);
    const std::uint64_t chain = state.chain | std::uint64_t{state.chain_step} << 5;
    return Counters(rules, state, history)
        .MixedInto({turn.lo, turn.hi | chain << 26}, CapturesLeft(state));
  }

  static DrawCounters Counters(const Rules& rules, const State& state, const History& history) {
    return {state.quiet, rules.no_capture_limit, history.ply, rules.max_plies};
  }
  static int Earlier(const Rules& rules, const State& state, const History& history) {
    if (state.chain != kNoCell) return 0;
    return EarlierOccurrences(history.keys, HistoryKey(rules, state));
  }
  // No more captures than these can still come: a super can be converted and then taken.
  static std::uint32_t CapturesLeft(const State& state) {
    return static_cast<std::uint32_t>(2 * std::popcount(state.supers.bits()) +
                                      std::popcount(state.lows.bits()));
  }
};

inline bool Superlogo::Takes(const State& state, Action action) {
  if (action >= kPass) return false;
  const int kind = action / (4 * Board::kSquares);
  if (kind != kJump) return kind == kRunUpJump;
  const int direction = action / Board::kSquares % 4;
  const int over = action % Board::kSquares + View::kStep[direction];
  return (StopBoard(state) & BitOf(over)) == 0;
}

inline Superlogo::Legal Superlogo::TurnActions(const Sight& sight) {
  const SmallBoard steppers = sight.supers | sight.lows | sight.movable_stop;
  const SmallBoard jumpers = sight.supers | sight.lows;
  const SmallBoard jumped = sight.prey | sight.stops;
  std::array<SmallBoard, Layout::kPlanes> from;
  for (int d = 0; d < 4; ++d) {
    const SmallBoard free_1 = View::Ahead(sight.empty, d, 1);
    const SmallBoard free_2 = View::Ahead(sight.empty, d, 2);
    from[4 * kStep + d] = steppers & free_1;
    from[4 * kTwoSteps + d] = sight.supers & free_1 & free_2;
    from[4 * kJump + d] = jumpers & View::Ahead(jumped, d, 1) & free_2;
    from[4 * kRunUpJump + d] =
        sight.supers & free_1 & View::Ahead(sight.prey, d, 2) & View::Ahead(sight.empty, d, 3);
  }
  Legal legal;
  legal.AddPlanes<Layout::kPlanes>(0, from);
  return legal;
}

inline Superlogo::Legal Superlogo::ChainActions(const State& state, const Sight& sight) {
  const SmallBoard self = BitOf(state.chain);
  Directions steps, jumps;
  for (int d = 0; d < 4; ++d) {
    steps[d] = state.chain_step ? self & View::Ahead(sight.empty, d, 1) : 0;
    jumps[d] = self & View::Ahead(sight.prey, d, 1) & View::Ahead(sight.empty, d, 2);
  }
  Legal legal;
  legal.AddPlanes<4>(4 * kStep, steps);
  legal.AddPlanes<4>(4 * kJump, jumps);
  legal.AddPass();
  return legal;
}

inline Position<Superlogo::Legal> Superlogo::Examine(const Rules& rules, const State& state,
                                                     const History& history) {
  Position<Legal> position;
  const int yellow = std::popcount(state.supers[0]);
  const int brown = std::popcount(state.supers[1]);
  position.outcome.score = yellow - brown;
  position.earlier_occurrences = Earlier(rules, state, history);

  EndReason& reason = position.outcome.reason;
  if (yellow == 0 || brown == 0) [[unlikely]] {
    reason = EndReason::kLastSuper;
    position.outcome.result = yellow == 0 ? -1 : 1;
  } else if (state.both_pass) [[unlikely]] {
    reason = EndReason::kBothPass;
  } else {
    reason = DrawReason(position.earlier_occurrences, EndReason::kNoCapture,
                        Counters(rules, state, history));
  }
  if (reason != EndReason::kNone) [[unlikely]]
    return position;

  const Sight sight(state);
  if (state.chain != kNoCell) {
    position.legal = ChainActions(state, sight);
  } else {
    position.legal = TurnActions(sight);
    if (position.legal.empty()) position.legal.AddPass();
  }
  return position;
}

}  // namespace qirkat
