#include "tests/envs/against_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "envs/core/text.h"
#include "envs/registry.h"

namespace qirkat {
namespace {

using TextsAndIndices = std::vector<std::pair<std::string, int>>;  // in byte order of the texts

TextsAndIndices LegalOf(const AnyLine& line) {
  TextsAndIndices legal;
  for (int k = 0; k < line.legal_count(); ++k) {
    legal.emplace_back(line.ActionText(line.legal(k)), line.legal(k));
  }
  std::sort(legal.begin(), legal.end());
  return legal;
}

TextsAndIndices LegalOf(const std::vector<reference::SlowAction>& actions) {
  TextsAndIndices legal;
  for (const auto& action : actions) legal.emplace_back(action.text, action.index);
  return legal;
}

const reference::SlowAction& Choose(const AnyLine& line,
                                    const std::vector<reference::SlowAction>& actions,
                                    RandomStream& random, const ActionWeight& weight) {
  std::vector<std::size_t> tickets;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    tickets.insert(tickets.end(), weight ? weight(line, actions[i]) : 1, i);
  }
  return actions[tickets[random.Below(static_cast<std::uint32_t>(tickets.size()))]];
}

int ReferencePlies() {
  const char* plies = std::getenv("QIRKAT_REFERENCE_PLIES");
  return plies == nullptr ? 20000 : ParseNumber<int>(plies).value();
}

}  // namespace

int PlayBoth(AnyLine& line, reference::SlowGame& slow, RandomStream& random,
             const ActionWeight& weight) {
  for (int plies = 0;; ++plies) {
    const std::string position = slow.PositionText();
    const auto legal = slow.Legal();
    EXPECT_EQ(line.PositionText(), position);
    EXPECT_EQ(LegalOf(line), LegalOf(legal)) << position;
    for (const Player player : {Player{0}, Player{1}}) {
      EXPECT_EQ(line.ViewText(player), slow.ViewText(player)) << position;
    }
    EXPECT_EQ(ResultText(line.outcome(), line.ply()), slow.ResultText()) << position;
    if (testing::Test::HasFailure() || legal.empty()) return plies;
    const auto& action = Choose(line, legal, random, weight);
    line.Play(static_cast<Action>(action.index));
    slow.Play(action.text);
  }
}

void CompareWithReference(const std::string& name, const std::vector<OptionTexts>& variants,
                          const StartText& start_of, const WeightOfGame& weight_of) {
  RandomStream random(1, 0, 0, StreamPurpose::kTest);
  const int wanted = ReferencePlies() / static_cast<int>(variants.size());
  for (const OptionTexts& variant : variants) {
    SCOPED_TRACE(testing::PrintToString(variant));
    const auto game = MakeGame(name, variant);
    int plies = 0;
    for (int games = 0; plies < wanted && games < wanted; ++games) {
      const std::string start = start_of(games, random);
      std::unique_ptr<reference::SlowGame> slow;
      try {
        slow = reference::MakeSlowGame(name, {variant.begin(), variant.end()}, start);
      } catch (const reference::Refused&) {
        EXPECT_THROW(game->NewLineAt(start), UserError) << start;
        continue;
      }
      plies += PlayBoth(*game->NewLineAt(start), *slow, random,
                        weight_of ? weight_of(games) : ActionWeight());
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    EXPECT_GE(plies, wanted / 2);
  }
}

}  // namespace qirkat
