// What the parts of the game contract share, and its part on lines and keys.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "envs/core/typed_line.h"

namespace qirkat {

// A packed observation, every byte written by the game itself.
struct Observation {
  std::vector<std::uint8_t> planes;
  std::vector<float> scalars;
  bool PlaneBit(int bit) const { return planes[bit / 8] >> (bit % 8) & 1; }
  auto operator<=>(const Observation&) const = default;
};

// One observation written over memory filled with `fill`.
template <Game G>
Observation Observe(const Line<G>& line, int fill = 0) {
  Observation row{
      std::vector<std::uint8_t>(G::kSpec.plane_bytes(static_cast<int>(G::PlaneNames().size())),
                                static_cast<std::uint8_t>(fill)),
      std::vector<float>(G::ScalarNames().size(), static_cast<float>(fill))};
  line.Observe({row.planes.data(), row.scalars.data()});
  return row;
}

template <Game G>
Action RandomAction(const Line<G>& line, RandomStream& random) {
  return line.legal()[random.Below(static_cast<std::uint32_t>(line.legal().size()))];
}

// Everything that a line says.
template <Game G>
std::string Describe(const Line<G>& line) {
  const TypedLine<G> typed(line);
  const Key128 state = line.StateKey();
  const Key128 seen = line.ObservationKey();
  return StrCat(typed.PositionText(), '|', Join(typed.LegalTexts(), ","), '|', line.ply(), '|',
                ReasonText(line.outcome()), '|', int{line.outcome().result}, '|',
                line.outcome().score, '|', line.history().keys.size(), '|', state.lo, '|', state.hi,
                '|', seen.lo, '|', seen.hi);
}

// Push and Pop leave nothing behind, Push does what Advance does, and the record replays.
template <Game G>
void CheckLines(const TypedGame<G>& game, int games) {
  for (int i = 0; i < games; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    RandomStream random(6, 0, number, StreamPurpose::kTest);
    RandomStream setup(6, 0, number, StreamPurpose::kSetup);
    Line<G> line = game.Start(setup);
    Line<G> replayed = game.StartAt(G::PositionText(line.rules(), line.start()));
    while (!line.over() && line.ply() < 400) {
      const std::string before = Describe(line);
      const int depth = static_cast<int>(1 + random.Below(6));
      for (int d = 0; d < depth && !line.over(); ++d) line.Push(RandomAction(line, random));
      while (line.depth() > 0) line.Pop();
      ASSERT_EQ(Describe(line), before);

      const Action action = RandomAction(line, random);
      line.Push(action);
      const std::string pushed = Describe(line);
      line.Pop();
      line.Advance(action);
      ASSERT_EQ(Describe(line), pushed);
      replayed.Advance(action);
      ASSERT_EQ(Describe(replayed), pushed);
    }
    // A line that starts again has forgotten everything.
    replayed.Reset(line.start());
    EXPECT_EQ(Describe(replayed), Describe(Line<G>(line.shared_rules(), line.start())));
  }
}

// Remembers keys of positions that are not over, and refuses two meanings of one key.
template <Game G>
class KeyContract {
 public:
  void Check(const Line<G>& line) {
    if (line.over()) return;
    const std::string text = G::PositionText(line.rules(), line.state());
    const Observation seen = Observe<G>(line);
    const auto pair = [](const Key128& key) { return std::pair(key.lo, key.hi); };
    const auto [state, new_state] = text_of_state_.emplace(pair(line.StateKey()), text);
    EXPECT_EQ(state->second, text) << "two positions share a state key";
    const auto [row, new_row] = row_of_key_.emplace(pair(line.ObservationKey()), seen);
    EXPECT_TRUE(row->second == seen) << "two observations share a key: " << text;
    const auto [key, new_key] = key_of_row_.emplace(seen, pair(line.ObservationKey()));
    EXPECT_EQ(key->second, pair(line.ObservationKey())) << "one observation has two keys: " << text;
    if (!G::kSpec.hidden_information && !G::kSpec.uses_history) {
      // Whatever decides the future is visible.
      const auto future = std::pair(seen, line.to_move());
      const auto [known, is_new] = state_of_row_.emplace(future, pair(line.StateKey()));
      EXPECT_EQ(known->second, pair(line.StateKey())) << "the future is not visible: " << text;
    }
  }

 private:
  using KeyPair = std::pair<std::uint64_t, std::uint64_t>;

  std::map<KeyPair, std::string> text_of_state_;
  std::map<KeyPair, Observation> row_of_key_;
  std::map<Observation, KeyPair> key_of_row_;
  std::map<std::pair<Observation, Player>, KeyPair> state_of_row_;
};

}  // namespace qirkat
