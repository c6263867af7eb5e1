// What every game promises (envs/core/game.h), checked on random games: one set of tests for all.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "tests/envs/line_contract.h"
#include "tests/envs/view_contract.h"

namespace qirkat {

// Rule options that are worth the whole contract too: texts without a list of choices. A game may
// specialize it in its test.
template <Game G>
std::vector<OptionTexts> MoreVariants() {
  return {};
}

template <Game G>
class GameContract {
 public:
  using Options = typename G::Options;
  static constexpr GameSpec kSpec = G::kSpec;

  // Defaults, and one variant for each other value of a switch or choice and for small limits.
  static std::vector<Options> Variants() {
    std::vector<Options> variants = {Options{}};
    const auto add = [&](const std::string& name, const std::string& value) {
      variants.emplace_back();
      SetOption(variants.back(), name, value, "variant");
    };
    for (const OptionInfo& option : DescribeOptions(Options{})) {
      if (option.type == OptionType::kSwitch) add(option.name, option.value == "on" ? "off" : "on");
      if (option.type == OptionType::kInteger) {
        for (const double value : {0.0, 6.0}) {
          if (value >= option.facts.min && value <= option.facts.max) {
            add(option.name, NumberText(value));
          }
        }
      }
      for (const std::string& choice : option.facts.choices) {
        if (choice != option.default_value) add(option.name, choice);
      }
    }
    for (const OptionTexts& texts : MoreVariants<G>()) {
      variants.push_back(ParseOptions<Options>(texts, "variant"));
    }
    return variants;
  }

  explicit GameContract(const Options& options) : game_(options) {}
  const TypedGame<G>& game() const { return game_; }

  // Calls check(line) in every position, ends included, of up to `games` random games of at most
  // 400 plies; starts no game after `positions` positions.
  template <class Check>
  void ForRandomPositions(int games, int positions, Check check) {
    for (int i = 0; i < games && positions > 0 && !testing::Test::HasFailure(); ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      RandomStream random(5, 0, number, StreamPurpose::kTest);
      RandomStream setup(5, 0, number, StreamPurpose::kSetup);
      Line<G> line = game_.Start(setup);
      check(line);
      while (!line.over() && line.ply() < 400 && !testing::Test::HasFailure()) {
        line.Advance(RandomAction(line, random));
        check(line);
      }
      positions -= static_cast<int>(line.ply());
    }
  }

  void FactsFit() const {
    const GameInfo& info = game_.info();
    EXPECT_GT(info.version, 0);
    EXPECT_FALSE(info.action_layout.empty());
    EXPECT_LE(kSpec.symmetries, 8);
    EXPECT_GE(kSpec.symmetries, 1);
    for (const auto* names : {&info.plane_names, &info.scalar_names}) {
      EXPECT_EQ(std::set<std::string>(names->begin(), names->end()).size(), names->size());
    }
    EXPECT_EQ(info.options.size(), Options::Table().size());
    for (const OptionInfo& option : info.options) EXPECT_FALSE(option.facts.help.empty());
  }

  void OutcomeFitsLegalActions(const Line<G>& line) const {
    const auto& legal = line.legal();
    EXPECT_EQ(line.over(), legal.empty());
    EXPECT_EQ(legal.empty(), legal.size() == 0);
    EXPECT_LE(legal.size(), kSpec.max_legal);
    EXPECT_LE(std::abs(line.outcome().result), 1);
    std::vector<bool> listed(kSpec.policy_size());
    for (int k = 0; k < legal.size(); ++k) {
      ASSERT_LT(legal[k], kSpec.policy_size());
      EXPECT_FALSE(listed[legal[k]]) << "twice: " << legal[k];
      listed[legal[k]] = true;
    }
    std::vector<std::uint8_t> mask(kSpec.legal_bytes(), 0xFF);
    TypedLine<G>::WriteLegalMask(line, mask.data());
    int bits = 0;
    for (int a = 0; a < kSpec.policy_size(); ++a) {
      const auto action = static_cast<Action>(a);
      EXPECT_EQ(legal.Contains(action), listed[a]) << a;
      const Action seen = G::MoverView(action, line.to_move());
      EXPECT_EQ((mask[seen / 8] >> (seen % 8) & 1) != 0, listed[a]) << a;
      bits += mask[a / 8] >> (a % 8) & 1;
    }
    EXPECT_EQ(bits, legal.size());
    // Nothing behind the last action.
    EXPECT_EQ(mask.back() >> ((kSpec.policy_size() - 1) % 8 + 1), 0);
  }

