// What the parts of the game contract share, and its part on lines and keys.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
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

// A row of this many planes, filled with `fill`.
template <Game G>
Observation EmptyRow(std::size_t planes, int fill = 0) {
  return {std::vector<std::uint8_t>(G::kSpec.plane_bytes(static_cast<int>(planes)),
                                    static_cast<std::uint8_t>(fill)),
          std::vector<float>(G::ScalarNames().size(), static_cast<float>(fill))};
}

// One observation written over memory filled with `fill`.
template <Game G>
Observation Observe(const Line<G>& line, int fill = 0) {
  Observation row = EmptyRow<G>(G::PlaneNames().size(), fill);
  line.Observe({row.planes.data(), row.scalars.data()});
  return row;
}

// The full state.
template <Game G>
Observation ObserveFull(const Line<G>& line, int fill = 0) {
  if constexpr (G::kSpec.hidden_information) {
    Observation row = EmptyRow<G>(G::FullPlaneNames().size(), fill);
    line.ObserveFull({row.planes.data(), row.scalars.data()});
    return row;
  } else {
    return Observe(line, fill);
  }
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
// Starts no game after so many plies.
template <Game G>
void CheckLines(const TypedGame<G>& game, int games, int plies) {
  for (int i = 0; i < games && plies > 0; ++i) {
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
    plies -= static_cast<int>(line.ply());
    // A line that starts again has forgotten everything.
    replayed.Reset(line.start());
    EXPECT_EQ(Describe(replayed), Describe(Line<G>(line.shared_rules(), line.start())));
  }
}

// What the history key stands for: equal keys, equal texts. A game with history specializes it in
// its test.
template <Game G>
std::string HistoryText(const Line<G>& line);

// Remembers keys of positions that are not over, and refuses two meanings of one key and two keys
// of one meaning.
template <Game G>
class KeyContract {
 public:
  void Check(const Line<G>& line) {
    if (line.over()) return;
    const std::string text = G::PositionText(line.rules(), line.state());
    const Observation seen = Observe<G>(line);
    const KeyPair state = Pair(line.StateKey());
    const KeyPair row = Pair(line.ObservationKey());
    const Future future = FutureOf(line);
    const auto first = [](auto& map, const auto& key, const auto& value) {
      return map.emplace(key, value).first->second;
    };
    EXPECT_TRUE(first(future_of_state_, state, future) == future)
        << "two positions share a state key: " << text;
    EXPECT_EQ(first(state_of_future_, future, state), state)
        << "one position has two state keys, or what decides the future is not visible: " << text;
    EXPECT_TRUE(first(seen_of_row_, row, seen) == seen) << "two observations share a key: " << text;
    EXPECT_EQ(first(row_of_seen_, seen, row), row) << "one observation has two keys: " << text;
    if constexpr (G::kSpec.uses_history) {
      const KeyPair key = Pair(G::HistoryKey(line.rules(), line.state()));
      const std::string compared = HistoryText<G>(line);
      EXPECT_EQ(first(text_of_history_, key, compared), compared) << "two share a history key";
      EXPECT_EQ(first(history_of_text_, compared, key), key) << "one has two history keys";
    }
  }

 private:
  using KeyPair = std::pair<std::uint64_t, std::uint64_t>;

  // All that decides the future: what is seen and what is hidden, whose turn it is, and the
  // positions that count for repetition, in any order.
  struct Future {
    Observation full;
    Player to_move;
    std::vector<KeyPair> past;
    auto operator<=>(const Future&) const = default;
  };

  static KeyPair Pair(const Key128& key) { return {key.lo, key.hi}; }
  static Future FutureOf(const Line<G>& line) {
    Future future = {ObserveFull(line), line.to_move(), {}};
    for (const Key128& key : line.history().keys) future.past.push_back(Pair(key));
    std::ranges::sort(future.past);
    return future;
  }

  std::map<KeyPair, Future> future_of_state_;
  std::map<Future, KeyPair> state_of_future_;
  std::map<KeyPair, Observation> seen_of_row_;
  std::map<Observation, KeyPair> row_of_seen_;
  std::map<KeyPair, std::string> text_of_history_;
  std::map<std::string, KeyPair> history_of_text_;
};

}  // namespace qirkat
