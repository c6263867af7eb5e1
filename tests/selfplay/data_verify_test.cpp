// Verification finds what does not hold, says where, and goes on with the next game.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envs/core/file.h"
#include "selfplay/data/journal.h"
#include "selfplay/data/sealed.h"
#include "selfplay/data/shard.h"
#include "tests/selfplay/data_games.h"

namespace qirkat {
namespace {

using namespace testing_data;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ProblemsOf(const TempFolder& folder, const Shard& shard) {
  WriteShard(folder / "a.h5", shard);
  return VerifyShard(folder / "a.h5").problems;
}

TEST(VerifyShard, GoodShardsAndJournals) {
  const TempFolder folder;
  const Shard shard = TestShard(20);
  WriteShard(folder / "a.h5", shard);
  const VerifyReport report = VerifyShard(folder / "a.h5");
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.games, 20u);
  EXPECT_EQ(report.positions, ReadShardSummary(folder / "a.h5").positions);

  ShardWriter writer(folder / "open", TestHeader(), 100);
  for (const GameRecord& game : shard.games) writer.Append(game);
  EXPECT_THAT(VerifyShard(folder / "open" / "shard-000000.journal").problems, IsEmpty());
}

TEST(VerifyShard, GamesThatDoNotReplay) {
  const TempFolder folder;
  const Shard good = TestShard(3, 5);
  using Change = void (*)(GameRecord&);
  const std::vector<std::pair<Change, std::string>> changes = {
      {[](GameRecord& g) { g.outcome.result = static_cast<std::int8_t>(-g.outcome.result); },
       "recorded as"},
      {[](GameRecord& g) { ++g.outcome.score; }, "recorded as"},
      {[](GameRecord& g) { g.outcome.reason = EndReason::kFlag; }, "recorded as"},
      {[](GameRecord& g) { g.outcome.reason = EndReason::kResign; }, "recorded as"},
      {[](GameRecord& g) { g.outcome = {}; }, "recorded as"},
      {[](GameRecord& g) { g.actions.pop_back(); }, "recorded as"},
      {[](GameRecord& g) { g.actions[3] = 0; }, "ply 3: "},
      {[](GameRecord& g) { g.actions.push_back(0); }, "the game is over"},
      {[](GameRecord& g) { g.start = "nonsense"; }, ""},
      {[](GameRecord& g) { g.positions[1].planes[4] ^= 2; }, "ply 5: other planes"},
      {[](GameRecord& g) { g.positions[1].scalars[0] += 0.5f; }, "ply 5: other scalars"},
      {[](GameRecord& g) { g.positions[1].legal[0] ^= 1; }, "ply 5: another legal mask"},
      {[](GameRecord& g) { g.positions[2].player ^= 1; }, "ply 10: another player to move"},
      {[](GameRecord& g) { g.positions[2].symmetries ^= 2; }, "ply 10: other symmetries"},
      {[](GameRecord& g) { g.positions[2].action ^= 1; }, "ply 10: another action than the game's"},
      {[](GameRecord& g) { g.positions[0].policy[0].share ^= 1; }, "ply 0: the policy shares"},
      {[](GameRecord& g) { g.positions[0].policy[0].action = 0; }, "ply 0: a policy share"},
      {[](GameRecord& g) { g.positions[0].policy.clear(); }, "ply 0: the policy shares"},
      {[](GameRecord& g) { std::swap(g.positions[0], g.positions[1]); }, "out of order"},
      {[](GameRecord& g) { g.positions.back().ply = 1000; }, "out of order or behind the end"},
  };
  for (const auto& [change, text] : changes) {
    Shard shard = good;
    change(shard.games[1]);
    EXPECT_THAT(ProblemsOf(folder, shard),
                ElementsAre(AllOf(HasSubstr("a.h5: game 1: "), HasSubstr(text))))
        << text;
  }
  // One line a game; the others are still checked.
  Shard shard = good;
  ++shard.games[0].outcome.score;
  ++shard.games[2].outcome.score;
  EXPECT_THAT(ProblemsOf(folder, shard), ElementsAre(HasSubstr("game 0"), HasSubstr("game 2")));
  shard = good;
  std::swap(shard.games[0], shard.games[1]);
  EXPECT_THAT(ProblemsOf(folder, shard), ElementsAre(HasSubstr("not in order of game numbers")));
}

TEST(VerifyShard, GamesThatAMatchEnded) {
  const TempFolder folder;
  Shard shard = TestShard(2, 5);
  GameRecord& game = shard.games[0];
  game.actions.resize(20);
  std::erase_if(game.positions, [](const PositionRecord& position) { return position.ply >= 20; });
  game.outcome = {EndReason::kResign, false, 1, 0};
  EXPECT_THAT(ProblemsOf(folder, shard), IsEmpty());
}

TEST(VerifyShard, ChecksumsOfGames) {
  const TempFolder folder;
  const Shard shard = TestShard(3, 9);
  PackedShard packed{shard.header, MakeShardColumns(shard.header)};
  for (const GameRecord& game : shard.games) packed.columns.Append(game);
  packed.columns.games.crc[2] ^= 1;
  packed.columns.games.plies[0] += 1;
  WriteBytes(folder / "a.h5", EncodeShard(packed));
  EXPECT_THAT(
      VerifyShard(folder / "a.h5").problems,
      ElementsAre(HasSubstr("game 0: 'plies'"), HasSubstr("game 2: its rows do not match")));
}

TEST(VerifyShard, OtherRules) {
  const TempFolder folder;
  const Shard good = TestShard(2, 9);
  Shard shard = good;
  shard.header.game = "reversy";
  EXPECT_THAT(ProblemsOf(folder, shard), ElementsAre(HasSubstr("reversi")));
  shard = good;
  shard.header.game_version = 99;
  EXPECT_THAT(ProblemsOf(folder, shard), ElementsAre(HasSubstr("game version is '99'")));
  shard = good;
  shard.header.plane_names[0] = "mine";
  EXPECT_THAT(ProblemsOf(folder, shard), ElementsAre(HasSubstr("planes is 'mine")));
  shard = good;
  shard.header.game_options[0].second = "perhaps";
  EXPECT_THAT(ProblemsOf(folder, shard), ElementsAre(HasSubstr("perhaps")));
}

TEST(VerifyShard, DamagedFilesAreProblems) {
  const TempFolder folder;
  WriteShard(folder / "a.h5", TestShard(3, 9));
  auto bytes = ReadFileBytes(folder / "a.h5");
  bytes[bytes.size() / 2] ^= 4;
  WriteBytes(folder / "a.h5", bytes);
  EXPECT_THAT(VerifyShard(folder / "a.h5").problems, ElementsAre(HasSubstr("match its seal")));
  bytes.resize(bytes.size() / 2);
  WriteBytes(folder / "a.h5", bytes);
  EXPECT_THAT(VerifyShard(folder / "a.h5").problems, ElementsAre(HasSubstr("cut short")));
}

TEST(VerifyShard, TornAndDamagedJournals) {
  const TempFolder folder;
  const Shard shard = TestShard(3, 9);
  auto bytes = JournalStart(shard.header);
  std::vector<std::size_t> ends;
  for (const GameRecord& game : shard.games) {
    const auto entry = JournalEntry(game);
    bytes.insert(bytes.end(), entry.begin(), entry.end());
    ends.push_back(bytes.size());
  }
  const auto journal = folder / "shard-000000.journal";
  auto torn = bytes;
  torn.pop_back();
  WriteBytes(journal, torn);
  VerifyReport report = VerifyShard(journal);
  EXPECT_EQ(report.games, 2u);
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("the last game is torn")));

  auto damaged = bytes;
  damaged[ends[1] - 1] ^= 1;
  WriteBytes(journal, damaged);
  report = VerifyShard(journal);
  EXPECT_EQ(report.games, 1u);
  EXPECT_THAT(report.problems,
              ElementsAre(AllOf(HasSubstr("damaged at byte"), HasSubstr("behind 1 good games"))));
}

TEST(VerifyShard, NoShardAtAll) {
  const TempFolder folder;
  EXPECT_THAT(ErrorOf([&] { VerifyShard(folder / "none.h5"); }), HasSubstr("none.h5"));
  WriteBytes(folder / "text.h5", {'t', 'e', 'x', 't'});
  EXPECT_THAT(ErrorOf([&] { VerifyShard(folder / "text.h5"); }), HasSubstr("not a shard"));
  WriteBytes(folder / "empty.h5", {});
  EXPECT_THAT(ErrorOf([&] { VerifyShard(folder / "empty.h5"); }), HasSubstr("empty"));
}

}  // namespace
}  // namespace qirkat
