// A game's exact endgame solver in the place of the evaluator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "envs/core/line.h"
#include "selfplay/search/backup.h"
#include "selfplay/search/options.h"

namespace qirkat {

// Of the table of a solver for positions with so many empty squares: none where a position takes
// microseconds, then as many entries as make a difference.
inline std::size_t EndgameTableBytes(std::int64_t empties) {
  constexpr std::int64_t kWithout = 10;
  return empties <= kWithout ? 0 : std::size_t{16} << empties;
}

// Games without a solver: no position is solved.
template <Game G>
class Endgame {
 public:
  explicit Endgame(const SearchOptions&) {}
  bool Solve(const Line<G>&) { return false; }
  const LeafValue& value() const { return value_; }

 private:
  LeafValue value_;
};

template <GameWithEndgameSolver G>
class Endgame<G> {
 public:
  explicit Endgame(const SearchOptions& options)
      : empties_(static_cast<int>(options.solve_empties)) {
    if (empties_ > 0) solver_.emplace(EndgameTableBytes(empties_));
  }

  // Whether the position, which is not over, is so near its end that it was solved; value() is then
  // its exact value, and as plies left counts the empty squares.
  bool Solve(const Line<G>& line) {
    if (!solver_) return false;
    const int empties = G::EndgameEmpties(line.rules(), line.state(), line.history());
    if (empties > empties_) return false;
    const EndgameValue solved = solver_->Solve(line.rules(), line.state());
    value_ = ExactValue({.result = solved.result, .score = solved.score});
    value_.moves_left = static_cast<float>(empties);
    return true;
  }
  const LeafValue& value() const { return value_; }

 private:
  int empties_;
  std::optional<typename G::EndgameSolver> solver_;
  LeafValue value_;
};

}  // namespace qirkat
