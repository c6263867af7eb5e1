// Configs as values: what TOML and overrides give, what goes back. Bad input: tests/frontends.
#include "training/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "envs/core/error.h"

namespace qirkat {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kToml = R"(
[game]
name = "reversi"
max_plies = 60

[run]
seed = 9007199254740993
device = "cuda:1"
min_free_disk = 5

[search]
cpuct = 2
reuse_tree = false

[selfplay]
workers = 3
)";

TEST(Config, ValuesOfEveryTypeAndDefaults) {
  const RunConfig config = ParseConfig(kToml, "a.toml");
  EXPECT_EQ(config.game, "reversi");
  EXPECT_THAT(config.game_options,
              ::testing::Contains(std::pair<std::string, std::string>("max_plies", "60")));
  // The rule options that the file leaves out are there too.
  EXPECT_THAT(config.game_options, ::testing::Contains(std::pair<std::string, std::string>(
                                       "winner_takes_empties", "off")));
  EXPECT_EQ(config.run.seed, 9007199254740993);  // more than a double holds
  EXPECT_EQ(config.run.device, "cuda:1");
  EXPECT_EQ(config.search.cpuct, 2.0);
  EXPECT_FALSE(config.search.reuse_tree);
  EXPECT_EQ(config.search.visits, SearchOptions().visits);
}

TEST(Config, OverridesWin) {
  const RunConfig config =
      ParseConfig(kToml, "a.toml", {{"search.cpuct", "0.5"}, {"game.max_plies", "44"}});
  EXPECT_EQ(config.search.cpuct, 0.5);
  EXPECT_THAT(config.game_options,
              ::testing::Contains(std::pair<std::string, std::string>("max_plies", "44")));
  EXPECT_THROW(ParseConfig(kToml, "a.toml", {{"visits", "7"}}), UserError);
}

TEST(Config, WrittenConfigReadsBackEqual) {
  const RunConfig config = ParseConfig(kToml, "a.toml", {{"run.device", "a \"b\" \\ c"}});
  const std::string toml = ConfigToToml(config, false);
  const RunConfig again = ParseConfig(toml, "b.toml");
  EXPECT_EQ(ConfigToToml(again, false), toml);
  EXPECT_EQ(again.run.device, "a \"b\" \\ c");
  EXPECT_EQ(again.run.seed, config.run.seed);
}

TEST(Config, OnlyWhatChangesResults) {
  const std::string toml = ConfigToToml(ParseConfig(kToml, "a.toml"), true);
  EXPECT_THAT(toml, HasSubstr("seed = 9007199254740993"));
  EXPECT_THAT(toml, Not(HasSubstr("min_free_disk")));
  EXPECT_THAT(toml, Not(HasSubstr("workers")));
  EXPECT_THAT(toml, Not(HasSubstr("slots")));
  // Still a whole config.
  EXPECT_EQ(ConfigToToml(ParseConfig(toml, "b.toml"), true), toml);
}

TEST(Config, ReferenceIsTheDefaults) {
  const RunConfig reference = ParseConfig(ReferenceToml(), "reference.toml");
  for (const OptionInfo& option : DescribeConfig(reference)) {
    if (option.name == "game.name") continue;
    EXPECT_EQ(option.value, option.default_value) << option.name;
  }
  EXPECT_EQ(ConfigToToml(reference, false),
            ConfigToToml(ParseConfig("[game]\nname = \"reversi\"\n", "a.toml"), false));
}

TEST(Config, EveryOptionHasHelpAndARightDefault) {
  RunConfig config;
  config.game = "reversi";
  for (const OptionInfo& option : DescribeConfig(config)) {
    EXPECT_FALSE(option.facts.help.empty()) << option.name;
    if (option.name == "game.name") continue;
    EXPECT_NO_THROW(CheckOption(option, option.default_value, "default"));
  }
}

}  // namespace
}  // namespace qirkat
