// What a network sees of Stratego, and the keys, which are hashes of it.
#include <algorithm>
#include <tuple>

#include "envs/core/hash.h"
#include "envs/core/plane_writer.h"
#include "envs/stratego/stratego.h"

namespace qirkat::stratego {
namespace {

// Planes, in order.
constexpr int kOwnRanks = 0;                         // kRanks of them
constexpr int kOwnMoved = kOwnRanks + kRanks;        // the opponent knows that they can move
constexpr int kOwnKnown = kOwnMoved + 1;             // the opponent knows what they are
constexpr int kEnemyRanks = kOwnKnown + 1;           // kRanks of them: what the mover knows
constexpr int kEnemyUnmoved = kEnemyRanks + kRanks;  // hidden from the mover
constexpr int kEnemyMoved = kEnemyUnmoved + 1;       // hidden from the mover
constexpr int kLakePlane = kEnemyMoved + 1;
constexpr int kNextCell = kLakePlane + 1;  // that is filled next, in the setup
constexpr int kOwnWalk = kNextCell + 1;    // the four squares of State::walk
constexpr int kEnemyWalk = kOwnWalk + 4;
constexpr int kOwnTrail = kEnemyWalk + 4;
constexpr int kEnemyTrail = kOwnTrail + 1;
constexpr int kPlanes = kEnemyTrail + 1;
constexpr int kTrueRanks = kPlanes;  // kRanks of them: all enemy pieces, for ObserveFull only
constexpr int kFullPlanes = kTrueRanks + kRanks;

constexpr std::array<std::string_view, kFullPlanes> kPlaneNames = {
    "own_flag",        "own_bomb",          "own_spy",          "own_marshal",     "own_general",
    "own_colonel",     "own_major",         "own_captain",      "own_lieutenant",  "own_sergeant",
    "own_miner",       "own_scout",         "own_moved",        "own_known",       "enemy_flag",
    "enemy_bomb",      "enemy_spy",         "enemy_marshal",    "enemy_general",   "enemy_colonel",
    "enemy_major",     "enemy_captain",     "enemy_lieutenant", "enemy_sergeant",  "enemy_miner",
    "enemy_scout",     "enemy_unmoved",     "enemy_moved",      "lakes",           "next_cell",
    "own_last_to",     "own_last_from",     "own_second_from",  "own_third_from",  "enemy_last_to",
    "enemy_last_from", "enemy_second_from", "enemy_third_from", "own_trail",       "enemy_trail",
    "true_flag",       "true_bomb",         "true_spy",         "true_marshal",    "true_general",
    "true_colonel",    "true_major",        "true_captain",     "true_lieutenant", "true_sergeant",
    "true_miner",      "true_scout"};

// The more-squares counters grow without bound; a network sees them up to this.
constexpr std::uint32_t kLongChase = 32;

// What player `seer` sees, turned for player 1.
class PlaneBoards {
 public:
  PlaneBoards(const State& state, Player seer) : state_(state), seer_(seer) {
    AddOwn();
    AddEnemy();
    planes_[kLakePlane] = kLakes;  // half a turn changes nothing
    if (state.in_setup() && state.to_move == seer) {
      Set(kNextCell, SetupSquare(seer, state.placed % kPiecesPerPlayer));
    }
    for (const auto& [player, walk, trail] :
         {std::tuple(seer, kOwnWalk, kOwnTrail),
          std::tuple(Opponent(seer), kEnemyWalk, kEnemyTrail)}) {
      for (int i = 0; i < 4; ++i) {
        if (const int square = state.walk[player][i]; square != kNoSquare) Set(walk + i, square);
      }
      ForEachSquare(state.trail[player], [&, plane = trail](int square) { Set(plane, square); });
    }
  }

  void Write(int planes, PlaneWriter& writer) const {
    for (int plane = 0; plane < planes; ++plane) {
      writer.Add(LowWord(planes_[plane]), 64);
      writer.Add(HighWord(planes_[plane]), Board::kSquares - 64);
    }
  }

 private:
  void Set(int plane, int square) {
    planes_[plane] |= WideBit(seer_ == 0 ? square : Board::HalfTurn(square));
  }
  void AddOwn() {
    ForEachSquare(state_.pieces[seer_], [&](int square) {
      const int identity = state_.piece[square];
      Set(kOwnRanks + state_.rank[identity], square);
      if ((state_.marks[identity] & kMoved) != 0) Set(kOwnMoved, square);
      if (state_.IsKnown(identity)) Set(kOwnKnown, square);
    });
  }
  void AddEnemy() {
    ForEachSquare(state_.pieces[Opponent(seer_)], [&](int square) {
      const int identity = state_.piece[square];
      if (state_.IsKnown(identity)) {
        Set(kEnemyRanks + state_.rank[identity], square);
      } else {
        Set((state_.marks[identity] & kMoved) != 0 ? kEnemyMoved : kEnemyUnmoved, square);
      }
      Set(kTrueRanks + state_.rank[identity], square);
    });
  }

