// Alquerque (docs/rules.md). Light is player 0.
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
#include "envs/core/plane_writer.h"
#include "envs/core/small_board.h"

namespace qirkat {

struct AlquerqueOptions {
  std::int64_t no_capture_limit = 80;
  std::int64_t max_plies = 600;
  static const std::vector<Option<AlquerqueOptions>>& Table();
};

class Alquerque {
 public:
  using Board = Grid<5, 5>;
  using Layout = ActionLayout<Board, /*kKindCount=*/2, /*kDirectionCount=*/8, 1, 0>;

  static constexpr GameSpec kSpec = {.name = "alquerque",
                                     .version = 1,
                                     .columns = Board::kColumns,
                                     .rows = Board::kRows,
                                     .policy_planes = Layout::kPlanes,
                                     .policy_extras = Layout::kExtras,
                                     .action_layout =
                                         "plane = kind · 8 + direction N NE E SE S SW W NW; "
                                         "kind 0 step, 1 jump",
                                     .max_legal = 96,
                                     .symmetries = 8,
                                     .hidden_information = false,
                                     .uses_history = true,
                                     .player_names = {"light, l", "dark, d"},
                                     .disc_texts = {"d", "l"}};

  using Options = AlquerqueOptions;
  struct Rules {
    Limit no_capture_limit;
    Limit max_plies;
  };

  static constexpr std::uint8_t kNoChain = Board::kSquares;
  struct State {
    BoardPair<Board> stones;
    std::uint32_t quiet;  // plies since the last capture
    std::uint8_t chain;   // the square that must go on jumping, or kNoChain
    Player to_move;
    std::uint16_t unused;  // no padding: equal states have equal bytes
  };
  static_assert(sizeof(State) == 16);

  using Legal = PlaneActions<Layout::kPlanes, Board::kSquares>;

  static std::span<const std::string_view> PlaneNames();
  static std::span<const std::string_view> ScalarNames();
  static Rules MakeRules(const Options& options) {
    return {MakeLimit(options.no_capture_limit), MakeLimit(options.max_plies)};
  }

  static State Start(const Rules& rules, RandomStream& random);
  static State ParsePosition(const Rules& rules, std::string_view text);
  static std::string PositionText(const Rules& rules, const State& state);
  static std::string ActionText(const Rules& rules, const State& state, Action action);
  static std::string SquareText(const Rules& rules, const State& state, int square);

  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules& rules, State& state, Action action);
  static Position<Legal> Examine(const Rules& rules, const State& state, const History& history);

  // A turn's position: board and side to move, exact.
  static Key128 HistoryKey(const Rules&, const State& state) {
    return {state.stones.bits() | std::uint64_t{state.to_move} << Board::kSquares, 0};
  }
  static bool CountsForHistory(const Rules&, const State& state) { return state.chain == kNoChain; }
  static bool Irreversible(const Rules&, const State&, Action action) { return IsJump(action); }

