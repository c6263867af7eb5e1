// Stratego's possible worlds: those drawn for a player agree with all that he has seen, and each of
// them is equally likely.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/envs/line_contract.h"
#include "tests/envs/stratego_games.h"

namespace qirkat {
namespace {

using State = Stratego::State;

// What the fights and moves of a real game have told of each piece, kept beside the game.
class Witness {
 public:
  explicit Witness(const State& start) { Look(start); }

  void SeeMove(const State& before, Action action, const State& after) {
    if (action < Stratego::Layout::kFirstExtra) {
      const MoveAction move = Stratego::Layout::Decode(action);
      const int to = Board::Step(move.from, 2 * move.direction, move.distance);
      const int piece = before.piece[move.from];
      moved_[piece] = true;
      moved_far_[piece] |= move.distance > 1;
      if (const int defender = before.piece[to]; defender != stratego::kNoPiece) {
        known_[piece] = before.rank[piece];
        known_[defender] = before.rank[defender];
      }
    }
    Look(after);
  }

  // Expects that a world for `player` agrees with all of it.
  void Judge(const State& state, const State& world, Player player) const {
    EXPECT_EQ(world.piece, state.piece);
    EXPECT_EQ(world.marks, state.marks);
    std::array<std::array<int, stratego::kRanks>, 2> count{};
    for (const int piece : standing_) {
      const auto rank = world.rank[piece];
      const Player owner = State::OwnerOf(piece);
      ++count[owner][rank];
      if (owner == player) {
        EXPECT_EQ(rank, state.rank[piece]);
      }
      if (const auto known = known_.find(piece); known != known_.end()) {
        EXPECT_EQ(rank, known->second);
      }
      if (moved_.contains(piece)) {
        EXPECT_FALSE(stratego::IsFixed(rank));
      }
      if (const auto far = moved_far_.find(piece); far != moved_far_.end() && far->second) {
        EXPECT_EQ(rank, stratego::kScout);
      }
    }
    for (const Player owner : {Player{0}, Player{1}}) {
      for (int rank = 0; rank < stratego::kRanks; ++rank) {
        EXPECT_EQ(count[owner][rank], int{world.count[owner][rank]});
        EXPECT_LE(count[owner][rank], int{stratego::kSupply[rank]});
        // Who is gone was shown.
        if (!state.in_setup()) {
          EXPECT_EQ(world.count[owner][rank], state.count[owner][rank]);
        }
      }
    }
  }

 private:
  using Board = Stratego::Board;

  void Look(const State& state) {
    standing_.clear();
    for (const int piece : state.piece) {
      if (piece != stratego::kNoPiece) standing_.push_back(piece);
    }
  }

  std::vector<int> standing_;
  std::map<int, bool> moved_, moved_far_;
  std::map<int, stratego::Rank> known_;
};

TEST(StrategoWorldsTest, WorldsAgreeWithTheWholeGame) {
  for (const std::string setup : {"place", "random"}) {
    const auto game = StrategoWith({{"setup", setup}});
    for (std::uint64_t i = 0; i < 10; ++i) {
      RandomStream random = StreamOf(i);
      Line<Stratego> line = game.Start(random);
      Witness witness(line.state());
      while (!line.over()) {
        const State before = line.state();
        const Action action = RandomAction(line, random);
        line.Advance(action);
        witness.SeeMove(before, action, line.state());
        for (const Player player : {Player{0}, Player{1}}) {
          RandomStream draw = StreamOf(1000 * i + line.ply());
          const State world = Stratego::DrawWorld(line.rules(), line.state(), player, draw);
          witness.Judge(line.state(), world, player);
        }
        ASSERT_FALSE(HasFailure()) << Stratego::PositionText(line.rules(), line.state());
      }
    }
  }
}

// The position texts of all worlds: every order of the ranks of `hidden` squares in which those
// with a "+" hold no flag and no bomb.
std::vector<std::string> AllWorlds(const std::string& board, const std::string& rest) {
  std::vector<std::size_t> places;
  std::string ranks;
  for (std::size_t i = 0; i + 1 < board.size(); ++i) {
    if (board[i] == 'b' && board.substr(i + 2, 1) != "!" && board.substr(i + 2, 2) != "+!") {
      places.push_back(i + 1);
      ranks += board[i + 1];
    }
  }
  std::vector<std::string> worlds;
  std::ranges::sort(ranks);
  do {
    std::string world = board;
    bool is_possible = true;
    for (std::size_t i = 0; i < places.size(); ++i) {
      world[places[i]] = ranks[i];
      const bool has_moved = board.substr(places[i] + 1, 1) == "+";
      is_possible &= !has_moved || (ranks[i] != 'F' && ranks[i] != 'B');
    }
    if (is_possible) worlds.push_back(world + rest);
  } while (std::next_permutation(ranks.begin(), ranks.end()));
  return worlds;
}

void ExpectUniformWorlds(const Line<Stratego>& line, const std::vector<std::string>& worlds) {
  RandomStream random = StreamOf(5);
  constexpr int kDrawsPerWorld = 100;
  std::map<std::string, int> drawn;
  for (std::size_t i = 0; i < kDrawsPerWorld * worlds.size(); ++i) {
    const State world = Stratego::DrawWorld(line.rules(), line.state(), 0, random);
    ++drawn[Stratego::PositionText(line.rules(), world)];
  }
  double chi_square = 0;
  for (const std::string& world : worlds) {
    const double difference = drawn[world] - kDrawsPerWorld;
    chi_square += difference * difference / kDrawsPerWorld;
  }
  EXPECT_EQ(drawn.size(), worlds.size()) << "worlds that cannot be";
  // Mean and variance of the distribution are n and 2 n; this is five standard deviations.
  const double freedom = static_cast<double>(worlds.size()) - 1;
  EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom));
}

TEST(StrategoWorldsTest, WorldsAreUniform) {
  const auto game = StrategoWith({});
  const std::string rest = " r play 0";
  const std::string board = "bF,bB,b9,b9,6/b5+,b9+,b8+!,b3!,6/10/10/10/10/10/10/10/rF,r5,8";
  const auto worlds = AllWorlds(board, rest);
  // Flag and bomb on 4 unmoved pieces; then three scouts and the captain on the 4 others.
  EXPECT_EQ(worlds.size(), 12u * 4u);
  ExpectUniformWorlds(game.StartAt(board + rest), worlds);

  const std::string two_bombs = "bF,bB,b9,bB,b1,5/b5+,b2+,8/10/10/10/10/10/10/10/rF,r5,8";
  EXPECT_EQ(AllWorlds(two_bombs, rest).size(), 30u * 24u);
  ExpectUniformWorlds(game.StartAt(two_bombs + rest), AllWorlds(two_bombs, rest));
}

// Everybody sees that the side to move, if the game goes on, can move.
TEST(StrategoWorldsTest, WorldsLeaveTheSideToMoveItsMoves) {
  const auto game = StrategoWith({});
  const std::string rest = " b play 0";
  const std::string board = "bB,bB,b9,7/bF,bB,8/10/10/10/10/10/10/10/rF,r5,8";
  auto worlds = AllWorlds(board, rest);
  EXPECT_EQ(worlds.size(), 20u);
  // On a10 and b10 the scout is shut in.
  std::erase_if(worlds,
                [](const std::string& world) { return world[1] == '9' || world[4] == '9'; });
  EXPECT_EQ(worlds.size(), 12u);
  ExpectUniformWorlds(game.StartAt(board + rest), worlds);
}

}  // namespace
}  // namespace qirkat
