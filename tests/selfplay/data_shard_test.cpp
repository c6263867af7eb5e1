// Sealed shards: what is written is read back, equal games are equal bytes, damage is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <span>
#include <thread>

#include "envs/core/file.h"
#include "envs/core/random.h"
#include "envs/core/text.h"
#include "selfplay/data/crc32c.h"
#include "selfplay/data/hdf5.h"
#include "selfplay/data/sealed.h"
#include "selfplay/data/shard.h"
#include "tests/selfplay/data_games.h"

namespace qirkat {
namespace {

using namespace testing_data;
using ::testing::HasSubstr;

// Appends the seal that makes any image look untouched.
std::vector<std::uint8_t> Seal(std::vector<std::uint8_t> image) {
  const std::uint32_t crc = Crc32c(image.data(), image.size());
  for (const char c : std::string("QIRKSEAL")) image.push_back(static_cast<std::uint8_t>(c));
  for (int k = 0; k < 4; ++k) image.push_back(static_cast<std::uint8_t>(crc >> (8 * k)));
  return image;
}

PackedShard TestPackedShard() {
  const Shard shard = TestShard(3, 7);
  PackedShard packed{shard.header, MakeShardColumns(shard.header)};
  for (const GameRecord& game : shard.games) packed.columns.Append(game);
  return packed;
}

TEST(Shard, RoundTrip) {
  const TempFolder folder;
  const Shard shard = TestShard(30);
  WriteShard(folder / "a.h5", shard);
  const Shard read = ReadShard(folder / "a.h5");
  EXPECT_EQ(read.header, shard.header);
  EXPECT_EQ(read.games, shard.games);

  const ShardSummary summary = ReadShardSummary(folder / "a.h5");
  EXPECT_EQ(summary.header, shard.header);
  EXPECT_EQ(summary.games, 30u);
  EXPECT_EQ(summary.positions, ReadPackedShard(folder / "a.h5").columns.positions.size());
  EXPECT_EQ(summary.file_bytes, std::filesystem::file_size(folder / "a.h5"));
  EXPECT_TRUE(summary.sealed);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.partial"));
}

TEST(Shard, RoundTripOfNothing) {
  const TempFolder folder;
  Shard shard{TestHeader(), {}};
  WriteShard(folder / "empty.h5", shard);
  EXPECT_TRUE(ReadShard(folder / "empty.h5").games.empty());
  // A game that was over before it began, with empty texts.
  shard.games.emplace_back();
  WriteShard(folder / "bare.h5", shard);
  EXPECT_EQ(ReadShard(folder / "bare.h5").games, shard.games);
}

TEST(Shard, RoundTripOfGamesWithScalarsAndLongTexts) {
  const TempFolder folder;
  Shard shard{TestHeader(), {}};
  shard.header.scalar_names = {"repetition", "no capture: ½"};
  shard.header.config = std::string(100000, 'x');  // longer than a plain attribute may be
  shard.header.game_options = {{"zeta", "\"on\""}, {"alpha", "ñ"}};
  for (std::uint32_t number = 0; number < 3; ++number) {
    GameRecord game = RandomGame(number, 9);
    game.start = std::string(50 * number, 's');
    for (PositionRecord& position : game.positions) position.scalars = {0.25f, 1.0f};
    shard.games.push_back(game);
  }
  WriteShard(folder / "a.h5", shard);
  const Shard read = ReadShard(folder / "a.h5");
  EXPECT_EQ(read.header, shard.header);
  EXPECT_EQ(read.games, shard.games);
}

TEST(Shard, EqualGamesGiveEqualBytes) {
  const TempFolder folder;
  WriteShard(folder / "a.h5", TestShard(20));
  WriteShard(folder / "other.h5", TestShard(5));  // leaves other traces in the library's memory
  // Object times are whole seconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  WriteShard(folder / "b.h5", TestShard(20));
  EXPECT_EQ(ReadFileBytes(folder / "a.h5"), ReadFileBytes(folder / "b.h5"));
  EXPECT_NE(ReadFileBytes(folder / "a.h5"), ReadFileBytes(folder / "other.h5"));
}

// Every byte, one bit each: an error before HDF5 sees the file.
TEST(Shard, AnyFlippedBitIsFound) {
  auto bytes = EncodeShard(TestPackedShard());
  RandomStream random(1, 0, 0, StreamPurpose::kTest);
  for (std::uint8_t& byte : bytes) {
    const auto bit = static_cast<std::uint8_t>(1u << random.Below(8));
    byte ^= bit;
    EXPECT_NE(ErrorOf([&] { DecodeShard(bytes); }), "") << &byte - bytes.data();
    byte ^= bit;
  }
}

TEST(Shard, AnyTruncationIsFound) {
  const auto bytes = EncodeShard(TestPackedShard());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(ErrorOf([&] { DecodeShard(std::span(bytes).first(size)); }), "") << size;
  }
}

TEST(Shard, DamageIsOneLineThatNamesTheFile) {
  const TempFolder folder;
  const auto bytes = EncodeShard(TestPackedShard());
  const auto expect_error = [&](const std::vector<std::uint8_t>& damaged) {
    WriteBytes(folder / "b.h5", damaged);
    for (const std::string& error : {ErrorOf([&] { ReadShard(folder / "b.h5"); }),
                                     ErrorOf([&] { ReadPackedShard(folder / "b.h5"); }),
                                     ErrorOf([&] { ReadShardSummary(folder / "b.h5"); })}) {
      EXPECT_THAT(error, HasSubstr("b.h5: "));
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  };
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 20) {
    expect_error({bytes.begin(), bytes.begin() + static_cast<long>(size)});
    auto flipped = bytes;
    flipped[size] ^= 1;
    expect_error(flipped);
  }
}

TEST(Shard, ForeignFilesAreRefused) {
  const TempFolder folder;
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder / "none.h5"); }), HasSubstr("none.h5"));
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder.path()); }), HasSubstr(folder.path().string()));
  WriteBytes(folder / "text.h5", {'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r', 'l', 'd', '\n'});
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder / "text.h5"); }), HasSubstr("not a shard"));
  WriteBytes(folder / "empty.h5", {});
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder / "empty.h5"); }), HasSubstr("an empty file"));

  hdf5::ImageWriter other;
  other.AddAttribute("title", std::string("not games"));
  const auto image = other.Finish();
  WriteBytes(folder / "other.h5", image);
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder / "other.h5"); }), HasSubstr("another program"));
  // The library finds out only if somebody forged the seal.
  WriteBytes(folder / "sealed.h5", Seal(image));
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder / "sealed.h5"); }), HasSubstr("'schema_version'"));
  WriteBytes(folder / "no_hdf5.h5", Seal({image.begin(), image.begin() + 20}));
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder / "no_hdf5.h5"); }), HasSubstr("not an HDF5"));
}

