// Options, texts, outcomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envs/core/options.h"
#include "envs/core/text.h"
#include "envs/core/types.h"
#include "envs/registry.h"

namespace qirkat {
namespace {

struct SampleOptions {
  std::int64_t visits = 100;
  double rate = 0.5;
  bool noise = false;
  std::string mode = "slow";
  static const std::vector<Option<SampleOptions>>& Table() {
    using O = SampleOptions;
    static const std::vector<Option<O>> table = {
        {"visits", &O::visits, {.min = 1, .max = 1000000, .unit = "visits"}},
        {"rate", &O::rate, {.min = 0, .max = 1}},
        {"noise", &O::noise, {}},
        {"mode", &O::mode, {.choices = {"slow", "fast"}}},
    };
    return table;
  }
};

std::string ErrorOf(const OptionTexts& texts) {
  try {
    ParseOptions<SampleOptions>(texts, "file.toml:3");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OptionsTest, ValuesRoundTrip) {
  const OptionTexts texts = {{"visits", "7"}, {"rate", "0.25"}, {"noise", "on"}, {"mode", "fast"}};
  const auto options = ParseOptions<SampleOptions>(texts, "here");
  EXPECT_EQ(options.visits, 7);
  EXPECT_EQ(options.rate, 0.25);
  EXPECT_TRUE(options.noise);
  EXPECT_EQ(options.mode, "fast");
  EXPECT_EQ(OptionValues(options), texts);
  EXPECT_EQ(DescribeOptions(options)[0].default_value, "100");
}

TEST(OptionsTest, ErrorsNamePlaceAndWhatIsAccepted) {
  EXPECT_EQ(ErrorOf({{"visits", "0"}}),
            "file.toml:3: visits must be an integer 1 … 1000000 visits, not '0'");
  EXPECT_EQ(ErrorOf({{"rate", "1.5"}}), "file.toml:3: rate must be a number 0 … 1, not '1.5'");
  EXPECT_EQ(ErrorOf({{"noise", "1"}}), "file.toml:3: noise must be on or off, not '1'");
  EXPECT_EQ(ErrorOf({{"mode", "quick"}}),
            "file.toml:3: mode must be one of slow, fast, not 'quick'");
  EXPECT_EQ(ErrorOf({{"visit", "3"}}),
            "file.toml:3: unknown option 'visit'; did you mean 'visits'?; accepted: visits, rate, "
            "noise, mode");
  EXPECT_EQ(ErrorOf({{"rate", "1"}, {"rate", "1"}}), "file.toml:3: option 'rate' is given twice");
  for (const char* text : {"", " 3", "3 ", "3x", "0x3", "1e3", "99999999999999999999"}) {
    EXPECT_NE(ErrorOf({{"visits", text}}), "accepted") << text;
  }
  for (const char* text : {"", "nan", "inf", "1,5", "-0.1"}) {
    EXPECT_NE(ErrorOf({{"rate", text}}), "accepted") << text;
  }
}

TEST(TextTest, SplitTrimJoin) {
  EXPECT_THAT(Split("a,,b", ','), testing::ElementsAre("a", "", "b"));
  EXPECT_THAT(Split("", ','), testing::ElementsAre(""));
  EXPECT_EQ(Trim("\t a b \r\n"), "a b");
  EXPECT_EQ(Trim(" \t"), "");
  EXPECT_EQ(Join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
}

TEST(TextTest, Numbers) {
  EXPECT_EQ(NumberText(0.1), "0.1");
  EXPECT_EQ(NumberText(1e-5), "1e-05");
  EXPECT_EQ(ParseNumber<int>("-12"), -12);
  EXPECT_EQ(ParseNumber<int>("12 "), std::nullopt);
  EXPECT_EQ(ParseNumber<double>("2.5e3"), 2500);
}

TEST(TextTest, NearestName) {
  const std::vector<std::string> names = {"reversi", "stratego"};
  EXPECT_EQ(Nearest("revesi", names), "reversi");
  EXPECT_EQ(Nearest("chess", names), std::nullopt);
  EXPECT_EQ(Nearest("", names), std::nullopt);
}

TEST(TextTest, QuotedHidesControlCharactersAndLength) {
  EXPECT_EQ(Quoted("a\tb\x7f"), "'a\\x09b\\x7f'");
  EXPECT_EQ(Quoted("abcdef", 3), "'abc…'");
}

TEST(OutcomeTest, ReasonsRoundTrip) {
  for (int byte = 0; byte < 256; ++byte) {
    try {
      EXPECT_EQ(PackReason(UnpackReason(static_cast<std::uint8_t>(byte))), byte);
    } catch (const UserError&) {
      EXPECT_NE(byte, PackReason({.reason = EndReason::kDiscs}));
    }
  }
  EXPECT_THROW(UnpackReason(99), UserError);
  EXPECT_EQ(ReasonText({.reason = EndReason::kMaxPlies, .by_points = true}), "max-plies+points");
}

TEST(OutcomeTest, ResultText) {
  EXPECT_EQ(ResultText({.reason = EndReason::kDiscs, .result = 1, .score = 4}, 60),
            "result +1 score 4 plies 60 reason discs");
  EXPECT_EQ(ResultText({.reason = EndReason::kBlocked, .result = -1, .score = -4}, 9),
            "result -1 score -4 plies 9 reason blocked");
  EXPECT_EQ(ResultText({.score = 12}, 3), "result * score 0 plies 3 reason unfinished");
}

TEST(RegistryTest, AnUnknownGameGetsTheNearestName) {
  try {
    MakeGame("revesi");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("unknown game 'revesi'; did you mean 'reversi'?; accepted: "));
  }
}

TEST(RegistryTest, NamesAreUnique) {
  const auto names = GameNames();
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(names[i], names[j]);
    EXPECT_EQ(MakeGame(names[i])->info().name, names[i]);
  }
}

}  // namespace
}  // namespace qirkat
