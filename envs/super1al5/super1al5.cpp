// Moves and ends.
#include "envs/super1al5/super1al5.h"

#include <immintrin.h>

#include <bit>
#include <utility>

namespace qirkat {

// What the player to move looks at.
struct Super1al5::Sight {
  Sight(const Rules& rules, const State& state)
      : own(PiecesOf(state.layers, state.to_move)),
        enemy(PiecesOf(state.layers, Opponent(state.to_move))),
        empty(Lines::kFull & ~(own | enemy)),
        stops((empty & ~rules.marked[0]) | enemy),
        supers(own & state.layers[kSuper]),
        roamers(rules.unlimited_quiet ? supers : 0) {
    const auto& [n1, n2, n4, dark, all_supers] = state.layers;
    reaching = {own, own & (n2 | n4), own & (n4 | (n2 & n1)), own & n4, own & n4 & n1};
    for (WideBoard& pieces : reaching) pieces |= roamers;
  }

  WideBoard own, enemy, empty;
  WideBoard stops;    // where a move may stop
  WideBoard supers;   // own
  WideBoard roamers;  // those of them whose quiet moves have no limit
  // [n - 1]: the pieces that may go n cells; those that may go farther are the roamers.
  std::array<WideBoard, kMaxNumber> reaching;
};

template <int kDirection>
void Super1al5::AddMovesTo(const Sight& sight, Legal& legal) {
  constexpr int kFirstPlane = kDirection * Layout::kDistances;
  // A Super that takes has no other move here.
  std::array<Action, kMaxPieces> sweeps;
  int sweep_count = 0;
  WideBoard sweepers = 0;
  ForEachSquare(sight.supers, [&](int from) {
    WideBoard line = Lines::Ray(kDirection, from);
    if ((line & sight.enemy) == 0) return;
    if (const WideBoard blockers = line & sight.own; blockers != 0) {
      line &= ~Lines::Ray(kDirection, Lines::Nearest(kDirection, blockers));
    }
    const WideBoard taken = line & sight.enemy;
    if (taken == 0) return;
    const int to = Lines::Farthest(kDirection, taken);
    const int distance = Count(Lines::Path(kDirection, from, to));
    sweeps[sweep_count++] = Layout::Encode({0, kDirection, distance, from});
    sweepers |= WideBit(from);
  });

  // The cells from which the next cells but the last are empty and the last is one to stop on.
  WideBoard reach = Lines::Ahead<kDirection>(sight.stops);
  for (int i = 0; i < kMaxNumber; ++i) {
    legal.SetPlane(kFirstPlane + i, sight.reaching[i] & ~sweepers & reach);
    reach = Lines::Ahead<kDirection>(sight.empty & reach);
  }
  if (sight.roamers != 0) {
    for (int i = kMaxNumber; i < Layout::kDistances; ++i) {
      legal.SetPlane(kFirstPlane + i, sight.roamers & ~sweepers & reach);
      reach = Lines::Ahead<kDirection>(sight.empty & reach);
    }
  }
  for (int i = 0; i < sweep_count; ++i) legal.Add(sweeps[i]);
}

void Super1al5::AddMoves(const Rules& rules, const State& state, Legal& legal) {
  const Sight sight(rules, state);
  [&]<int... kDirections>(std::integer_sequence<int, kDirections...>) {
    (AddMovesTo<kDirections>(sight, legal), ...);
  }
  (std::make_integer_sequence<int, Layout::kDirections>());
}

Position<Super1al5::Legal> Super1al5::Examine(const Rules& rules, const State& state,
                                              const History& history) {
  Position<Legal> position;
  Outcome& outcome = position.outcome;
  outcome.score = state.total_points[0] - state.total_points[1];
  position.earlier_occurrences = Earlier(rules, state, history);

  for (const Player player : {Player{0}, Player{1}}) {
    if (Count(PiecesOf(state.layers, player)) > 1) continue;
    outcome.reason = EndReason::kOnePiece;
    outcome.result = player == 0 ? -1 : 1;
    return position;
  }
  outcome.reason = state.both_pass ? EndReason::kBothPass
                                   : DrawReason(position.earlier_occurrences, EndReason::kNoCapture,
                                                Counters(rules, state, history));
  if (outcome.over()) {
    Stall(rules, state, outcome);
    return position;
  }
  AddMoves(rules, state, position.legal);
  if (position.legal.empty()) position.legal.Add(kPass);
  return position;
}

void Super1al5::Stall(const Rules& rules, const State& state, Outcome& outcome) {
  const int light = Count(PiecesOf(state.layers, 0));
  const int dark = Count(PiecesOf(state.layers, 1));
  if (light != dark || light > rules.few_pieces) return;
  outcome.by_points = true;
  outcome.result = static_cast<std::int8_t>((outcome.score > 0) - (outcome.score < 0));
}

WideBoard Super1al5::Taken(const State& state, Action action) {
  if (action == kPass) return 0;
  const MoveAction move = Layout::Decode(action);
  const int to = move.from + move.distance * Board::kStep[move.direction];
  return Lines::Path(move.direction, move.from, to) &
         PiecesOf(state.layers, Opponent(state.to_move));
}

Super1al5::Kind Super1al5::KindOn(const State& state, int cell) {
  Kind kind = 0;
  for (std::size_t layer = 0; layer < state.layers.size(); ++layer) {
    kind |= Kind{Holds(state.layers[layer], cell)} << layer;
  }
  return kind;
}

int Super1al5::PieceOn(const State& state, int cell) {
  static_assert(sizeof(state.cells) == sizeof(__m256i));
  __m256i cells;
  std::memcpy(&cells, state.cells.data(), sizeof(cells));
  const __m256i found = _mm256_cmpeq_epi8(cells, _mm256_set1_epi8(static_cast<char>(cell)));
  return std::countr_zero(static_cast<unsigned>(_mm256_movemask_epi8(found)));
}

void Super1al5::Toggle(State& state, Kind kind, int piece) {
  const int cell = state.cells[piece];
  for (std::size_t layer = 0; layer < state.layers.size(); ++layer) {
    state.layers[layer] ^= WideBoard{kind >> layer & 1} << cell;
  }
  state.pieces_key = state.pieces_key ^ PieceKey(kind, state.points[piece], cell);
}

void Super1al5::Place(State& state, int piece, int cell, Kind kind, std::uint32_t points) {
  state.cells[piece] = static_cast<std::uint8_t>(cell);
  state.points[piece] = static_cast<std::uint16_t>(points);
  state.total_points[kind >> kDark & 1] += state.points[piece];
  Toggle(state, kind, piece);
}

void Super1al5::Apply(const Rules& rules, State& state, Action action) {
  const Player mover = state.to_move;
  const WideBoard taken = Taken(state, action);
  state.to_move = Opponent(mover);
  ++state.quiet;
  if (action == kPass) {
    Legal answers;
    AddMoves(rules, state, answers);
    state.both_pass = answers.empty();
    return;
  }
  const MoveAction move = Layout::Decode(action);
  const int to = move.from + move.distance * Board::kStep[move.direction];
  const int piece = PieceOn(state, move.from);
  Kind kind = KindOn(state, move.from);
  Toggle(state, kind, piece);
  std::uint32_t gain = 0;
  ForEachSquare(taken, [&](int cell) {
    const int victim = PieceOn(state, cell);
    const Kind victim_kind = KindOn(state, cell);
    Toggle(state, victim_kind, victim);
    const std::uint16_t points = std::exchange(state.points[victim], std::uint16_t{0});
    state.cells[victim] = kNoCell;
    state.total_points[Opponent(mover)] -= points;
    gain += static_cast<std::uint32_t>(NumberOf(victim_kind)) + points;
    kind |= victim_kind & Kind{1} << kSuper;
    state.quiet = 0;
  });
  state.cells[piece] = static_cast<std::uint8_t>(to);
  state.points[piece] += static_cast<std::uint16_t>(gain);
  state.total_points[mover] += static_cast<std::uint16_t>(gain);
  if (state.points[piece] >= kSuperPoints) kind |= Kind{1} << kSuper;
  Toggle(state, kind, piece);
}

}  // namespace qirkat