TEST(Shard, NewerSchemaIsRefused) {
  const TempFolder folder;
  hdf5::ImageWriter newer;
  newer.AddAttribute("schema_version", std::uint64_t{kSchemaVersion + 1});
  WriteBytes(folder / "newer.h5", Seal(newer.Finish()));
  EXPECT_THAT(ErrorOf([&] { ReadShard(folder / "newer.h5"); }),
              HasSubstr("schema version 2; this program reads version 1"));
}

// Sealed by the program's own code, so that only the checks of sizes and indices can find it.
TEST(Shard, ForgedColumnsAreRefused) {
  ASSERT_EQ(ErrorOf([] { DecodeShard(EncodeShard(TestPackedShard())); }), "");
  using Forge = void (*)(ShardColumns&);
  const std::vector<Forge> forgeries = {
      [](ShardColumns& c) { c.positions.ply.pop_back(); },
      [](ShardColumns& c) { c.positions.planes.resize(c.positions.planes.size() - c.plane_bytes); },
      [](ShardColumns& c) { c.positions.action[1] = 65; },
      [](ShardColumns& c) { c.positions.policy_action[3] = 60000; },
      [](ShardColumns& c) { c.positions.policy_weight.push_back(1); },
      [](ShardColumns& c) { c.positions.policy_offset[2] = c.positions.policy_action.size() + 1; },
      [](ShardColumns& c) { c.positions.policy_offset[0] = 1; },
      [](ShardColumns& c) { c.positions.policy_offset.back() += 1; },
      [](ShardColumns& c) { std::swap(c.positions.game.front(), c.positions.game.back()); },
      [](ShardColumns& c) { c.positions.game.back() = 3; },
      [](ShardColumns& c) { c.positions.player[0] = 2; },
      [](ShardColumns& c) { c.games.action[0] = 65; },
      [](ShardColumns& c) { c.games.action_offset.back() -= 1; },
      [](ShardColumns& c) { c.games.action_offset.pop_back(); },
      [](ShardColumns& c) { c.games.result.push_back(0); },
      [](ShardColumns& c) { c.games.reason[0] = 127; },
      [](ShardColumns& c) { c.games.result[0] = 2; },
      [](ShardColumns& c) { c.games.start.pop_back(); },
      [](ShardColumns& c) { c.plane_bytes /= 2; },
  };
  for (std::size_t k = 0; k < forgeries.size(); ++k) {
    PackedShard shard = TestPackedShard();
    forgeries[k](shard.columns);
    const auto bytes = EncodeShard(shard);
    EXPECT_NE(ErrorOf([&] { DecodeShard(bytes); }), "") << k;
  }
}

