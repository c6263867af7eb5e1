#include "models/net_spec.h"

#include <gtest/gtest.h>

#include "envs/registry.h"
#include "models/plane_bits.h"
#include "tests/models/expect_user_error.h"
#include "tests/models/reference_net.h"

namespace qirkat {
namespace {

NetSpec TestSpec() {
  return {
      .game = "test",
      .game_version = 3,
      .game_options = {{"limit", "40"}, {"pie", "off"}},
      .plane_names = {"own", "enemy"},
      .scalar_names = {"plies"},
      .columns = 4,
      .rows = 3,
      .policy_planes = 3,
      .policy_extras = 2,
      .net = {
          .blocks = 2, .channels = 8, .pooled_every = 2, .head_channels = 4, .value_hidden = 5}};
}

TEST(NetSpec, JsonRoundTrip) {
  const NetSpec spec = TestSpec();
  EXPECT_EQ(NetSpecFromJson(NetSpecToJson(spec)), spec);
  EXPECT_EQ(NetSpecToJson(NetSpecFromJson(NetSpecToJson(spec))), NetSpecToJson(spec));
}

TEST(NetSpec, DamagedJson) {
  const std::string good = NetSpecToJson(TestSpec());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& bad :
       {std::string(), std::string("[]"), std::string("{}"), good.substr(0, good.size() - 1),
        replaced("\"columns\":4", "\"columns\":0"), replaced("\"columns\":4", "\"columns\":-4"),
        replaced("\"columns\":4", "\"columns\":1e18"), replaced("\"rows\":3", "\"rows\":\"3\""),
        replaced("\"policy_planes\":3", "\"policy_planes\":99999999"),
        replaced("[\"own\",\"enemy\"]", "7"), replaced("\"channels\":\"8\"", "\"channels\":\"0\""),
        replaced("\"channels\"", "\"chanels\"")}) {
    ExpectUserError([&] { NetSpecFromJson(bad); }, {"network spec"});
  }
}

TEST(NetSpec, CheckedAgainstTheGame) {
  const GameInfo info = MakeGame("reversi")->info();
  const NetSpec spec = MakeNetSpec(info, {});
  EXPECT_EQ(CheckNetSpec(spec, info, "net.qnet"), "");
  const auto error = [&](auto change, std::initializer_list<std::string> parts) {
    NetSpec other = spec;
    change(other);
    ExpectUserError([&] { CheckNetSpec(other, info, "net.qnet"); }, parts);
  };
  error([](NetSpec& s) { s.game = "go"; }, {"net.qnet", "'go'", "'reversi'"});
  error([](NetSpec& s) { ++s.game_version; }, {"net.qnet", "version"});
  error([](NetSpec& s) { s.plane_names.pop_back(); }, {"net.qnet", "planes"});
  error([](NetSpec& s) { s.scalar_names.push_back("x"); }, {"net.qnet", "scalars"});
  error([](NetSpec& s) { s.columns = 7; }, {"net.qnet", "7 columns"});
  error([](NetSpec& s) { s.rows = 9; }, {"net.qnet", "9 rows"});
  error([](NetSpec& s) { s.policy_planes = 2; }, {"net.qnet", "2 policy planes"});
  error([](NetSpec& s) { s.policy_extras = 0; }, {"net.qnet", "0 extra actions"});

  NetSpec trained = spec;
  ASSERT_FALSE(trained.game_options.empty());
  trained.game_options[0].second = "123";
  const std::string warning = CheckNetSpec(trained, info, "net.qnet");
  EXPECT_THAT(warning, testing::HasSubstr("net.qnet"));
  EXPECT_THAT(warning, testing::HasSubstr("trained: 123"));
}

TEST(PlaneBits, EveryBitOfEveryRow) {
  for (const int bits : {1, 7, 8, 20, 64, 75}) {
    const int row_bytes = (bits + 7) / 8, rows = 3;
    RandomStream random(static_cast<std::uint64_t>(bits));
    std::vector<std::uint8_t> packed(rows * row_bytes);
    for (auto& byte : packed) byte = static_cast<std::uint8_t>(random.Next());
    std::vector<float> out(rows * bits, -1.0f);
    UnpackBits(packed, rows, bits, out);
    for (int row = 0; row < rows; ++row) {
      for (int b = 0; b < bits; ++b) {
        EXPECT_EQ(out[row * bits + b], (packed[row * row_bytes + b / 8] >> (b % 8)) & 1);
      }
    }
  }
}

}  // namespace
}  // namespace qirkat
