#include "envs/reversi/endgame_search.h"

#include <algorithm>
#include <bit>

#include "envs/reversi/endgame_order.h"
#include "envs/reversi/endgame_stability.h"

namespace qirkat::reversi {
namespace {

using internal::EndgameMove;
using internal::EndgameMoves;
using internal::EndgameTable;

// From this many empty squares on the table is looked up for the positions behind every move first.
constexpr int kCutoffsAhead = 11;

std::uint8_t EffortOf(std::uint64_t nodes) {
  return static_cast<std::uint8_t>(std::bit_width(nodes));
}

}  // namespace

EndgameSearch::EndgameSearch(std::size_t hash_bytes) : table_(hash_bytes) {
  StableEdgeDiscs(0, 0);  // so that its table is made here and not by the first search
}

EndgameSearch::Value EndgameSearch::Solve(Bitboard own, Bitboard enemy, bool winner_takes_empties,
                                          int alpha, int beta) {
  if (winner_takes_empties != last_.winner_takes_empties) table_.Clear();
  last_.winner_takes_empties = winner_takes_empties;
  table_.StartSearch();
  const EndgameTable::Entry* entry = table_.Find(own, enemy);
  return Node(own, enemy, alpha, beta, entry ? entry->square : kOver);
}

int EndgameSearch::Score(Bitboard own, Bitboard enemy, int alpha, int beta) {
  const int empties = std::popcount(~(own | enemy));
  if (empties <= internal::LastSquares::kMost) return last_.Solve(own, enemy, alpha, beta);
  // The enemy keeps what is stable. Not worth a look while few discs would do.
  if (alpha >= 2 * empties - 8) {
    const int most = kMaxScore - 2 * std::popcount(StableDiscs(enemy, own));
    if (most <= alpha) return most;
  }
  int first = kOver;
  if (const EndgameTable::Entry* entry = table_.Find(own, enemy)) {
    if (entry->lower >= beta || entry->lower == entry->upper) return entry->lower;
    if (entry->upper <= alpha) return entry->upper;
    alpha = std::max<int>(alpha, entry->lower);
    beta = std::min<int>(beta, entry->upper);
    first = entry->square;
  }
  return Node(own, enemy, alpha, beta, first).score;
}

EndgameSearch::Value EndgameSearch::Node(Bitboard own, Bitboard enemy, int alpha, int beta,
                                         int first) {
  const std::uint64_t nodes_before = last_.nodes++;
  if (last_.nodes >= next_observation_) Observe();
  EndgameMoves moves(own, enemy);
  if (moves.empty()) return Pass(own, enemy, alpha, beta);

  const Bitboard empties = ~(own | enemy);
  if (std::popcount(empties) >= kCutoffsAhead) {
    for (const EndgameMove& move : moves) {
      const EndgameTable::Entry* next = table_.Find(move.own, move.enemy);
      if (next && -next->upper >= beta) return {-next->upper, move.square};
    }
  }
  moves.Rate(empties, first);
  Value best = {-kMaxScore - 1, kOver};
  int lower = alpha;
  for (EndgameMove* from = moves.begin(); from != moves.end() && best.score < beta; ++from) {
    const EndgameMove& move = moves.Next(from);
    // The first move is expected to be the best one: of the others only that is asked, mostly.
    bool in_doubt = from == moves.begin();
    int score = 0;
    if (!in_doubt) {
      score = -Score(move.own, move.enemy, -lower - 1, -lower);
      in_doubt = score > lower && score < beta;
    }
    if (in_doubt) score = -Score(move.own, move.enemy, -beta, -lower);
    if (score > best.score) best = {score, move.square};
    lower = std::max(lower, score);
  }
  table_.Store({.own = own,
                .enemy = enemy,
                .lower = static_cast<std::int8_t>(best.score > alpha ? best.score : -kMaxScore),
                .upper = static_cast<std::int8_t>(best.score < beta ? best.score : kMaxScore),
                .square = static_cast<std::uint8_t>(best.best),
                .effort = EffortOf(last_.nodes - nodes_before)});
  return best;
}

EndgameSearch::Value EndgameSearch::Pass(Bitboard own, Bitboard enemy, int alpha, int beta) {
  if (Mobility(enemy, own) == 0) {
    return {FinalScore(own, enemy, last_.winner_takes_empties), kOver};
  }
  return {-Score(enemy, own, -beta, -alpha), kPass};
}

void EndgameSearch::Observe() {
  next_observation_ = last_.nodes + kNodesBetweenObservations;
  if (observer_) observer_(last_.nodes);
}

}  // namespace qirkat::reversi
