// qirkat doctor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

TEST(DoctorCommand, JsonAndTextSayTheSame) {
  const ProgramResult text = RunProgram({"doctor"});
  const ProgramResult json = RunProgram({"doctor", "--json"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto facts = nlohmann::json::parse(json.out);
  EXPECT_GE(facts["cpu"]["cores"].get<int>(), 1);
  EXPECT_GE(facts["cpu"]["cores_usable"].get<int>(), 1);
  // The program is built for it.
  EXPECT_TRUE(facts["cpu"]["features"]["AVX2"].get<bool>());
  EXPECT_GT(facts["memory"]["bytes"].get<std::uint64_t>(), 0u);
  EXPECT_GE(facts["memory"]["bytes"], facts["memory"]["free_bytes"]);
  EXPECT_GE(facts["disk"]["bytes"], facts["disk"]["free_bytes"]);
  for (const char* library : {"HDF5", "TBB", "oneDNN", "LibTorch"}) {
    EXPECT_THAT(text.out, ::testing::HasSubstr(facts["libraries"][library].get<std::string>()));
  }
  for (const auto& backend : facts["backends"]) {
    EXPECT_THAT(text.out, ::testing::HasSubstr(backend["why"].get<std::string>()));
  }
}

TEST(DoctorCommand, EveryBackendSaysWhatItDoesHereAndWhy) {
  const auto facts = nlohmann::json::parse(RunProgram({"doctor", "--json"}).out);
  std::vector<std::string> names;
  for (const auto& backend : facts["backends"]) {
    names.push_back(backend["name"]);
    EXPECT_NE(backend["why"], "");
    EXPECT_EQ(backend["available"].get<bool>(), backend.contains("precision")) << backend;
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"uniform", "hash", "rollout", "onednn", "torch"}));
}

}  // namespace
}  // namespace qirkat::test
