// Stratego's hidden information: nothing that a player sees depends on what is hidden from him.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/envs/line_contract.h"
#include "tests/envs/stratego_games.h"

namespace qirkat {
namespace {

using State = Stratego::State;

std::string BytesOf(const State& state) {
  return {reinterpret_cast<const char*>(&state), sizeof(state)};
}

// Everything that a player may know of a line; legal actions and what the network sees only if he
// is to move.
std::string SeenBy(Player player, const Line<Stratego>& line) {
  std::string seen = Stratego::ViewText(line.rules(), line.state(), player);
  for (const Key128& key : line.history().keys) seen += StrCat('|', key.lo, ',', key.hi);
  if (line.to_move() != player) return seen;
  for (int k = 0; k < line.legal().size(); ++k) {
    const Action action = line.legal()[k];
    seen += '|' + Stratego::ActionText(line.rules(), line.state(), action) + std::to_string(action);
  }
  const Observation row = Observe(line);
  seen.append(row.planes.begin(), row.planes.end());
  for (const float scalar : row.scalars) seen += StrCat('|', scalar);
  const Key128 key = line.ObservationKey();
  return StrCat(seen, '|', key.lo, ',', key.hi, '|', ReasonText(line.outcome()), '|',
                int{Stratego::SymmetryMask(line.rules(), line.state())});
}

// Plays random games and calls check(line) in every position.
template <class Check>
void ForRandomGames(const OptionTexts& options, int games, Check check) {
  const auto game = StrategoWith(options);
  for (int i = 0; i < games; ++i) {
    RandomStream random = StreamOf(static_cast<std::uint64_t>(i));
    Line<Stratego> line = game.Start(random);
    check(line);
    while (!line.over() && !testing::Test::HasFailure()) {
      line.Advance(RandomAction(line, random));
      check(line);
    }
  }
}

void CheckExchanges(const Line<Stratego>& line, std::uint64_t number) {
  for (const Player player : {Player{0}, Player{1}}) {
    const std::string seen = SeenBy(player, line);
    const auto draw = [&](const Line<Stratego>& from, std::uint64_t stream) {
      RandomStream random = StreamOf(1000000 + number * 3 + stream);
      return Stratego::DrawWorld(from.rules(), from.state(), player, random);
    };
    for (std::uint64_t stream = 0; stream < 3; ++stream) {
      Line<Stratego> other = line;
      other.SetWorld(draw(line, stream));
      ASSERT_EQ(SeenBy(player, other), seen);
      // What is drawn does not depend on what was hidden.
      ASSERT_EQ(BytesOf(draw(other, 0)), BytesOf(draw(line, 0)));
    }
  }
}

TEST(StrategoHiddenTest, NothingHiddenIsSeen) {
  const std::vector<OptionTexts> variants = {
      {{"no_attack_limit", "60"}},
      {{"setup", "random"}, {"no_attack_limit", "60"}},
      {{"setup", "random"}, {"rules", "tournament"}, {"no_attack_limit", "60"}}};
  std::uint64_t number = 0;
  int worlds_that_differ = 0;
  for (const OptionTexts& options : variants) {
    ForRandomGames(options, 6, [&](const Line<Stratego>& line) {
      CheckExchanges(line, ++number);
      RandomStream random = StreamOf(number);
      const State world = Stratego::DrawWorld(line.rules(), line.state(), line.to_move(), random);
      worlds_that_differ += BytesOf(world) != BytesOf(line.state());
    });
  }
  EXPECT_GT(worlds_that_differ, 1000);
}

// The same in positions of few pieces, where a player is soon blocked.
TEST(StrategoHiddenTest, NothingHiddenIsSeenInSmallPositions) {
  const auto game = StrategoWith({{"rules", "tournament"}, {"max_plies", "40"}});
  RandomStream random = StreamOf(0);
  int games = 0;
  for (std::uint64_t number = 0; number < 400; ++number) {
    try {
      Line<Stratego> line = game.StartAt(RandomStrategoPosition(random));
      ++games;
      while (!line.over()) {
        CheckExchanges(line, number);
        ASSERT_FALSE(HasFailure());
        line.Advance(RandomAction(line, random));
      }
      CheckExchanges(line, number);
    } catch (const UserError&) {
      continue;  // a text that is refused
    }
  }
  EXPECT_GT(games, 100);
}

// A scout that moved more than one cell is known, without having fought.
TEST(StrategoHiddenTest, AFarMoveShowsAScout) {
  const auto game = StrategoWith({});
  Line<Stratego> line = game.StartAt("bF,b9,b8,7/10/10/10/10/10/10/10/10/rF,r5,8 b play 0");
  const TypedLine<Stratego> typed(line);
  line.Advance(typed.ParseAction("b10-b8"));
  EXPECT_EQ(Stratego::ViewText(line.rules(), line.state(), 0),
            "b?,1,b?,7/10/1,b?+,8/10/10/10/10/10/10/rF,r5,8 r play 1");
  const auto names = Stratego::PlaneNames();
  const auto plane = std::ranges::find(names, "enemy_scout") - names.begin();
  EXPECT_TRUE(Observe(line).PlaneBit(static_cast<int>(plane) * 100 + 71));
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    RandomStream random = StreamOf(stream);
    const State world = Stratego::DrawWorld(line.rules(), line.state(), 0, random);
    EXPECT_EQ(Stratego::SquareText(line.rules(), world, 71), "b9+");
  }
}

// The planes behind those of Observe show what is hidden.
TEST(StrategoHiddenTest, TheFullStateShowsTheTruth) {
  ForRandomGames({{"setup", "random"}, {"no_attack_limit", "20"}}, 3, [](const auto& line) {
    const Observation seen = Observe(line);
    const Observation full = ObserveFull(line);
    EXPECT_TRUE(std::equal(seen.planes.begin(), seen.planes.end(), full.planes.begin()));
    EXPECT_EQ(seen.scalars, full.scalars);
    const int first = static_cast<int>(Stratego::PlaneNames().size());
    for (int square = 0; square < 100; ++square) {
      const std::string piece = Stratego::SquareText(line.rules(), line.state(), square);
      const int seen_square = line.to_move() == 0 ? square : 99 - square;
      for (int rank = 0; rank < stratego::kRanks; ++rank) {
        const bool stands = !piece.empty() && piece[0] == "br"[line.to_move()] &&
                            piece[1] == stratego::kRankLetters[rank];
        ASSERT_EQ(full.PlaneBit((first + rank) * 100 + seen_square), stands) << square;
      }
    }
  });
}

}  // namespace
}  // namespace qirkat
