// Players by name: what a person writes to say who plays.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "envs/core/game_info.h"
#include "models/backend_options.h"
#include "models/evaluator.h"
#include "selfplay/match/match.h"

namespace qirkat {

// Makes the evaluator of a model file, whose backend, device and precision are the program's choice
// unless `wanted` says another; throws UserError. The program supplies it, because no library here
// knows the network backends.
using LoadNet = std::function<std::shared_ptr<const EvaluatorFactory>(
    const std::string& file, const BackendOptions& wanted)>;

// A player of `game`:
//   random                     uniformly random legal actions
//   uniform[:OPTIONS], hash[:OPTIONS], rollout[:OPTIONS]     a search over that evaluator
//   net:FILE[,OPTIONS]         a search over the network of a model file
// OPTIONS are name=value, separated by commas: the options of [search] except noise (a match adds
// none), for rollout also `playouts`, for net also `backend`, `device` and `precision`. The best
// action is played (MoveChoice at temperature 0) unless a temperature is given. Throws UserError that
// begins with `where` ("--a"); an empty `load_net` refuses nets.
MatchPlayer MakePlayer(std::string_view spec, const GameInfo& game, const LoadNet& load_net,
                       std::string_view where);

// `search` as a player of a match uses it: no noise, always the best action.
SearchOptions PlaySearch(SearchOptions search);

// The evaluator that a self-play run is given by name: "uniform", "hash", "rollout[:playouts=N]" or
// a model file.
std::shared_ptr<const EvaluatorFactory> MakeModel(std::string_view model, const GameInfo& game,
                                                  const LoadNet& load_net, std::string_view where);

}  // namespace qirkat
