// What the player to move sees.
#include <bit>

#include "envs/super1al5/super1al5.h"

namespace qirkat {
namespace {

// Points are at most 32128 (Super1al5::State).
constexpr int kPointBits = 15;
// No game from the default start has more points than this: all numbers of its pieces.
constexpr std::uint32_t kDefaultPoints = 72;

float Lead(int points) { return points > 0 ? 1.0f : points < 0 ? 0.0f : 0.5f; }

}  // namespace

std::span<const std::string_view> Super1al5::PlaneNames() {
  // Points are binary: a layer of weights reads them as a number, and with 10 of them a piece is a
  // Super.
  static constexpr std::array<std::string_view, 28> kNames = {
      "own_1",       "own_2",       "own_3",       "own_4",        "own_5",      "own_supers",
      "enemy_1",     "enemy_2",     "enemy_3",     "enemy_4",      "enemy_5",    "enemy_supers",
      "marked",      "points_1",    "points_2",    "points_4",     "points_8",   "points_16",
      "points_32",   "points_64",   "points_128",  "points_256",   "points_512", "points_1024",
      "points_2048", "points_4096", "points_8192", "points_16384",
  };
  return kNames;
}

std::span<const std::string_view> Super1al5::ScalarNames() {
  static constexpr std::array<std::string_view, 8> kNames = {
      "own_pieces",  "enemy_pieces", "own_points", "enemy_points",
      "points_lead", "no_capture",   "plies",      "repetition"};
  return kNames;
}

Super1al5::Layers Super1al5::SeenByMover(const State& state) {
  Layers seen = state.layers;
  if (state.to_move == 0) return seen;
  for (WideBoard& layer : seen) layer = HalfTurnedBoard<Board::kSquares>(layer);
  seen[kDark] ^= Occupied(seen);
  return seen;
}

Key128 Super1al5::ObservationKey(const Rules& rules, const State& state, const History& history) {
  Key128 key = state.pieces_key;
  if (state.to_move == 1) {
    key = {};
    for (std::size_t piece = 0; piece < state.cells.size(); ++piece) {
      const int cell = state.cells[piece];
      if (cell == kNoCell) continue;
      const Kind turned = KindOn(state, cell) ^ Kind { 1 } << kDark;
      key = key ^ PieceKey(turned, state.points[piece], Board::HalfTurn(cell));
    }
  }
  const WideBoard marked = rules.marked[state.to_move];
  const std::uint64_t rest = HashKey({LowWord(marked), HighWord(marked)}) +
                             static_cast<std::uint64_t>(Earlier(rules, state, history));
  return WithCounters(key ^ Key128{Mix64(rest), rest}, rules, state, history);
}

void Super1al5::Observe(const Rules& rules, const State& state, const Position<Legal>& position,
                        const History& history, ObservationRow row) {
  const Player mover = state.to_move;
  const Layers seen = SeenByMover(state);
  std::array<WideBoard, kPointBits> point_bits = {};
  for (std::size_t piece = 0; piece < state.cells.size(); ++piece) {
    std::uint32_t points = state.points[piece];
    if (points == 0) continue;
    const int cell = state.cells[piece];
    const WideBoard bit = WideBit(mover == 0 ? cell : Board::HalfTurn(cell));
    for (; points != 0; points &= points - 1) point_bits[std::countr_zero(points)] |= bit;
  }

  std::uint8_t* bytes = row.planes;
  const auto add = [&bytes](WideBoard plane) {
    StoreBoard<Board::kSquares>(plane, bytes);
    bytes += Board::kSquares / 8;
  };
  for (const Player side : {Player{0}, Player{1}}) {
    const WideBoard pieces = PiecesOf(seen, side);
    for (const WideBoard numbered : ByNumber(seen)) add(pieces & numbered);
    add(pieces & seen[kSuper]);
  }
  add(rules.marked[mover]);
  for (const WideBoard plane : point_bits) add(plane);

  const auto pieces = [&](Player side) {
    return ShareOfLimit(static_cast<std::uint32_t>(Count(PiecesOf(seen, side))), kMaxPieces);
  };
  const std::uint32_t own_points = state.total_points[mover];
  const std::uint32_t enemy_points = state.total_points[Opponent(mover)];
  const DrawCounters counters = Counters(rules, state, history);
  row.scalars[0] = pieces(0);
  row.scalars[1] = pieces(1);
  row.scalars[2] = ShareOfLimit(own_points, kDefaultPoints);
  row.scalars[3] = ShareOfLimit(enemy_points, kDefaultPoints);
  row.scalars[4] = Lead(static_cast<int>(own_points) - static_cast<int>(enemy_points));
  row.scalars[5] = ShareOfLimit(counters.DecidingQuiet(), rules.no_capture_limit);
  row.scalars[6] = ShareOfLimit(counters.DecidingPly(CapturesLeft(state)), rules.max_plies);
  row.scalars[7] = ShareOfLimit(static_cast<std::uint32_t>(position.earlier_occurrences), 2);
}

}  // namespace qirkat
