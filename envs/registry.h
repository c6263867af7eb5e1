// The one list of games: the one place where a name becomes a type. To add a game, add its header
// and its type here (docs/adding_a_game.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "envs/alquerque/alquerque.h"
#include "envs/core/any_line.h"
#include "envs/core/error.h"
#include "envs/core/text.h"
#include "envs/core/typed_line.h"
#include "envs/reversi/reversi.h"
#include "envs/stratego/stratego.h"
#include "envs/super1al5/super1al5.h"
#include "envs/superlogo/superlogo.h"

namespace qirkat {

template <Game... Gs>
struct GameList {
  static std::vector<std::string> Names() { return {std::string(Gs::kSpec.name)...}; }

  // Calls visitor.template operator()<G>() for the game of this name; throws UserError that
  // suggests the nearest name if there is none. The visitor returns the same type for every game.
  template <class Visitor>
  static auto Visit(std::string_view name, Visitor&& visitor) {
    using Result = std::common_type_t<decltype(visitor.template operator()<Gs>())...>;
    if constexpr (std::is_void_v<Result>) {
      if (!((name == Gs::kSpec.name && (visitor.template operator()<Gs>(), true)) || ...)) {
        ThrowUnknown(name);
      }
    } else {
      Result result{};
      if (!((name == Gs::kSpec.name && ((result = visitor.template operator()<Gs>()), true)) ||
            ...)) {
        ThrowUnknown(name);
      }
      return result;
    }
  }

 private:
  [[noreturn]] static void ThrowUnknown(std::string_view name) {
    throw UserError(UnknownName("game", name, Names()));
  }
};

using RegisteredGames = GameList<Reversi, Alquerque, Superlogo, Super1al5, Stratego>;

std::vector<std::string> GameNames();
// The game of this name under these rule options; throws UserError. `where` names the options'
// source in error messages ("--set", "configs/x.toml").
std::shared_ptr<const AnyGame> MakeGame(std::string_view name, const OptionTexts& options = {},
                                        std::string_view where = "--set");

}  // namespace qirkat
