// Players in what commands print.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "selfplay/match/match.h"

namespace qirkat::cli {

// The player as it was written, and how its network is evaluated.
std::string PlayerText(const MatchPlayer& player);
nlohmann::ordered_json PlayerFacts(const MatchPlayer& player);

}  // namespace qirkat::cli
