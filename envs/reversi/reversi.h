// Reversi (docs/rules.md). Black is player 0; the board is never turned, only own and enemy swap.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envs/core/game.h"
#include "envs/reversi/bitboard.h"
#include "envs/reversi/endgame_search.h"

namespace qirkat {

struct ReversiOptions {
  bool winner_takes_empties = false;
  std::int64_t max_plies = 128;
  static const std::vector<Option<ReversiOptions>>& Table();
};

class Reversi {
 public:
  using Bitboard = reversi::Bitboard;

  static constexpr GameSpec kSpec = {.name = "reversi",
                                     .version = 1,
                                     .columns = 8,
                                     .rows = 8,
                                     .policy_planes = 1,
                                     .policy_extras = 1,
                                     .action_layout = "square of the disc; pass",
                                     .max_legal = 64,
                                     .symmetries = 8,
                                     .hidden_information = false,
                                     .uses_history = false,
                                     .rank_1_on_top = true,
                                     .player_names = {"black, X", "white, O"},
                                     .disc_texts = {"X", "O"}};
  static constexpr Action kPass = 64;

  using Options = ReversiOptions;
  struct Rules {
    bool winner_takes_empties;
    std::uint32_t max_plies;  // the largest number if there is no limit
  };

  struct State {
    Bitboard discs[2];      // of black, of white
    std::uint64_t to_move;  // 0 black, 1 white
  };
  static_assert(sizeof(State) <= 32);

  // Squares in ascending order, or the pass.
  struct Legal {
    Bitboard squares = 0;
    bool pass = false;

    int size() const { return pass ? 1 : std::popcount(squares); }
    bool empty() const { return squares == 0 && !pass; }
    Action operator[](int k) const {
      if (pass) return kPass;
      return static_cast<Action>(std::countr_zero(_pdep_u64(Bitboard{1} << k, squares)));
    }
    bool Contains(Action action) const {
      return action < 64 ? (squares >> action & 1) != 0 : pass && action == kPass;
    }
  };

  static std::span<const std::string_view> PlaneNames();
  static std::span<const std::string_view> ScalarNames();
  static Rules MakeRules(const Options& options);

  static State Start(const Rules& rules, RandomStream& random);
  static State ParsePosition(const Rules& rules, std::string_view text);
  static std::string PositionText(const Rules& rules, const State& state);
  static std::string ActionText(const Rules& rules, const State& state, Action action);
  static std::string SquareText(const Rules& rules, const State& state, int square);

  static Player ToMove(const State& state) { return static_cast<Player>(state.to_move); }

  static void Apply(const Rules&, State& state, Action action) {
    if (action != kPass) {
      Bitboard& own = state.discs[state.to_move];
      Bitboard& enemy = state.discs[state.to_move ^ 1];
      const Bitboard flips = reversi::Flips(own, enemy, action);
      own ^= flips | Bitboard{1} << action;
      enemy ^= flips;
    }
    state.to_move ^= 1;
  }

  static Position<Legal> Examine(const Rules& rules, const State& state, const History& history) {
    Position<Legal> position;
    const Bitboard own = state.discs[state.to_move];
    const Bitboard enemy = state.discs[state.to_move ^ 1];
    position.outcome.score = std::popcount(state.discs[0]) - std::popcount(state.discs[1]);
    position.legal.squares = reversi::Mobility(own, enemy);
    if (position.legal.squares == 0) [[unlikely]] {
      position.legal.pass = reversi::Mobility(enemy, own) != 0;
      if (!position.legal.pass) {
        position.outcome = Final(rules, state);
        return position;
      }
    }
    if (history.ply >= rules.max_plies) [[unlikely]] {
      position.legal = {};
      position.outcome.reason = EndReason::kMaxPlies;
    }
    return position;
  }

  // Exact while max_plies cannot decide; the only positions that share a key are finished games
  // that differ in the side to move alone. Where it can, the ply is mixed in.
  static Key128 StateKey(const Rules& rules, const State& state, const History& history) {
    const Bitboard black = state.discs[0];
    const Bitboard white = state.discs[1];
    const Key128 key = {state.to_move == 0 ? black : black | white, white};
    return WithPly(rules, state, history, key);
  }
  static Key128 ObservationKey(const Rules& rules, const State& state, const History& history) {
    const Key128 key = {state.discs[state.to_move], state.discs[state.to_move ^ 1]};
    return WithPly(rules, state, history, key);
  }

  static void Observe(const Rules& rules, const State& state, const Position<Legal>& position,
                      const History& history, ObservationRow row) {
    const Bitboard planes[3] = {state.discs[state.to_move], state.discs[state.to_move ^ 1],
                                position.legal.squares};
    std::memcpy(row.planes, planes, sizeof(planes));
    row.scalars[0] = MaxPliesCanDecide(rules, state, history)
                         ? static_cast<float>(history.ply) / static_cast<float>(rules.max_plies)
                         : 0.0f;
  }

  static Action MoverView(Action action, Player) { return action; }
  static int MapSquare(int symmetry, int square);
  static Action MapAction(int symmetry, Action action) {
    return action == kPass ? kPass : static_cast<Action>(MapSquare(symmetry, action));
  }
  static std::uint8_t SymmetryMask(const Rules&, const State&) { return 0xFF; }

  static int EndgameEmpties(const Rules& rules, const State& state, const History& history) {
    return MaxPliesCanDecide(rules, state, history) ? kNoEndgame : Empties(state);
  }
  static OptionTexts EndgameFileRules() { return {{"winner_takes_empties", "on"}}; }
  class EndgameSolver {
   public:
    explicit EndgameSolver(std::size_t hash_bytes) : search_(hash_bytes) {}
    EndgameValue Solve(const Rules& rules, const State& state);
    std::uint64_t nodes() const { return search_.nodes(); }
    void set_observer(EndgameObserver observer) { search_.set_observer(std::move(observer)); }

   private:
    reversi::EndgameSearch search_;
  };

 private:
  static int Empties(const State& state) {
    return 64 - std::popcount(state.discs[0] | state.discs[1]);
  }
  // Whether play from here can reach the limit before it ends: every pass is followed by a move,
  // every move fills a square, and the game is over when none is empty, so fewer than 2 * empties
  // plies lead to a position that is not finished.
  static bool MaxPliesCanDecide(const Rules& rules, const State& state, const History& history) {
    return rules.max_plies < std::uint64_t{history.ply} + 2 * static_cast<unsigned>(Empties(state));
  }

  static Key128 WithPly(const Rules& rules, const State& state, const History& history,
                        Key128 key) {
    if (MaxPliesCanDecide(rules, state, history)) [[unlikely]] {
      key.lo ^= Mix64(0x6A09E667F3BCC908ull + history.ply);
      key.hi ^= Mix64(0xBB67AE8584CAA73Bull + history.ply);
    }
    return key;
  }

  static Outcome Final(const Rules& rules, const State& state);
};

}  // namespace qirkat
