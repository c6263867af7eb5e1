// Many games of one kind stepped together into arrays that the caller reads in place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "envs/core/any_line.h"
#include "envs/core/game_info.h"
#include "envs/core/options.h"
#include "envs/core/types.h"

namespace qirkat {

// What becomes of an env whose game has ended.
enum class ResetMode : std::uint8_t {
  // It starts again within the same step: done, reward and reason tell of the game that ended;
  // planes,
  // scalars, legal mask and player to move are those of the new game's start.
  kSameStep,
  // The step shows the final position (no legal action); the next step ignores this env's action,
  // starts a new game and shows its start with done = 0 and reward = 0.
  kNextStep,
  // The final position stays until ResetEnv; Step refuses any action for it, StepRandom passes it
  // by.
  kManual,
};

struct VectorEnvOptions {
  int envs = 1;     // ≥ 1
  int threads = 1;  // ≥ 1; results do not depend on it
  std::uint64_t seed = 0;
  ResetMode reset_mode = ResetMode::kSameStep;
  bool observations = true;  // false: planes, scalars and legal stay empty
};

// One row an env; every array is contiguous, 64-byte aligned and stays where it is.
struct VectorEnvArrays {
  std::span<const std::uint8_t> planes;  // [envs, plane_bytes] bit planes, mover's view
  std::span<const float> scalars;        // [envs, scalars] each in [0, 1]
  std::span<const std::uint8_t> legal;   // [envs, legal_bytes] bit-packed mask, mover's view
  std::span<const float> reward;       // [envs] for player 0: the result (+1, 0, -1) of a game that
                                       //   this step ended, else 0
  std::span<const std::uint8_t> done;  // [envs] 1 if this step ended the game
  std::span<const EndReason> reason;   // [envs] why it ended; kNone if it did not
  std::span<const Player> to_move;     // [envs]
};

class VectorEnv {
 public:
  virtual ~VectorEnv() = default;

  virtual const GameInfo& info() const = 0;
  int size() const { return static_cast<int>(arrays_.done.size()); }
  const VectorEnvArrays& arrays() const { return arrays_; }

  // Starts every env afresh with random streams keyed by (seed, env). Also done at construction.
  virtual void Reset(std::uint64_t seed) = 0;
  // Starts a new game in one env; its random streams go on.
  virtual void ResetEnv(int env) = 0;

  // Plays actions[env] (absolute index) in every env. Throws UserError that names the first env
  // with an illegal action, the action and the position; then no env has changed. Allocates
  // nothing, except where a game with history has its longest stretch without an irreversible
  // action so far.
  virtual void Step(std::span<const Action> actions) = 0;
  // Plays a uniformly random legal action in every env, drawn from the env's own stream.
  virtual void StepRandom() = 0;

  // The full states, for trainers of belief models (AnyLine::ObserveFull): fills planes [envs,
  // full_plane_bytes] and scalars [envs, scalars], whether or not the envs write observations.
  virtual void ObserveFull(std::span<std::uint8_t> planes, std::span<float> scalars) = 0;

  // A copy of one env's game.
  virtual std::unique_ptr<AnyLine> CopyLine(int env) const = 0;

 protected:
  VectorEnvArrays arrays_;
};

// Envs of the game of this name under these rule options; throws UserError.
std::unique_ptr<VectorEnv> MakeVectorEnv(std::string_view game, const OptionTexts& rule_options,
                                         const VectorEnvOptions& options);

}  // namespace qirkat
