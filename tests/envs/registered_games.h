// Every registered game as a list of types for typed tests.
#pragma once

#include <gtest/gtest.h>

#include "envs/registry.h"

namespace qirkat {

template <class List>
struct TypesOf;
template <Game... Gs>
struct TypesOf<GameList<Gs...>> {
  using Types = testing::Types<Gs...>;
};
using RegisteredTypes = TypesOf<RegisteredGames>::Types;

}  // namespace qirkat
