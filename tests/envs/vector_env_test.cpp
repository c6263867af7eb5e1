#include "envs/vector_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/allocations.h"
#include "tests/envs/registered_games.h"

namespace qirkat {
namespace {

using testing::HasSubstr;

// Everything a caller can see.
std::string Bytes(const VectorEnv& env) {
  const VectorEnvArrays& a = env.arrays();
  std::string bytes;
  const auto add = [&](const auto& span) {
    bytes.append(reinterpret_cast<const char*>(span.data()), span.size_bytes());
    bytes += '|';
  };
  add(a.planes), add(a.scalars), add(a.legal), add(a.reward), add(a.done), add(a.reason);
  add(a.to_move);
  return bytes;
}

// The row of `line`, as the arrays must show it.
void ExpectRow(const VectorEnv& env, int row, const AnyLine& line) {
  const GameInfo& info = env.info();
  std::vector<std::uint8_t> planes(info.plane_bytes), legal(info.legal_bytes);
  std::vector<float> scalars(info.scalars());
  line.Observe({planes.data(), scalars.data()});
  line.LegalMask(legal.data());
  const VectorEnvArrays& a = env.arrays();
  const auto part = [row](auto span, auto size) {
    return std::vector(span.begin() + row * size, span.begin() + (row + 1) * size);
  };
  EXPECT_EQ(part(a.planes, info.plane_bytes), planes);
  EXPECT_EQ(part(a.scalars, info.scalars()), scalars);
  EXPECT_EQ(part(a.legal, info.legal_bytes), legal);
  EXPECT_EQ(a.to_move[row], line.to_move());
}

class VectorEnvTest : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int kEnvs = 5;

  std::unique_ptr<VectorEnv> Make(VectorEnvOptions options) {
    return MakeVectorEnv(GetParam(), {}, options);
  }

  // Random legal actions, chosen by the test; 0 where the game is over.
  std::vector<Action> Choose(const VectorEnv& env) {
    std::vector<Action> actions;
    for (int i = 0; i < env.size(); ++i) {
      const auto line = env.CopyLine(i);
      const auto count = static_cast<std::uint32_t>(line->legal_count());
      actions.push_back(line->over() ? 0 : line->legal(static_cast<int>(random_.Below(count))));
    }
    return actions;
  }

  RandomStream random_{3, 0, 0, StreamPurpose::kTest};
};

TEST_P(VectorEnvTest, ArraysAreAlignedAndShowTheStart) {
  const auto env = Make({.envs = kEnvs, .seed = 4});
  const VectorEnvArrays& a = env->arrays();
  const std::vector<const void*> starts = {a.planes.data(), a.scalars.data(), a.legal.data(),
                                           a.reward.data(), a.done.data(),    a.reason.data(),
                                           a.to_move.data()};
  for (const void* start : starts) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % 64, 0u);
  for (int i = 0; i < kEnvs; ++i) {
    ExpectRow(*env, i, *env->CopyLine(i));
    EXPECT_EQ(env->CopyLine(i)->ply(), 0u);
    EXPECT_EQ(a.done[i], 0);
  }
}

