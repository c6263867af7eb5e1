// Tic-tac-toe, the worked example of docs/adding_a_game.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/game.h"

namespace qirkat {

struct TicTacToeOptions {
  bool misere = false;
  static const std::vector<Option<TicTacToeOptions>>& Table();
};

class TicTacToe {
 public:
  static constexpr GameSpec kSpec = {.name = "tictactoe",
                                     .version = 1,
                                     .columns = 3,
                                     .rows = 3,
                                     .policy_planes = 1,
                                     .policy_extras = 0,
                                     .action_layout = "square of the mark",
                                     .max_legal = 9,
                                     .symmetries = 8,
                                     .hidden_information = false,
                                     .uses_history = false,
                                     .disc_texts = {"x", "o"}};

  using Options = TicTacToeOptions;
  using Rules = TicTacToeOptions;  // nothing to compile
  using Legal = ActionList<9>;

  struct State {
    std::array<std::uint16_t, 2> stones;  // of each player, bit = square
    Player to_move;
    std::uint8_t unused;  // no padding: equal states have equal bytes
  };
  static_assert(sizeof(State) == 6);

  static std::span<const std::string_view> PlaneNames();
  static std::span<const std::string_view> ScalarNames() { return {}; }
  static Rules MakeRules(const Options& options) { return options; }

  static State Start(const Rules&, RandomStream&) { return {}; }
  static State ParsePosition(const Rules& rules, std::string_view text);
  static std::string PositionText(const Rules& rules, const State& state);
  static std::string ActionText(const Rules& rules, const State& state, Action action);
  static std::string SquareText(const Rules& rules, const State& state, int square);

  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules&, State& state, Action action) {
    state.stones[state.to_move] |= static_cast<std::uint16_t>(1u << action);
    state.to_move = Opponent(state.to_move);
  }
  static Position<Legal> Examine(const Rules& rules, const State& state, const History& history);

  static Key128 StateKey(const Rules&, const State& state, const History&) {
    return {state.stones[0], std::uint64_t{state.stones[1]} << 1 | state.to_move};
  }
  static Key128 ObservationKey(const Rules&, const State& state, const History&) {
    return {state.stones[state.to_move], state.stones[Opponent(state.to_move)]};
  }
  static void Observe(const Rules& rules, const State& state, const Position<Legal>& position,
                      const History& history, ObservationRow row);

  static Action MoverView(Action action, Player) { return action; }
  static int MapSquare(int symmetry, int square);
  static Action MapAction(int symmetry, Action action) {
    return static_cast<Action>(MapSquare(symmetry, action));
  }
  static std::uint8_t SymmetryMask(const Rules&, const State&) { return 0xFF; }
};

}  // namespace qirkat
