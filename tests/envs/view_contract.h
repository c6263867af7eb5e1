// The part of the game contract on views: the mover's view, its turning for player 1, symmetries.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "envs/core/position_text.h"
#include "tests/envs/line_contract.h"

namespace qirkat {

// The text of the position that a symmetry makes of this one. A game with symmetries besides the
// identity specializes it in its test.
template <Game G>
std::string MapPositionText(int symmetry, const std::string& text) {
  QIRKAT_CHECK(symmetry == 0, symmetry);
  return text;
}

// The text of the position with the players exchanged and, if the game turns the board for player
// 1, turned by half a turn; "" if there is no such position. A game specializes it in its test.
template <Game G>
std::string ExchangePlayers(const std::string& text);

// The rule options under which that position is played: others if they name squares. A game may
// specialize it in its test.
template <Game G>
typename G::Options ExchangedOptions(const typename G::Options& options) {
  return options;
}

// The texts of games whose texts start with a square a character.
template <Game G>
std::string MapCharacterPerSquare(int symmetry, const std::string& text) {
  std::string mapped = text;
  for (int q = 0; q < G::kSpec.squares(); ++q) mapped[G::MapSquare(symmetry, q)] = text[q];
  return mapped;
}

// Exchanges every character of `a` for the one of `b` at the same place, and back.
inline std::string ExchangeCharacters(std::string text, std::string_view a, std::string_view b) {
  for (char& c : text) {
    if (const auto at = a.find(c); at != std::string_view::npos) {
      c = b[at];
    } else if (const auto back = b.find(c); back != std::string_view::npos) {
      c = a[back];
    }
  }
  return text;
}

// A board's text (envs/core/position_text.h) with map(square) in place of every square.
template <Game G, class Map>
std::string MapBoardText(const std::string& board, char separator, Map map) {
  const PositionReader reader("test", board, 1, "a board");
  std::vector<std::string> cells(G::kSpec.squares());
  for (const auto& [square, piece] :
       reader.Board(reader.field(0), G::kSpec.columns, G::kSpec.rows, separator)) {
    cells[map(square)] = piece;
  }
  return BoardText(cells, G::kSpec.columns, separator);
}

// "c3+" with map(square) in place of the square; "-" stays.
template <Game G, class Map>
std::string MapSquareText(const std::string& text, Map map) {
  for (int square = 0; square < G::kSpec.squares(); ++square) {
    const std::string name = SquareName(square, G::kSpec.columns);
    if (text.starts_with(name)) {
      return SquareName(map(square), G::kSpec.columns) + text.substr(name.size());
    }
  }
  return text;
}

inline std::vector<std::string> FieldsOf(const std::string& text) {
  const auto fields = Split(text, ' ');
  return {fields.begin(), fields.end()};
}

template <Game G>
class ViewContract {
 public:
  static constexpr GameSpec kSpec = G::kSpec;

  explicit ViewContract(const typename G::Options& options)
      : game_(options), exchanged_(ExchangedOptions<G>(options)) {}

  void MoverViewIsAnInvolution() const {
    for (const Player player : {Player{0}, Player{1}}) {
      for (int a = 0; a < kSpec.policy_size(); ++a) {
        const auto action = static_cast<Action>(a);
        const Action seen = G::MoverView(action, player);
        EXPECT_LT(seen, kSpec.policy_size());
        EXPECT_EQ(G::MoverView(seen, player), action);
        if (player == 0) {
          EXPECT_EQ(seen, action);
        }
      }
    }
  }

  void SymmetriesArePermutations() const {
    const GameInfo& info = game_.info();
    for (const SymmetryMap& map : info.symmetries) {
      EXPECT_TRUE(IsPermutation(map.square));
      EXPECT_TRUE(IsPermutation(map.action));
    }
    EXPECT_TRUE(std::ranges::is_sorted(info.symmetries[0].square));
    EXPECT_TRUE(std::ranges::is_sorted(info.symmetries[0].action));
  }

  // Legal actions, observation and every action's effect of the image are the images of the
  // position's.
  void SymmetriesCommute(const Line<G>& played) const {
    const std::string text = G::PositionText(played.rules(), played.state());
    const Line<G> line = game_.StartAt(text);  // texts carry no past
    const int mask = G::SymmetryMask(line.rules(), line.state());
    EXPECT_EQ(mask & 1, 1);
    EXPECT_EQ(mask >> kSpec.symmetries, 0);
    const Player player = line.to_move();
    for (int s = 0; s < kSpec.symmetries; ++s) {
      if ((mask >> s & 1) == 0) continue;
      const Line<G> image = game_.StartAt(MapPositionText<G>(s, text));
      EXPECT_EQ(image.outcome(), line.outcome());
      ObservationsCommute(s, line, image);
      EffectsCommute(
          line, image,
          [&](Action action) {
            return G::MoverView(G::MapAction(s, G::MoverView(action, player)), player);
          },
          [&](const std::string& after) { return MapPositionText<G>(s, after); });
    }
  }

