#include "envs/vector_env.h"

#include "envs/registry.h"
#include "envs/typed_vector_env.h"

namespace qirkat {

std::unique_ptr<VectorEnv> MakeVectorEnv(std::string_view game, const OptionTexts& rule_options,
                                         const VectorEnvOptions& options) {
  return RegisteredGames::Visit(game, [&]<Game G>() -> std::unique_ptr<VectorEnv> {
    return std::make_unique<TypedVectorEnv<G>>(
        ParseOptions<typename G::Options>(rule_options, "--set"), options);
  });
}

}  // namespace qirkat