TEST(Shard, PlacesThatCannotBeWritten) {
  const TempFolder folder;
  EXPECT_THAT(ErrorOf([&] { WriteShard(folder / "none" / "a.h5", TestShard(1)); }),
              HasSubstr("none/a.h5"));
  std::filesystem::create_directory(folder / "a.h5");
  EXPECT_THAT(ErrorOf([&] { WriteShard(folder / "a.h5", TestShard(1)); }), HasSubstr("a.h5"));
}

TEST(Shard, ManyThreadsAtOnce) {
  const TempFolder folder;
  const Shard shard = TestShard(5);
  std::vector<std::thread> threads;
  std::vector<int> equal(4, 0);
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      const auto path = folder / StrCat("t", k, ".h5");
      for (int round = 0; round < 5; ++round) {
        WriteShard(path, shard);
        equal[k] += ReadShard(path).games == shard.games;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::accumulate(equal.begin(), equal.end(), 0), 20);
}

TEST(FindShards, FilesFoldersAndRuns) {
  const TempFolder folder;
  EXPECT_THAT(ErrorOf([&] { FindShards(folder.path()); }), HasSubstr("no shards in"));
  EXPECT_THAT(ErrorOf([&] { FindShards(folder / "none"); }), HasSubstr("none: No such file"));
  for (const char* generation : {"gen-0001", "gen-0000"}) {
    std::filesystem::create_directories(folder / "data" / generation);
    WriteBytes(folder / "data" / generation / "shard-000001.journal", {1});
    WriteBytes(folder / "data" / generation / "shard-000000.h5", {1});
    WriteBytes(folder / "data" / generation / "notes.h5", {1});
  }
  WriteBytes(folder / "data/gen-0000/shard-000001.h5", {1});  // replaces its journal
  const auto data = folder / "data";
  EXPECT_EQ(FindShards(folder.path()),
            (std::vector<std::filesystem::path>{
                data / "gen-0000/shard-000000.h5", data / "gen-0000/shard-000001.h5",
                data / "gen-0001/shard-000000.h5", data / "gen-0001/shard-000001.journal"}));
  EXPECT_EQ(FindShards(data / "gen-0000/notes.h5"),
            (std::vector<std::filesystem::path>{data / "gen-0000/notes.h5"}));
}

}  // namespace
}  // namespace qirkat