  void TextsRoundTrip(const Line<G>& line) const {
    const TypedLine<G> typed(line);
    const std::string text = typed.PositionText();
    const TypedLine<G> parsed(game_.StartAt(text));
    EXPECT_EQ(parsed.PositionText(), text);
    EXPECT_EQ(parsed.to_move(), line.to_move());
    // A text starts a new record: the past and the ply count are gone.
    if (!kSpec.uses_history && !line.over()) {
      EXPECT_EQ(parsed.LegalTexts(), typed.LegalTexts());
    }

    std::set<std::string> texts;
    for (int k = 0; k < line.legal().size(); ++k) {
      std::string action = typed.ActionText(line.legal()[k]);
      EXPECT_TRUE(texts.insert(action).second) << "two actions are called " << action;
      EXPECT_EQ(typed.ParseAction(action), line.legal()[k]);
      if (action.size() > 1 && std::isdigit(static_cast<unsigned char>(action[1]))) {
        action[0] = static_cast<char>(std::toupper(action[0]));
        EXPECT_EQ(typed.ParseAction(action), line.legal()[k]);
      }
    }
    EXPECT_THROW(typed.ParseAction("no such action"), UserError);
    SquareTextsAreShort(typed);
  }

  void SquareTextsAreShort(const AnyLine& line) const {
    EXPECT_EQ(kSpec.disc_texts[0].empty(), kSpec.disc_texts[1].empty());
    for (int square = 0; square < kSpec.squares(); ++square) {
      const std::string text = line.SquareText(square);
      EXPECT_LE(text.size(), 8u);
      EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; })) << text;
      if (!text.empty() && !kSpec.disc_texts[0].empty()) {
        EXPECT_NE(std::ranges::find(kSpec.disc_texts, text), kSpec.disc_texts.end()) << text;
      }
    }
  }

  // A text with one character more, less or other is refused, or is the text of what it parses to.
  void DamagedTextsAreRefused(const Line<G>& line, RandomStream& random) const {
    const std::string text = G::PositionText(line.rules(), line.state());
    for (int i = 0; i < 30; ++i) {
      std::string damaged = text;
      const std::size_t at = random.Below(static_cast<std::uint32_t>(text.size()));
      const char letter = static_cast<char>(' ' + random.Below(95));
      switch (random.Below(4)) {
        case 0:
          damaged.erase(at, 1);
          break;
        case 1:
          damaged.insert(at, 1, letter);
          break;
        case 2:
          damaged[at] = letter;
          break;
        default:
          damaged += letter;
          break;
      }
      if (damaged.find(';') != std::string::npos) continue;  // Reversi ignores what is behind it
      try {
        const auto state = G::ParsePosition(line.rules(), damaged);
        EXPECT_EQ(G::PositionText(line.rules(), state), damaged);
      } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
    EXPECT_THROW(G::ParsePosition(line.rules(), ""), UserError);
    EXPECT_THROW(G::ParsePosition(line.rules(), text + " "), UserError);
    EXPECT_THROW(G::ParsePosition(line.rules(), " " + text), UserError);
  }

  void ObservationIsWholeAndInRange(const Line<G>& line) const {
    const Observation zeros = Observe(line, 0x00);
    const Observation ones = Observe(line, 0xFF);
    EXPECT_EQ(zeros.planes, ones.planes) << "a byte is not written";
    EXPECT_EQ(zeros.scalars, ones.scalars) << "a scalar is not written";
    EXPECT_TRUE(ObserveFull(line, 0x00) == ObserveFull(line, 0xFF)) << "a full state";
    for (const float scalar : zeros.scalars) {
      EXPECT_GE(scalar, 0);
      EXPECT_LE(scalar, 1);
    }
    const int bits = game_.info().planes() * kSpec.squares();
    for (int bit = bits; bit < 8 * game_.info().plane_bytes; ++bit) {
      EXPECT_EQ(zeros.planes[bit / 8] >> (bit % 8) & 1, 0) << "padding bit " << bit;
    }
  }

 private:
  TypedGame<G> game_;
};

inline std::vector<std::string> TextsOf(const OptionTexts& options) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : options) texts.push_back(name + '=' + value);
  return texts;
}

// The whole contract, for every variant of the rule options.
template <Game G>
void CheckGameContract() {
  for (const auto& options : GameContract<G>::Variants()) {
    SCOPED_TRACE(testing::Message()
                 << G::kSpec.name << " with " << Join(TextsOf(OptionValues(options)), " "));
    GameContract<G> contract(options);
    contract.FactsFit();
    const ViewContract<G> views(options);
    views.MoverViewIsAnInvolution();
    views.SymmetriesArePermutations();
    RandomStream random(9, 0, 0, StreamPurpose::kTest);
    contract.ForRandomPositions(10, 700, [&](const Line<G>& line) {
      contract.OutcomeFitsLegalActions(line);
      contract.TextsRoundTrip(line);
      contract.DamagedTextsAreRefused(line, random);
      contract.ObservationIsWholeAndInRange(line);
      views.SymmetriesCommute(line);
      views.BothPlayersSeeTheSame(line);
      if (line.ply() % 32 == 0) views.ViewsFollowPlay(line, random);
    });
    KeyContract<G> keys;
    contract.ForRandomPositions(200, 12000, [&](const Line<G>& line) { keys.Check(line); });
    CheckLines(contract.game(), 10, 1000);
  }
}

}  // namespace qirkat
