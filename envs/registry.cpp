#include "envs/registry.h"

namespace qirkat {

std::vector<std::string> GameNames() { return RegisteredGames::Names(); }

std::shared_ptr<const AnyGame> MakeGame(std::string_view name, const OptionTexts& options,
                                        std::string_view where) {
  return RegisteredGames::Visit(name, [&]<Game G>() -> std::shared_ptr<const AnyGame> {
    return std::make_shared<TypedGame<G>>(ParseOptions<typename G::Options>(options, where));
  });
}

}  // namespace qirkat
