// Super 1 al 5 (docs/rules.md). Light is player 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/game.h"
#include "envs/core/grid.h"
#include "envs/core/limits.h"
#include "envs/core/mask_actions.h"
#include "envs/core/wide_board.h"

namespace qirkat {

struct Super1al5Options {
  std::string start =
      "d2,d3,d4,d5,d5,d4,d3,d2/d1,d1,d1,d1,d1,d1,d1,d1/8/8/8/8/8/8/"
      "l1,l1,l1,l1,l1,l1,l1,l1/l2,l3,l4,l5,l5,l4,l3,l2 l 0";
  std::string marked = "d5,e5,d6,e6";
  std::string super_quiet_range = "number";
  std::int64_t few_pieces = 4;
  std::int64_t no_capture_limit = 80;
  std::int64_t max_plies = 600;
  static const std::vector<Option<Super1al5Options>>& Table();
};

class Super1al5 {
 public:
  using Board = Grid<8, 10>;
  using Layout = ActionLayout<Board, /*kKindCount=*/1, /*kDirectionCount=*/8,
                              /*kDistanceCount=*/9, /*kExtraCount=*/1>;
  static constexpr int kMaxPieces = 16;  // of a player
  static constexpr int kMaxNumber = 5;
  static constexpr std::uint32_t kSuperPoints = 10;

  // At most 30 squares lie on the lines through a square.
  static constexpr GameSpec kSpec = {.name = "super1al5",
                                     .version = 1,
                                     .columns = Board::kColumns,
                                     .rows = Board::kRows,
                                     .policy_planes = Layout::kPlanes,
                                     .policy_extras = Layout::kExtras,
                                     .action_layout =
                                         "plane = direction N NE E SE S SW W NW · 9 + "
                                         "distance - 1, to where the piece stops; pass",
                                     .max_legal = 30 * kMaxPieces,
                                     .symmetries = 4,
                                     .hidden_information = false,
                                     .uses_history = true,
                                     .player_names = {"light, l", "dark, d"}};
  static constexpr Action kPass = Layout::kFirstExtra;

  // Boards, of which each holds one bit of what a piece is: the three of its number, whether it is
  // player 1's, whether it is a Super. An occupied cell has a number.
  enum Layer { kNumber1, kNumber2, kNumber4, kDark, kSuper };
  using Layers = std::array<WideBoard, 5>;
  // What a piece is: bit i is that of layer i.
  using Kind = std::uint32_t;

  // Points never overflow 16 bits: a taker gains what the taken had as numbers and points, so the
  // sum of all numbers and points on the board never changes, and a text holds at most
  // 32 · (5 + 999) = 32128.
  struct State {
    Layers layers = {};
    Key128 pieces_key;  // of all pieces, in player 0's view
    // Of every piece: its cell and its points; kNoCell and 0 if it was taken.
    std::array<std::uint8_t, 2 * kMaxPieces> cells = NoCells();
    std::array<std::uint16_t, 2 * kMaxPieces> points = {};
    std::array<std::uint16_t, 2> total_points = {};  // of each player
    std::uint32_t quiet = 0;                         // plies since the last capture
    Player to_move = 0;
    bool both_pass = false;  // the pass just made meets another one
  };
  static_assert(sizeof(State) == 208);

  using Options = Super1al5Options;
  struct Rules {
    bool unlimited_quiet;  // a Super's quiet moves
    int few_pieces;
    Limit no_capture_limit;
    Limit max_plies;
    State start;
    std::array<WideBoard, 2> marked = {};  // as each player sees it
    std::uint8_t symmetries = 0;           // those that the marked cells have
  };

  using Legal = MaskActions<Layout>;

  static std::span<const std::string_view> PlaneNames();
  static std::span<const std::string_view> ScalarNames();
  static Rules MakeRules(const Options& options);

  // Throws UserError if a piece of the start stands on a marked cell.
  static State Start(const Rules& rules, RandomStream&);
  static State ParsePosition(const Rules& rules, std::string_view text);
  static std::string PositionText(const Rules& rules, const State& state);
  static std::string ActionText(const Rules& rules, const State& state, Action action);
  static std::string SquareText(const Rules& rules, const State& state, int square);

  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules& rules, State& state, Action action);
  static Position<Legal> Examine(const Rules& rules, const State& state, const History& history);