  // What player 1 sees is what player 0 sees of the position with the players exchanged.
  void BothPlayersSeeTheSame(const Line<G>& played) const {
    const std::string text = G::PositionText(played.rules(), played.state());
    const std::string exchanged = ExchangePlayers<G>(text);
    if (exchanged.empty()) return;
    const Line<G> line = game_.StartAt(text);  // texts carry no past
    const Line<G> other = exchanged_.StartAt(exchanged);
    EXPECT_EQ(other.to_move(), Opponent(line.to_move()));
    EXPECT_EQ(other.outcome().reason, line.outcome().reason);
    EXPECT_EQ(other.outcome().by_points, line.outcome().by_points);
    EXPECT_EQ(other.outcome().result, -line.outcome().result);
    EXPECT_EQ(other.outcome().score, -line.outcome().score);
    EXPECT_TRUE(Observe(other) == Observe(line)) << text;
    EXPECT_EQ(other.ObservationKey(), line.ObservationKey()) << text;
    EffectsCommute(
        line, other,
        [&](Action action) {
          return G::MoverView(G::MoverView(action, line.to_move()), other.to_move());
        },
        [](const std::string& after) { return ExchangePlayers<G>(after); });
  }

  // Both hold of what a game remembers too: a random game from here and its images, played action
  // by action.
  void ViewsFollowPlay(const Line<G>& played, RandomStream& random) const {
    const std::string text = G::PositionText(played.rules(), played.state());
    const Line<G> line = game_.StartAt(text);
    const int mask = G::SymmetryMask(line.rules(), line.state());
    for (int s = 1; s < kSpec.symmetries; ++s) {
      if ((mask >> s & 1) == 0) continue;
      PlayBeside(
          line, game_.StartAt(MapPositionText<G>(s, text)), random,
          [&](Action seen) { return G::MapAction(s, seen); },
          [&](const Line<G>& here, const Line<G>& image) { ObservationsCommute(s, here, image); });
    }
    const std::string exchanged = ExchangePlayers<G>(text);
    if (exchanged.empty()) return;
    PlayBeside(
        line, exchanged_.StartAt(exchanged), random, [](Action seen) { return seen; },
        [&](const Line<G>& here, const Line<G>& other) {
          EXPECT_TRUE(Observe(other) == Observe(here)) << text;
          EXPECT_EQ(other.ObservationKey(), here.ObservationKey()) << text;
        });
  }

 private:
  static constexpr int kEffects = 8;
  static constexpr int kPlayedPlies = 60;

  // Plays random actions on `line` and their images on `image`: map(action) in the mover's view.
  template <class MapSeen, class Compare>
  static void PlayBeside(Line<G> line, Line<G> image, RandomStream& random, MapSeen map,
                         Compare compare) {
    for (int ply = 0; ply < kPlayedPlies && !line.over(); ++ply) {
      const Action action = RandomAction(line, random);
      const Action mapped =
          G::MoverView(map(G::MoverView(action, line.to_move())), image.to_move());
      ASSERT_EQ(image.legal().size(), line.legal().size());
      ASSERT_TRUE(image.legal().Contains(mapped));
      line.Advance(action);
      image.Advance(mapped);
      ASSERT_EQ(image.over(), line.over());
      compare(line, image);
    }
  }

  static bool IsPermutation(std::vector<std::uint16_t> map) {
    std::ranges::sort(map);
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map[i] != i) return false;
    }
    return true;
  }

  // The legal actions of `image` are those of `line` mapped, and do the mapped. Of many actions
  // some are played.
  template <class MapAction, class MapText>
  static void EffectsCommute(const Line<G>& line, const Line<G>& image, MapAction map_action,
                             MapText map_text) {
    EXPECT_EQ(image.legal().size(), line.legal().size());
    for (int k = 0; k < line.legal().size(); ++k) {
      const Action mapped = map_action(line.legal()[k]);
      ASSERT_TRUE(image.legal().Contains(mapped));
      if (k % (1 + line.legal().size() / kEffects) != 0) continue;
      auto after = line.state();
      auto image_after = image.state();
      G::Apply(line.rules(), after, line.legal()[k]);
      G::Apply(line.rules(), image_after, mapped);
      EXPECT_EQ(map_text(G::PositionText(line.rules(), after)),
                G::PositionText(line.rules(), image_after));
    }
  }

  void ObservationsCommute(int s, const Line<G>& line, const Line<G>& image) const {
    const Observation seen = Observe(line);
    const Observation image_seen = Observe(image);
    EXPECT_EQ(seen.scalars, image_seen.scalars);
    for (int plane = 0; plane < game_.info().planes(); ++plane) {
      for (int q = 0; q < kSpec.squares(); ++q) {
        EXPECT_EQ(seen.PlaneBit(plane * kSpec.squares() + q),
                  image_seen.PlaneBit(plane * kSpec.squares() + G::MapSquare(s, q)))
            << "symmetry " << s << " plane " << plane << " square " << q;
      }
    }
  }

  TypedGame<G> game_;
  TypedGame<G> exchanged_;
};

}  // namespace qirkat
