#include "training/rating.h"

#include <utility>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "selfplay/match/player_spec.h"

namespace qirkat {

Rating::Rating(std::shared_ptr<const AnyGame> game, const RunConfig& config)
    : game_(std::move(game)),
      options_(config.rating),
      generations_(static_cast<std::uint64_t>(config.run.generations)) {
  if (options_.games % 2 != 0) {
    throw UserError(
        StrCat("rating.games must be even (every opening is played with both colours), "
               "not ",
               options_.games));
  }
  // A net as opponent would need a backend, which the evaluator of the run hides.
  opponent_ = MakePlayer(options_.opponent, game_->info(), {}, "rating.opponent");
  net_.spec = "net";
  net_.search = PlaySearch(config.search);
  net_.search.visits = options_.visits;
  match_.games = static_cast<std::uint32_t>(options_.games);
  match_.seed = static_cast<std::uint64_t>(config.run.seed);
  match_.workers = static_cast<int>(config.selfplay.workers);
  match_.slots = static_cast<int>(config.selfplay.slots);
  match_.cache_mib = config.selfplay.cache_mib;
}

bool Rating::IsDue(std::uint64_t generation) const {
  if (options_.every == 0) return false;
  return generation % static_cast<std::uint64_t>(options_.every) == 0 || generation == generations_;
}

MatchResult Rating::Play(std::shared_ptr<const EvaluatorFactory> net,
                         const std::atomic<bool>* stop) const {
  MatchPlayer player = net_;
  player.evaluator = std::move(net);
  return RunMatch(*game_, player, opponent_, match_, {}, stop);
}

}  // namespace qirkat