  static Key128 StateKey(const Rules& rules, const State& state, const History& history) {
    return WithHistory(PlaceKey(rules, state, history), history.keys);
  }
  // Exact.
  static Key128 ObservationKey(const Rules& rules, const State& state, const History& history) {
    const auto earlier = static_cast<std::uint64_t>(Earlier(rules, state, history));
    const Key128 key = PlaceKey(rules, SeenByMover(state), history);
    return {key.lo | earlier << 31, key.hi};
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
  using View = Lookout<Board, 8>;
  using Directions = std::array<SmallBoard, 8>;

  static constexpr int kJumpPlane = 8;  // of direction N
  static constexpr SmallBoard kFull = BitOf(Board::kSquares) - 1;
  // Points where file index + rank index is even: lines run in all eight directions.
  static constexpr SmallBoard kStrong = 0x1555555;
  static constexpr Directions kLines = {kFull, kStrong, kFull, kStrong,
                                        kFull, kStrong, kFull, kStrong};

  static bool IsJump(Action action) { return action >= kJumpPlane * Board::kSquares; }

  // For every direction, which of `stones` can step or jump.
  static Directions Steps(SmallBoard stones, SmallBoard empty) {
    Directions steps;
    for (int d = 0; d < 8; ++d) steps[d] = stones & kLines[d] & View::Ahead(empty, d, 1);
    return steps;
  }
  static Directions Jumps(SmallBoard stones, SmallBoard enemy, SmallBoard empty) {
    Directions jumps;
    for (int d = 0; d < 8; ++d) {
      jumps[d] = stones & kLines[d] & View::Ahead(enemy, d, 1) & View::Ahead(empty, d, 2);
    }
    return jumps;
  }
  static SmallBoard Any(const Directions& from) {
    SmallBoard any = 0;
    for (const SmallBoard board : from) any |= board;
    return any;
  }

  // The position as player 0 would see it from the mover's side.
  static State SeenByMover(const State& state) {
    if (state.to_move == 0) return state;
    return {state.stones.HalfTurnedAndSwapped(), state.quiet, HalfTurned<Board>(state.chain), 0, 0};
  }
  // Exact, but for the past: board, side to move, chain, and the counters that can decide.
  static Key128 PlaceKey(const Rules& rules, const State& state, const History& history) {
    return {HistoryKey(rules, state).lo | std::uint64_t{state.chain} << 26,
            Counters(rules, state, history).DecidingBits(CapturesLeft(state))};
  }

  static DrawCounters Counters(const Rules& rules, const State& state, const History& history) {
    return {state.quiet, rules.no_capture_limit, history.ply, rules.max_plies};
  }
  static int Earlier(const Rules& rules, const State& state, const History& history) {
    if (state.chain != kNoChain) return 0;
    return EarlierOccurrences(history.keys, HistoryKey(rules, state));
  }
  // No more captures than these can still come.
  static std::uint32_t CapturesLeft(const State& state) {
    return static_cast<std::uint32_t>(std::popcount(state.stones.bits()));
  }
};

inline void Alquerque::Apply(const Rules&, State& state, Action action) {
  const int plane = action / Board::kSquares;
  const int from = action % Board::kSquares;
  const int step = View::kStep[plane % 8];
  const Player mover = state.to_move;
  const Player other = Opponent(mover);
  state.chain = kNoChain;
  if (plane < kJumpPlane) {
    state.stones.Toggle(mover, BitOf(from) | BitOf(from + step));
    ++state.quiet;
    state.to_move = other;
    return;
  }
  const int to = from + 2 * step;
  state.stones.Toggle(mover, BitOf(from) | BitOf(to));
  state.stones.Toggle(other, BitOf(from + step));
  state.quiet = 0;
  const SmallBoard empty = kFull & ~state.stones.both();
  if (Any(Jumps(BitOf(to), state.stones[other], empty)) != 0) {
    state.chain = static_cast<std::uint8_t>(to);
  } else {
    state.to_move = other;
  }
}

inline Position<Alquerque::Legal> Alquerque::Examine(const Rules& rules, const State& state,
                                                     const History& history) {
  Position<Legal> position;
  const SmallBoard own = state.stones[state.to_move];
  const SmallBoard enemy = state.stones[Opponent(state.to_move)];
  const SmallBoard empty = kFull & ~(own | enemy);
  const int light = std::popcount(state.stones[0]);
  const int dark = std::popcount(state.stones[1]);
  position.outcome.score = light - dark;
  position.earlier_occurrences = Earlier(rules, state, history);

  const SmallBoard movers = state.chain == kNoChain ? own : BitOf(state.chain);
  const Directions jumps = Jumps(movers, enemy, empty);
  if (Any(jumps) != 0) {
    position.legal.AddPlanes<8>(kJumpPlane, jumps);
  } else {
    position.legal.AddPlanes<8>(0, Steps(movers, empty));
  }

  EndReason& reason = position.outcome.reason;
  if (light == 0 || dark == 0) [[unlikely]] {
    reason = EndReason::kCaptureAll;
    position.outcome.result = light == 0 ? -1 : 1;
  } else if (position.legal.empty()) [[unlikely]] {
    reason = EndReason::kBlocked;
    position.outcome.result = state.to_move == 0 ? -1 : 1;
  } else {
    reason = DrawReason(position.earlier_occurrences, EndReason::kNoCapture,
                        Counters(rules, state, history));
  }
  if (reason != EndReason::kNone) [[unlikely]]
    position.legal = {};
  return position;
}

inline void Alquerque::Observe(const Rules& rules, const State& state,
                               const Position<Legal>& position, const History& history,
                               ObservationRow row) {
  const State seen = SeenByMover(state);
  PlaneWriter planes(row.planes);
  planes.Add(seen.stones[0], Board::kSquares);
  planes.Add(seen.stones[1], Board::kSquares);
  planes.Add(BitOf(seen.chain) & kFull, Board::kSquares);
  planes.Add(kStrong, Board::kSquares);
  planes.Finish();
  const DrawCounters counters = Counters(rules, state, history);
  row.scalars[0] = ShareOfLimit(counters.DecidingQuiet(), rules.no_capture_limit);
  row.scalars[1] = ShareOfLimit(counters.DecidingPly(CapturesLeft(state)), rules.max_plies);
  row.scalars[2] = ShareOfLimit(static_cast<std::uint32_t>(position.earlier_occurrences), 2);
}

}  // namespace qirkat