  const State& state_;
  Player seer_;
  std::array<Squares, kFullPlanes> planes_{};
};

}  // namespace

std::span<const std::string_view> Stratego::FullPlaneNames() { return kPlaneNames; }

std::span<const std::string_view> Stratego::PlaneNames() { return FullPlaneNames().first(kPlanes); }

std::span<const std::string_view> Stratego::ScalarNames() {
  // How many pieces of each rank are on the board, over the supply; then the phase and counters.
  static constexpr std::array<std::string_view, 29> kNames = {"own_flag_count",
                                                              "own_bomb_count",
                                                              "own_spy_count",
                                                              "own_marshal_count",
                                                              "own_general_count",
                                                              "own_colonel_count",
                                                              "own_major_count",
                                                              "own_captain_count",
                                                              "own_lieutenant_count",
                                                              "own_sergeant_count",
                                                              "own_miner_count",
                                                              "own_scout_count",
                                                              "enemy_flag_count",
                                                              "enemy_bomb_count",
                                                              "enemy_spy_count",
                                                              "enemy_marshal_count",
                                                              "enemy_general_count",
                                                              "enemy_colonel_count",
                                                              "enemy_major_count",
                                                              "enemy_captain_count",
                                                              "enemy_lieutenant_count",
                                                              "enemy_sergeant_count",
                                                              "enemy_miner_count",
                                                              "enemy_scout_count",
                                                              "setup",
                                                              "no_attack",
                                                              "plies",
                                                              "own_chase",
                                                              "enemy_chase"};
  return kNames;
}

void Stratego::WriteRow(const Rules& rules, const State& state, const History& history,
                        bool is_full, ObservationRow row) {
  const Player mover = state.to_move;
  const Player enemy = Opponent(mover);
  PlaneWriter writer(row.planes);
  PlaneBoards(state, mover).Write(is_full ? kFullPlanes : kPlanes, writer);
  writer.Finish();

  // The opponent's counts are no secret: all pieces that are gone were shown, and his setup is
  // whole or has not begun while the mover is in his.
  float* scalar = row.scalars;
  for (const Player player : {mover, enemy}) {
    for (int rank = 0; rank < kRanks; ++rank) {
      *scalar++ = ShareOfLimit(state.count[player][rank], kSupply[rank]);
    }
  }
  const DrawCounters counters = Counters(rules, state, history);
  *scalar++ = state.in_setup() ? 1.0f : 0.0f;
  *scalar++ = ShareOfLimit(counters.DecidingQuiet(), rules.no_attack_limit);
  *scalar++ = ShareOfLimit(counters.DecidingPly(AttacksLeft(state)), rules.max_plies);
  *scalar++ = ShareOfLimit(state.chase[mover], kLongChase);
  *scalar++ = ShareOfLimit(state.chase[enemy], kLongChase);
}

void Stratego::Observe(const Rules& rules, const State& state, const Position<Legal>&,
                       const History& history, ObservationRow row) {
  WriteRow(rules, state, history, /*is_full=*/false, row);
}

void Stratego::ObserveFull(const Rules& rules, const State& state, const Position<Legal>&,
                           const History& history, ObservationRow row) {
  WriteRow(rules, state, history, /*is_full=*/true, row);
}

Hasher Stratego::RowHash(const Rules& rules, const State& state, const History& history,
                         bool is_full) {
  std::array<std::uint8_t, kSpec.plane_bytes(kFullPlanes)> planes{};
  std::array<float, 29> scalars{};
  WriteRow(rules, state, history, is_full, {planes.data(), scalars.data()});
  Hasher hasher;
  hasher.AddBytes(planes.data(), planes.size());
  hasher.AddBytes(scalars.data(), sizeof(scalars));
  return hasher;
}

Key128 Stratego::ObservationKey(const Rules& rules, const State& state, const History& history) {
  return RowHash(rules, state, history, /*is_full=*/false).key();
}

// Full states that look alike have the same future if the side to move and, where more-squares
// looks at them, the arrangements are the same too.
Key128 Stratego::StateKey(const Rules& rules, const State& state, const History& history) {
  Hasher hasher = RowHash(rules, state, history, /*is_full=*/true);
  hasher.Add(state.to_move);
  for (const std::uint32_t chase : state.chase) hasher.Add(chase);  // a row shows it only so far
  for (const Key128& earlier : history.keys) hasher.Add(earlier);
  if (!history.keys.empty()) hasher.Add(state.arrangement);
  return hasher.key();
}

}  // namespace qirkat::stratego
