// Line's history: keys, repetition, irreversible actions, a player who moves twice.
#include "envs/core/line.h"

#include <gtest/gtest.h>

#include "tests/envs/game_contract.h"

namespace qirkat {
namespace {

struct CarouselOptions {
  std::int64_t repetitions = 3;
  std::int64_t max_plies = 300;
  static const std::vector<Option<CarouselOptions>>& Table() {
    using O = CarouselOptions;
    static const std::vector<Option<O>> table = {
        {"repetitions", &O::repetitions, {.min = 2, .max = 1000, .help = "This many are a draw."}},
        {"max_plies", &O::max_plies, {.min = 1, .max = 100000, .help = "A draw."}},
    };
    return table;
  }
};

// One token on a ring of four cells. A player moves it on, moves it back, or stamps: what was
// before a stamp never counts again. Who moves it onto cell 3 must move again, and no turn starts
// there.
struct Carousel {
  static constexpr GameSpec kSpec = {.name = "carousel",
                                     .version = 1,
                                     .columns = 4,
                                     .rows = 1,
                                     .policy_planes = 0,
                                     .policy_extras = 3,
                                     .action_layout = "two of them",
                                     .max_legal = 3,
                                     .symmetries = 1,
                                     .hidden_information = false,
                                     .uses_history = true};
  static constexpr Action kOn = 0, kBack = 1, kStamp = 2;

  using Options = CarouselOptions;
  using Rules = CarouselOptions;
  using Legal = ActionList<3>;
  struct State {
    std::uint8_t cell;
    Player to_move;
  };

  static std::span<const std::string_view> PlaneNames() {
    static constexpr std::array<std::string_view, 1> kNames = {"token"};
    return kNames;
  }
  static std::span<const std::string_view> ScalarNames() {
    static constexpr std::array<std::string_view, 3> kNames = {"seen", "past", "plies"};
    return kNames;
  }
  static Rules MakeRules(const Options& options) { return options; }
  static State Start(const Rules&, RandomStream&) { return {}; }

  static State ParsePosition(const Rules&, std::string_view text) {
    if (text.size() != 2 || text[0] < '0' || text[0] > '3' || (text[1] != 'a' && text[1] != 'b')) {
      throw UserError(StrCat("carousel position ", Quoted(text), "; accepted: 0a … 3b"));
    }
    return {static_cast<std::uint8_t>(text[0] - '0'), static_cast<Player>(text[1] - 'a')};
  }
  static std::string PositionText(const Rules&, const State& state) {
    return {static_cast<char>('0' + state.cell), static_cast<char>('a' + state.to_move)};
  }
  static std::string ActionText(const Rules&, const State&, Action action) {
    return action == kOn ? "on" : action == kBack ? "back" : "stamp";
  }
  static std::string SquareText(const Rules&, const State& state, int square) {
    return square == state.cell ? "#1" : "";
  }

  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules&, State& state, Action action) {
    if (action != kStamp) state.cell = (state.cell + (action == kOn ? 1 : 3)) % 4;
    if (action == kStamp || state.cell != 3) state.to_move ^= 1;
  }
  static Position<Legal> Examine(const Rules& rules, const State& state, const History& history) {
    Position<Legal> position;
    if (CountsForHistory(rules, state) && Seen(state, history) + 1 >= rules.repetitions) {
      position.outcome.reason = EndReason::kRepetition;
    } else if (history.ply >= rules.max_plies) {
      position.outcome.reason = EndReason::kMaxPlies;
    } else {
      position.legal.Add(kOn);
      position.legal.Add(kBack);
      // A turn that goes on ends with a move.
      if (CountsForHistory(rules, state)) position.legal.Add(kStamp);
    }
    return position;
  }

  // The past as a sum of hashes: the order of the keys does not matter.
  static Key128 StateKey(const Rules&, const State& state, const History& history) {
    std::uint64_t past = 0;
    for (const Key128& key : history.keys) past += Mix64(key.lo + 1);
    return {Mix64(past + history.ply), HistoryKey({}, state).lo};
  }
  static Key128 ObservationKey(const Rules& rules, const State& state, const History& history) {
    return {std::uint64_t{history.ply} << 2 | state.cell,
            std::uint64_t{history.keys.size()} << 32 | Seen(state, history) |
                std::uint64_t{CountsForHistory(rules, state)} << 63};
  }
  static void Observe(const Rules& rules, const State& state, const Position<Legal>&,
                      const History& history, ObservationRow row) {
    row.planes[0] = static_cast<std::uint8_t>(1 << state.cell);
    row.scalars[0] =
        static_cast<float>(Seen(state, history)) / static_cast<float>(rules.repetitions);
    row.scalars[1] = static_cast<float>(history.keys.size()) / 100000;
    row.scalars[2] = static_cast<float>(history.ply) / static_cast<float>(rules.max_plies);
  }

