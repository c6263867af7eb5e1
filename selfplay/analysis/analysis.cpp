#include "selfplay/analysis/analysis.h"

#include "envs/core/text.h"
#include "envs/registry.h"
#include "selfplay/analysis/typed_analysis.h"

namespace qirkat {

std::unique_ptr<Analysis> MakeAnalysis(const AnyGame& game, const MatchPlayer& player,
                                       const AnalysisOptions& options) {
  QIRKAT_CHECK(options.batch >= 1 && options.cache_mib >= 0, options.batch, options.cache_mib);
  if (player.evaluator == nullptr) {
    throw UserError(StrCat("player ", Quoted(player.spec),
                           " does not search; accepted: net:FILE, rollout, hash, uniform"));
  }
  return RegisteredGames::Visit(game.info().name, [&]<Game G>() -> std::unique_ptr<Analysis> {
    return std::make_unique<TypedAnalysis<G>>(player, options);
  });
}

}  // namespace qirkat
