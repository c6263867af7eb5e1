// VectorEnv over a game's type.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/line.h"
#include "envs/core/text.h"
#include "envs/core/typed_line.h"
#include "envs/vector_env.h"

namespace qirkat {

template <Game G>
class TypedVectorEnv final : public VectorEnv {
 public:
  TypedVectorEnv(const typename G::Options& rule_options, const VectorEnvOptions& options)
      : game_(rule_options), options_(options), arena_(Threads(options)) {
    const auto rows = static_cast<std::size_t>(options.envs);
    if (options.observations) {
      planes_.resize(rows * info().plane_bytes);
      scalars_.resize(rows * info().scalars());
      legal_.resize(rows * info().legal_bytes);
    }
    reward_.resize(rows);
    done_.resize(rows);
    reason_.resize(rows);
    to_move_.resize(rows);
    arrays_ = {planes_, scalars_, legal_, reward_, done_, reason_, to_move_};

    RandomStream setup;
    envs_.resize(rows, Env{game_.Start(setup), {}, {}});
    Reset(options.seed);
  }

  const GameInfo& info() const override { return game_.info(); }

  void Reset(std::uint64_t seed) override {
    ForEachEnv([&](int env) {
      const auto game = static_cast<std::uint64_t>(env);
      envs_[env].setup = RandomStream(seed, 0, game, StreamPurpose::kSetup);
      envs_[env].actions = RandomStream(seed, 0, game, StreamPurpose::kEnvActions);
      StartGame(env);
    });
  }

  void ResetEnv(int env) override {
    QIRKAT_CHECK(env >= 0 && env < size(), env, size());
    StartGame(env);
  }

  void Step(std::span<const Action> actions) override {
    if (static_cast<int>(actions.size()) != size()) {
      throw UserError(StrCat("step of ", size(), " envs with ", actions.size(), " actions"));
    }
    // All are judged before any is played, so that an error changes nothing.
    std::atomic<int> illegal = size();
    ForEachEnv([&](int env) {
      if (IsPlayable(env, actions[env])) [[likely]]
        return;
      int first = illegal.load();
      while (env < first && !illegal.compare_exchange_weak(first, env)) {
      }
    });
    if (illegal < size()) ThrowIllegal(illegal, actions[illegal]);
    ForEachEnv([&](int env) {
      if (envs_[env].line.over()) [[unlikely]] {
        StartGame(env);
      } else {
        Play(env, actions[env]);
      }
    });
  }

  void StepRandom() override {
    ForEachEnv([&](int env) {
      Env& here = envs_[env];
      if (here.line.over()) [[unlikely]] {
        if (options_.reset_mode == ResetMode::kNextStep) StartGame(env);
        return;
      }
      const auto& legal = here.line.legal();
      Play(env, legal[here.actions.Below(static_cast<std::uint32_t>(legal.size()))]);
    });
  }

  void ObserveFull(std::span<std::uint8_t> planes, std::span<float> scalars) override {
    const auto rows = static_cast<std::size_t>(size());
    const auto plane_bytes = static_cast<std::size_t>(info().full_plane_bytes);
    const auto scalar_count = static_cast<std::size_t>(info().scalars());
    if (planes.size() != rows * plane_bytes || scalars.size() != rows * scalar_count) {
      throw UserError(StrCat("full states of ", rows, " envs need ", rows * plane_bytes,
                             " plane bytes and ", rows * scalar_count, " scalars, not ",
                             planes.size(), " and ", scalars.size()));
    }
    ForEachEnv([&](int env) {
      const auto row = static_cast<std::size_t>(env);
      envs_[env].line.ObserveFull(
          {planes.data() + row * plane_bytes, scalars.data() + row * scalar_count});
    });
  }

  std::unique_ptr<AnyLine> CopyLine(int env) const override {
    QIRKAT_CHECK(env >= 0 && env < size(), env, size());
    return std::make_unique<TypedLine<G>>(envs_[env].line);
  }

 private:
  struct Env {
    Line<G> line;
    RandomStream actions;
    RandomStream setup;
  };
  template <class T>
  using Array = std::vector<T, tbb::cache_aligned_allocator<T>>;

  // Smaller pieces would cost more to hand out than to step.
  static constexpr int kEnvsPerTask = 32;

  static int Threads(const VectorEnvOptions& options) {
    if (options.envs < 1) throw UserError(StrCat("envs must be ≥ 1, not ", options.envs));
    if (options.threads < 1) throw UserError(StrCat("threads must be ≥ 1, not ", options.threads));
    return options.threads;
  }

  template <class Function>
  void ForEachEnv(const Function& function) {
    if (options_.threads == 1) {
      for (int env = 0; env < size(); ++env) function(env);
      return;
    }
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, size(), kEnvsPerTask),
          [&](const tbb::blocked_range<int>& range) {
            for (int env = range.begin(); env < range.end(); ++env) function(env);
          },
          tbb::static_partitioner());
    });
  }

  bool IsPlayable(int env, Action action) const {
    const Line<G>& line = envs_[env].line;
    if (line.over()) return options_.reset_mode == ResetMode::kNextStep;
    return line.legal().Contains(action);
  }

  [[noreturn]] void ThrowIllegal(int env, Action action) const {
    const TypedLine<G> line(envs_[env].line);
    const bool known = action < info().policy_size;
    throw UserError(StrCat(
        "env ", env, ": action ", action, " (", known ? line.ActionText(action) : "no such action",
        ") is not legal in position '", line.PositionText(), "'; ", line.LegalText()));
  }

  void StartGame(int env) {
    Env& here = envs_[env];
    here.line.Reset(G::Start(here.line.rules(), here.setup));
    reward_[env] = 0;
    done_[env] = 0;
    reason_[env] = EndReason::kNone;
    Show(env);
  }

  void Play(int env, Action action) {
    Env& here = envs_[env];
    here.line.Advance(action);
    const Outcome& outcome = here.line.outcome();
    reward_[env] = outcome.over() ? static_cast<float>(outcome.result) : 0.0f;
    done_[env] = outcome.over();
    reason_[env] = outcome.reason;
    if (outcome.over() && options_.reset_mode == ResetMode::kSameStep) [[unlikely]] {
      here.line.Reset(G::Start(here.line.rules(), here.setup));
    }
    Show(env);
  }

  // Writes what the player to move sees.
  void Show(int env) {
    const Line<G>& line = envs_[env].line;
    to_move_[env] = line.to_move();
    if (!options_.observations) return;
    const auto row = static_cast<std::size_t>(env);
    line.Observe(
        {planes_.data() + row * info().plane_bytes, scalars_.data() + row * info().scalars()});
    TypedLine<G>::WriteLegalMask(line, legal_.data() + row * info().legal_bytes);
  }

  TypedGame<G> game_;
  VectorEnvOptions options_;
  tbb::task_arena arena_;
  std::vector<Env> envs_;
  Array<std::uint8_t> planes_;
  Array<float> scalars_;
  Array<std::uint8_t> legal_;
  Array<float> reward_;
  Array<std::uint8_t> done_;
  Array<EndReason> reason_;
  Array<Player> to_move_;
};

}  // namespace qirkat
