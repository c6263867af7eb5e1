#include "tests/envs/against_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "envs/core/text.h"

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

TextsAndIndices LegalOf(const reference::SlowGame& slow) {
  TextsAndIndices legal;
  for (const auto& action : slow.Legal()) legal.emplace_back(action.text, action.index);
  return legal;
}

}  // namespace

int PlayBoth(AnyLine& line, reference::SlowGame& slow, RandomStream& random) {
  for (int plies = 0;; ++plies) {
    const std::string position = slow.PositionText();
    const auto legal = LegalOf(slow);
    EXPECT_EQ(line.PositionText(), position);
    EXPECT_EQ(LegalOf(line), legal) << position;
    EXPECT_EQ(ResultText(line.outcome(), line.ply()), slow.ResultText()) << position;
    if (testing::Test::HasFailure() || legal.empty()) return plies;
    const auto& [text, index] = legal[random.Below(static_cast<std::uint32_t>(legal.size()))];
    line.Play(static_cast<Action>(index));
    slow.Play(text);
  }
}

int ReferencePlies() {
  const char* plies = std::getenv("QIRKAT_REFERENCE_PLIES");
  return plies == nullptr ? 20000 : ParseNumber<int>(plies).value();
}

}  // namespace qirkat
