#include "envs/registry.h"

namespace qirkat {

std::vector<std::string> GameNames() { return RegisteredGames::Names(); }

std::shared_ptr<const AnyGame> MakeGame(std::string_view name, const OptionTexts& options,
                                        std::string_view where) {
  return RegisteredGames::Visit(name, [&]<Game G>() -> std::shared_ptr<const AnyGame> {
    const auto parsed = ParseOptions<typename G::Options>(options, where);
    return InContext(where, [&] { return std::make_shared<TypedGame<G>>(parsed); });
  });
}

}  // namespace qirkat
