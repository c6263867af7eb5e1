// Checks of positions given as texts, for the tests of single games.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "envs/registry.h"

namespace qirkat {

// What a game says to a wrong option or position text; "accepted" if it does not refuse it.
inline std::string ErrorOf(const std::string& game, const std::string& position,
                           const OptionTexts& options = {}) {
  try {
    MakeGame(game, options)->NewLineAt(position);
  } catch (const UserError& refused) {
    return refused.what();
  }
  return "accepted";
}

// Positions that differ in one thing only: no two share a key, and none looks like another.
inline void ExpectAllDiffer(const std::string& game, const std::vector<std::string>& positions) {
  const auto rules = MakeGame(game);
  std::set<std::pair<std::uint64_t, std::uint64_t>> states, rows;
  std::set<std::pair<std::vector<std::uint8_t>, std::vector<float>>> seen;
  for (const std::string& position : positions) {
    const auto line = rules->NewLineAt(position);
    states.emplace(line->StateKey().lo, line->StateKey().hi);
    rows.emplace(line->ObservationKey().lo, line->ObservationKey().hi);
    std::vector<std::uint8_t> planes(rules->info().plane_bytes);
    std::vector<float> scalars(rules->info().scalars());
    line->Observe({planes.data(), scalars.data()});
    seen.emplace(planes, scalars);
  }
  EXPECT_EQ(states.size(), positions.size());
  EXPECT_EQ(rows.size(), positions.size());
  EXPECT_EQ(seen.size(), positions.size());
}

}  // namespace qirkat