// Plays whole games beside plain lines, in each mode.
TEST_P(VectorEnvTest, StepsAsLinesDo) {
  for (const ResetMode mode : {ResetMode::kSameStep, ResetMode::kNextStep, ResetMode::kManual}) {
    const auto env = Make({.envs = kEnvs, .seed = 4, .reset_mode = mode});
    const VectorEnvArrays& a = env->arrays();
    int ended = 0;
    for (int step = 0; step < 20000 && ended < 12; ++step) {
      std::vector<std::unique_ptr<AnyLine>> lines;
      for (int i = 0; i < kEnvs; ++i) lines.push_back(env->CopyLine(i));
      const auto actions = Choose(*env);
      env->Step(actions);
      for (int i = 0; i < kEnvs; ++i) {
        SCOPED_TRACE(testing::Message() << "step " << step << " env " << i);
        if (lines[i]->over()) {  // only next-step: the action was ignored
          ASSERT_EQ(mode, ResetMode::kNextStep);
          EXPECT_EQ(env->CopyLine(i)->ply(), 0u);
          EXPECT_EQ(a.done[i], 0);
          EXPECT_EQ(a.reward[i], 0);
          ExpectRow(*env, i, *env->CopyLine(i));
          continue;
        }
        lines[i]->Play(actions[i]);
        const Outcome& outcome = lines[i]->outcome();
        EXPECT_EQ(a.done[i], outcome.over());
        EXPECT_EQ(a.reason[i], outcome.reason);
        EXPECT_EQ(a.reward[i], outcome.over() ? outcome.result : 0);
        if (outcome.over() && mode == ResetMode::kSameStep) {
          EXPECT_EQ(env->CopyLine(i)->ply(), 0u);
          ExpectRow(*env, i, *env->CopyLine(i));
        } else {
          ExpectRow(*env, i, *lines[i]);
        }
        ended += outcome.over();
        if (outcome.over() && mode == ResetMode::kManual) {
          EXPECT_THROW(env->Step(actions), UserError);
          env->ResetEnv(i);
          EXPECT_EQ(a.done[i], 0);
          ExpectRow(*env, i, *env->CopyLine(i));
        }
      }
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GE(ended, 12);
  }
}

TEST_P(VectorEnvTest, ManualEnvsStayFinishedUnderRandomSteps) {
  const auto env = Make({.envs = kEnvs, .seed = 4, .reset_mode = ResetMode::kManual});
  const auto all_done = [&] {
    return std::ranges::all_of(env->arrays().done, [](auto done) { return done == 1; });
  };
  for (int step = 0; step < 10000 && !all_done(); ++step) env->StepRandom();
  ASSERT_TRUE(all_done());
  const std::string before = Bytes(*env);
  env->StepRandom();
  EXPECT_EQ(Bytes(*env), before);
}

TEST_P(VectorEnvTest, ThreadsDoNotChangeResults) {
  std::vector<std::string> seen;
  for (const int threads : {1, 2, 5}) {
    const auto env = Make({.envs = 150, .threads = threads, .seed = 8});
    std::string bytes;
    for (int step = 0; step < 150; ++step) {
      env->StepRandom();
      if (step % 10 == 0) bytes += Bytes(*env);
    }
    env->Reset(9);
    for (int step = 0; step < 30; ++step) env->Step(Choose(*env));
    seen.push_back(bytes + Bytes(*env));
    random_ = RandomStream(3, 0, 0, StreamPurpose::kTest);
  }
  EXPECT_TRUE(seen[0] == seen[1]);
  EXPECT_TRUE(seen[0] == seen[2]);
}

TEST_P(VectorEnvTest, ResetRepeatsASeed) {
  const auto env = Make({.envs = kEnvs, .seed = 1});
  const auto play = [&](std::uint64_t seed) {
    env->Reset(seed);
    std::string bytes;
    for (int step = 0; step < 40; ++step) {
      env->StepRandom();
      bytes += Bytes(*env);
    }
    return bytes;
  };
  const std::string first = play(1);
  EXPECT_NE(play(2), first);
  EXPECT_EQ(play(1), first);
}

TEST_P(VectorEnvTest, AnIllegalActionChangesNothingAndIsNamed) {
  for (const int threads : {1, 3}) {
    const auto env = Make({.envs = 100, .threads = threads, .seed = 2});
    for (int step = 0; step < 3; ++step) env->StepRandom();
    const std::string before = Bytes(*env);
    auto actions = Choose(*env);
    const auto line = env->CopyLine(70);
    Action illegal = 0;
    while (line->IsLegal(illegal)) ++illegal;
    actions[70] = illegal;
    actions[90] = 0xFFFF;
    try {
      env->Step(actions);
      FAIL();
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(StrCat("env 70: action ", illegal, " (",
                                                 line->ActionText(illegal), ") is not legal in")));
      EXPECT_THAT(error.what(), HasSubstr(line->PositionText()));
    }
    EXPECT_EQ(Bytes(*env), before);
    for (const int i : {0, 69, 70, 71, 99}) EXPECT_EQ(env->CopyLine(i)->ply(), 3u);
    actions[70] = line->legal(0);
    try {
      env->Step(actions);
      FAIL();
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("env 90: action 65535 (no such action)"));
    }
    EXPECT_THROW(env->Step(std::vector<Action>(99)), UserError);
  }
}

