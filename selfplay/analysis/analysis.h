// One position searched for play and analysis, whatever the game: batches hold many leaves of its
// one tree.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/random.h"
#include "selfplay/match/match.h"
#include "selfplay/search/search.h"

namespace qirkat {

// An action at the root and what is expected to follow, all for the player to move at the root.
struct AnalysisLine {
  std::vector<Action> actions;  // the first at the root, then the most searched replies; absolute
  std::uint32_t visits = 0;     // of the first action
  float prior = 0;              // of the first action
  float share = 0;              // of the first action in the policy that the search arrives at
  float value = 0;              // in [-1, 1]; 0 without visits, as the two below
  float score = 0;              // final, the game's unit
  float moves_left = 0;         // plies to the end of the game
  std::optional<std::array<float, 3>> wdl;  // only if visited and where nothing is hidden
  std::optional<int> proven;                // the result under best play if it is known: +1, 0, -1
};

// The same of the root itself, for its player to move.
struct AnalysisResult {
  std::uint32_t visits = 0;
  std::array<float, 3> wdl = {0, 0, 0};  // probabilities of win, draw, loss
  float score = 0;
  float moves_left = 0;
  std::optional<int> proven;
  std::vector<AnalysisLine> lines;  // the best first
};

struct AnalysisOptions {
  int batch = 1;               // leaves evaluated together; more than 1 changes results
  std::int64_t cache_mib = 0;  // of remembered evaluations; 0: none
};

// A search of one position that is continued, looked at and moved along a game. One thread. The
// same calls give the same results: a search of so many visits depends on its position, seed,
// options and batch size, never on time.
class Analysis {
 public:
  virtual ~Analysis() = default;

  // Forgets everything; `line`, a line of the game, becomes the root. `seed` enters playouts and
  // possible worlds.
  virtual void SetLine(const AnyLine& line, std::uint64_t seed) = 0;
  // Plays a legal action at the root; what is known of the position behind it is kept if the
  // search's options say so.
  virtual void Play(Action action) = 0;

  // Starts or continues a search of the root, where the game must not be over, as SearchOf::Begin
  // does. Without a number of visits (>= 1) it goes on for as long as Step is called, in rounds of
  // the player's own `visits`; where information is hidden each round draws new worlds and counts
  // with the earlier ones.
  virtual void Begin(std::optional<std::int64_t> visits) = 0;
  // Evaluates one batch at most. False when there is nothing left to search.
  virtual bool Step() = 0;
  // Since Begin: whether Result and Choose have something to say. So it is after the first Step.
  virtual bool has_result() const = 0;

  // The best `lines` actions, each with what follows, `length` (>= 1) actions in all at most; only
  // the action itself where information is hidden. The first is the player's at temperature 0.
  virtual AnalysisResult Result(int lines, int length) const = 0;
  // The player's action, at the temperature that its options give for this ply.
  virtual Action Choose(RandomStream& random) const = 0;

  // Of the search; evaluations without those that the cache gave.
  virtual SearchStats stats() const = 0;
};

// The analysis of a player that searches; its root must be set. Throws UserError for one that does
// not (`random`).
std::unique_ptr<Analysis> MakeAnalysis(const AnyGame& game, const MatchPlayer& player,
                                       const AnalysisOptions& options);

}  // namespace qirkat
