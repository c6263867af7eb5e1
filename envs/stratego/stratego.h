// Stratego (docs/rules.md). Red is player 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/game.h"
#include "envs/core/hash.h"
#include "envs/core/limits.h"
#include "envs/stratego/setup.h"
#include "envs/stratego/state.h"
#include "envs/stratego/tournament.h"

namespace qirkat::stratego {

struct StrategoOptions {
  std::string setup = "place";
  std::string setup_book;
  std::string rules = "classic";
  std::int64_t no_attack_limit = 200;
  std::int64_t max_plies = 4000;
  static const std::vector<Option<StrategoOptions>>& Table();
};

class Stratego {
 public:
  using Board = stratego::Board;
  using Layout = ActionLayout<Board, /*kKindCount=*/1, /*kDirectionCount=*/4, /*kDistanceCount=*/9,
                              /*kExtraCount=*/kRanks>;

  static constexpr GameSpec kSpec = {.name = "stratego",
                                     .version = 1,
                                     .columns = Board::kColumns,
                                     .rows = Board::kRows,
                                     .policy_planes = Layout::kPlanes,
                                     .policy_extras = Layout::kExtras,
                                     .action_layout =
                                         "plane = direction N E S W · 9 + distance - 1; "
                                         "placements F B S 1 2 3 4 5 6 7 8 9",
                                     .max_legal = 244,  // 18 a scout, 4 for the 25 others that move
                                     .symmetries = 2,
                                     .hidden_information = true,
                                     .uses_history = true,
                                     .player_names = {"red, r", "blue, b"}};

  using State = stratego::State;
  using Options = StrategoOptions;
  enum class SetupMode { kPlace, kRandom, kBook, kGiven };
  struct Rules {
    SetupMode setup_mode;
    std::string book;           // SetupBook::name
    std::vector<Setup> setups;  // the book's; or red's and blue's
    bool tournament;
    Limit no_attack_limit;
    Limit max_plies;
  };
  using Legal = ActionList<kSpec.max_legal>;

  static std::span<const std::string_view> PlaneNames();
  static std::span<const std::string_view> ScalarNames();
  static std::span<const std::string_view> FullPlaneNames();
  static Rules MakeRules(const Options& options);
  // Names the book with its checksum.
  static Options ResolveOptions(const Options& options, const Rules& rules);

  static State Start(const Rules& rules, RandomStream& random);
  static State ParsePosition(const Rules& rules, std::string_view text);
  static std::string PositionText(const Rules& rules, const State& state);
  static std::string ViewText(const Rules& rules, const State& state, Player player);
  static std::string ActionText(const Rules& rules, const State& state, Action action);
  static std::string SquareText(const Rules& rules, const State& state, int square);
  static std::string ViewSquareText(const Rules& rules, const State& state, Player player,
                                    int square);

  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules& rules, State& state, Action action);
  static Position<Legal> Examine(const Rules& rules, const State& state, const History& history);

  // The arrangement, which is all that more-squares compares; 128-bit hash.
  static Key128 HistoryKey(const Rules&, const State& state) { return state.arrangement; }
  // Arrangements are looked at as far back as a more-squares counter has been running without a
  // break.
  static bool CountsForHistory(const Rules&, const State& state) { return state.chase_runs(); }
  static bool Irreversible(const Rules&, const State& state, Action action) {
    return !state.chase_runs() || IsAttack(state, action);
  }

  static Key128 StateKey(const Rules& rules, const State& state, const History& history);
  static Key128 ObservationKey(const Rules& rules, const State& state, const History& history);
  static void Observe(const Rules& rules, const State& state, const Position<Legal>& position,
                      const History& history, ObservationRow row);
  // The planes of Observe, then the true ranks of all enemy pieces.
  static void ObserveFull(const Rules& rules, const State& state, const Position<Legal>& position,
                          const History& history, ObservationRow row);

  // The opponent's hidden ranks change places: every way that gives flags and bombs to pieces that
  // have not moved is equally likely. During the opponent's setup, whose placements `player` does
  // not see, it is the beginning of a uniformly random setup.
  static State DrawWorld(const Rules& rules, const State& state, Player player,
                         RandomStream& random);

  static Action MoverView(Action action, Player player) {
    return Layout::MoverView(action, player);
  }
  // Left and right.
  static int MapSquare(int symmetry, int square) { return Board::MapSquare(symmetry, square); }
  static Action MapAction(int symmetry, Action action) { return Layout::Map(symmetry, action); }
  static std::uint8_t SymmetryMask(const Rules&, const State& state) {
    return state.in_setup() ? 0b01 : 0b11;
  }

 private:
  static bool IsAttack(const State& state, Action action);
  static Legal Placements(const State& state);
  // The moves under classic rules.
  static Legal Moves(const State& state);
  // Those that no tournament rule forbids.
  static Legal WithoutForbidden(const State& state, const History& history, const Legal& moves);
  static void Place(State& state, Rank rank);
  // Moves onto an enemy: both are shown.
  static void Attack(State& state, int from, int to);

  static DrawCounters Counters(const Rules& rules, const State& state, const History& history) {
    return {state.quiet, rules.no_attack_limit, history.ply - state.placements, rules.max_plies};
  }
  // Every attack takes a piece off the board.
  static std::uint32_t AttacksLeft(const State& state) {
    return static_cast<std::uint32_t>(Count(state.occupied()) + kPieces - state.placed);
  }
  // The row of ObserveFull or of Observe, whose planes are its beginning.
  static void WriteRow(const Rules& rules, const State& state, const History& history, bool is_full,
                       ObservationRow row);
  static Hasher RowHash(const Rules& rules, const State& state, const History& history,
                        bool is_full);
};

}  // namespace qirkat::stratego

namespace qirkat {
using stratego::Stratego;
using stratego::StrategoOptions;
}  // namespace qirkat