TEST_P(VectorEnvTest, StepAllocatesNothing) {
  const auto env = Make({.envs = 64, .seed = 2});
  // Games with history have met their longest stretches.
  for (int step = 0; step < 2000; ++step) env->StepRandom();
  const std::uint64_t before = Allocations();
  for (int step = 0; step < 500; ++step) env->StepRandom();
  EXPECT_EQ(Allocations(), before);
  std::vector<std::uint8_t> planes(64 * env->info().full_plane_bytes);
  std::vector<float> scalars(64 * env->info().scalars());
  std::uint64_t allocated = 0;
  for (int step = 0; step < 200; ++step) {
    const auto actions = Choose(*env);
    allocated -= Allocations();
    env->Step(actions);
    env->ObserveFull(planes, scalars);
    allocated += Allocations();
  }
  EXPECT_EQ(allocated, 0u);
}

TEST_P(VectorEnvTest, FullStatesAreThoseOfTheLines) {
  const auto seen = Make({.envs = kEnvs, .seed = 6});
  const auto env = Make({.envs = kEnvs, .seed = 6, .observations = false});
  const GameInfo& info = env->info();
  const auto plane_bytes = static_cast<std::size_t>(info.full_plane_bytes);
  const auto scalar_count = static_cast<std::size_t>(info.scalars());
  std::vector<std::uint8_t> planes(kEnvs * plane_bytes), row(plane_bytes);
  std::vector<float> scalars(kEnvs * scalar_count), scalar_row(scalar_count);
  for (int step = 0; step < 200; ++step) {
    seen->StepRandom();
    env->StepRandom();
    // Every byte is written.
    std::ranges::fill(planes, std::uint8_t{0xFF});
    std::ranges::fill(scalars, -1.0f);
    env->ObserveFull(planes, scalars);
    for (std::size_t i = 0; i < kEnvs; ++i) {
      env->CopyLine(static_cast<int>(i))->ObserveFull({row.data(), scalar_row.data()});
      EXPECT_TRUE(std::ranges::equal(row, std::span(planes).subspan(i * plane_bytes, plane_bytes)));
      EXPECT_TRUE(std::ranges::equal(scalar_row,
                                     std::span(scalars).subspan(i * scalar_count, scalar_count)));
    }
    EXPECT_TRUE(std::ranges::equal(scalars, seen->arrays().scalars));
    if (!info.hidden_information) {
      EXPECT_TRUE(std::ranges::equal(planes, seen->arrays().planes));
    }
  }
  EXPECT_EQ(info.full_plane_bytes > info.plane_bytes, info.hidden_information);
  planes.pop_back();
  EXPECT_THROW(env->ObserveFull(planes, scalars), UserError);
  planes.push_back(0);
  scalars.push_back(0);
  EXPECT_THROW(env->ObserveFull(planes, scalars), UserError);
}

TEST_P(VectorEnvTest, WithoutObservationsTheGamesAreTheSame) {
  const auto with = Make({.envs = kEnvs, .seed = 6});
  const auto without = Make({.envs = kEnvs, .seed = 6, .observations = false});
  EXPECT_TRUE(without->arrays().planes.empty());
  EXPECT_TRUE(without->arrays().legal.empty());
  for (int step = 0; step < 100; ++step) {
    with->StepRandom();
    without->StepRandom();
    for (int i = 0; i < kEnvs; ++i) {
      EXPECT_EQ(with->CopyLine(i)->PositionText(), without->CopyLine(i)->PositionText());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Games, VectorEnvTest, testing::ValuesIn(GameNames()),
                         [](const auto& game) { return game.param; });

TEST(VectorEnvOptionsTest, WrongNumbersAreRefused) {
  EXPECT_THROW(MakeVectorEnv("reversi", {}, {.envs = 0}), UserError);
  EXPECT_THROW(MakeVectorEnv("reversi", {}, {.envs = 1, .threads = 0}), UserError);
  EXPECT_THROW(MakeVectorEnv("reversi", {{"max_plies", "x"}}, {}), UserError);
  EXPECT_THROW(MakeVectorEnv("revesi", {}, {}), UserError);
}

}  // namespace
}  // namespace qirkat