  // Board with points and Supers, and side to move.
  static Key128 HistoryKey(const Rules&, const State& state) {
    return {state.pieces_key.lo ^ state.to_move, state.pieces_key.hi};
  }
  static bool CountsForHistory(const Rules&, const State&) { return true; }
  static bool Irreversible(const Rules&, const State& state, Action action) {
    return Taken(state, action) != 0;
  }

  static Key128 StateKey(const Rules& rules, const State& state, const History& history) {
    const Key128 place = WithCounters(HistoryKey(rules, state), rules, state, history);
    return WithHistory(place, history.keys);
  }
  static Key128 ObservationKey(const Rules& rules, const State& state, const History& history);
  static void Observe(const Rules& rules, const State& state, const Position<Legal>& position,
                      const History& history, ObservationRow row);

  static Action MoverView(Action action, Player player) {
    return Layout::MoverView(action, player);
  }
  static int MapSquare(int symmetry, int square) { return Board::MapSquare(symmetry, square); }
  static Action MapAction(int symmetry, Action action) { return Layout::Map(symmetry, action); }
  static std::uint8_t SymmetryMask(const Rules& rules, const State&) { return rules.symmetries; }

 private:
  using Lines = WideLines<Board>;
  struct Sight;

  static constexpr std::uint8_t kNoCell = Board::kSquares;
  static constexpr std::array<std::uint8_t, 2 * kMaxPieces> NoCells() {
    std::array<std::uint8_t, 2 * kMaxPieces> cells;
    cells.fill(kNoCell);
    return cells;
  }

  static WideBoard Occupied(const Layers& layers) {
    return layers[kNumber1] | layers[kNumber2] | layers[kNumber4];
  }
  static WideBoard PiecesOf(const Layers& layers, Player player) {
    return player == 0 ? Occupied(layers) & ~layers[kDark] : layers[kDark];
  }
  // The pieces of every number: [n - 1] of those with number n.
  static std::array<WideBoard, kMaxNumber> ByNumber(const Layers& layers) {
    const auto& [n1, n2, n4, dark, supers] = layers;
    return {n1 & ~n2 & ~n4, n2 & ~n1, n2 & n1, n4 & ~n1, n4 & n1};
  }

  static Kind KindOn(const State& state, int cell);
  static int NumberOf(Kind kind) { return static_cast<int>(kind & 7); }
  // Which of the pieces stands on this cell, one of them does.
  static int PieceOn(const State& state, int cell);
  // Puts a piece on its cell of all boards and keys, or takes it away from there.
  static void Toggle(State& state, Kind kind, int piece);
  static Key128 PieceKey(Kind kind, std::uint32_t points, int cell) {
    const auto place = static_cast<std::uint64_t>(kind << 7 | static_cast<std::uint32_t>(cell));
    const std::uint64_t mixed = Mix64(std::uint64_t{points} << 12 | place);
    return {mixed, Mix64(mixed + 0x9E3779B97F4A7C15)};
  }
  // Adds a piece that a text names.
  static void Place(State& state, int piece, int cell, Kind kind, std::uint32_t points);

  // What an action takes.
  static WideBoard Taken(const State& state, Action action);
  // Everything but the forced pass.
  static void AddMoves(const Rules& rules, const State& state, Legal& legal);
  template <int kDirection>
  static void AddMovesTo(const Sight& sight, Legal& legal);
  // The result of a game that ends without a winner on the board.
  static void Stall(const Rules& rules, const State& state, Outcome& outcome);

  static Layers SeenByMover(const State& state);
  static DrawCounters Counters(const Rules& rules, const State& state, const History& history) {
    return {state.quiet, rules.no_capture_limit, history.ply, rules.max_plies};
  }
  static int Earlier(const Rules& rules, const State& state, const History& history) {
    return EarlierOccurrences(history.keys, HistoryKey(rules, state));
  }
  // No more captures than these can come before one that ends the game: both keep two pieces.
  static std::uint32_t CapturesLeft(const State& state) {
    return static_cast<std::uint32_t>(std::max(Count(Occupied(state.layers)) - 4, 0));
  }
  // The key with the counters that can decide mixed in.
  static Key128 WithCounters(const Key128& key, const Rules& rules, const State& state,
                             const History& history) {
    return Counters(rules, state, history).MixedInto(key, CapturesLeft(state));
  }
};

}  // namespace qirkat