  static Action MoverView(Action action, Player) { return action; }
  static int MapSquare(int, int square) { return square; }
  static Action MapAction(int, Action action) { return action; }
  static std::uint8_t SymmetryMask(const Rules&, const State&) { return 1; }

  static Key128 HistoryKey(const Rules&, const State& state) {
    return {std::uint64_t{state.cell} * 2 + state.to_move, 0};
  }
  static bool CountsForHistory(const Rules&, const State& state) { return state.cell != 3; }
  static bool Irreversible(const Rules&, const State&, Action action) { return action == kStamp; }

 private:
  // How often this position has stood before, since the last stamp.
  static std::uint32_t Seen(const State& state, const History& history) {
    return static_cast<std::uint32_t>(std::ranges::count(history.keys, HistoryKey({}, state)));
  }
};
static_assert(GameWithHistory<Carousel>);

}  // namespace

template <>
std::string ExchangePlayers<Carousel>(const std::string& text) {
  return ExchangeCharacters(text, "a", "b");
}
template <>
std::string HistoryText<Carousel>(const Line<Carousel>& line) {
  return Carousel::PositionText(line.rules(), line.state());
}

namespace {

TEST(LineTest, AGameWithHistoryKeepsTheContract) { CheckGameContract<Carousel>(); }

TEST(LineTest, DrawPadsSquaresToTheWidestText) {
  const auto line = TypedGame<Carousel>({}).NewLineAt("1b");
  EXPECT_EQ(line->Draw(), "1 .  #1 .  .\n  a  b  c  d\nplayer 1 to move\n");
}

// The past kept as plainly as can be: every text since the last stamp.
TEST(LineTest, RepetitionAgreesWithAListOfTexts) {
  for (const int repetitions : {2, 3, 5, 1000}) {
    const TypedGame<Carousel> game({.repetitions = repetitions, .max_plies = 5000});
    for (int i = 0; i < 50; ++i) {
      RandomStream random(1, 0, static_cast<std::uint64_t>(i), StreamPurpose::kTest);
      Line<Carousel> line = game.Start(random);
      std::vector<std::string> past;
      while (true) {
        const std::string text = Carousel::PositionText(line.rules(), line.state());
        ASSERT_EQ(line.history().keys.size(), past.size());
        const bool counts = text[0] != '3';
        const bool repeated = counts && std::ranges::count(past, text) + 1 >= repetitions;
        ASSERT_EQ(line.outcome().reason, repeated             ? EndReason::kRepetition
                                         : line.ply() >= 5000 ? EndReason::kMaxPlies
                                                              : EndReason::kNone);
        if (line.over()) break;
        const Action action = RandomAction(line, random);
        // Look ahead and back: what a search does must not be remembered.
        line.Push(Carousel::kOn);
        if (!line.over()) line.Push(Carousel::kBack);
        while (line.depth() > 0) line.Pop();
        if (counts) past.push_back(text);
        if (action == Carousel::kStamp) past.clear();
        line.Advance(action);
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(LineTest, TheThirdOccurrenceEndsTheGame) {
  const auto line = TypedGame<Carousel>({}).NewLineAt("start");
  // 0a 1b 0a 1b: the third 0a ends it.
  for (const char* action : {"on", "back", "on", "back"}) line->Play(line->ParseAction(action));
  EXPECT_EQ(ResultText(line->outcome(), line->ply()), "result 0 score 0 plies 4 reason repetition");
}

TEST(LineTest, AStampForgetsThePast) {
  const auto line = TypedGame<Carousel>({}).NewLineAt("start");
  for (const char* action : {"on", "back", "on", "stamp", "back", "on", "back"}) {
    ASSERT_FALSE(line->over());
    line->Play(line->ParseAction(action));
  }
  EXPECT_FALSE(line->over());
}

TEST(LineTest, APlayerMovesTwice) {
  const auto line = TypedGame<Carousel>({}).NewLineAt("start");
  line->Play(line->ParseAction("back"));
  EXPECT_EQ(line->to_move(), 0);
  EXPECT_EQ(line->LegalTexts(), (std::vector<std::string>{"back", "on"}));
  line->Play(line->ParseAction("back"));
  EXPECT_EQ(line->to_move(), 1);
}

}  // namespace
}  // namespace qirkat
