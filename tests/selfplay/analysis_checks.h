// What the tests of the analysis share.
#pragma once

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "envs/registry.h"
#include "selfplay/analysis/analysis.h"
#include "selfplay/match/player_spec.h"

namespace qirkat {

inline std::unique_ptr<Analysis> Make(const AnyGame& game, const std::string& spec, int batch,
                                      std::int64_t cache_mib = 0) {
  return MakeAnalysis(game, MakePlayer(spec, game.info(), {}, "--player"),
                      {.batch = batch, .cache_mib = cache_mib});
}

inline AnalysisResult Finish(Analysis& analysis, std::optional<std::int64_t> visits) {
  analysis.Begin(visits);
  while (analysis.Step()) {
  }
  return analysis.Result(10'000, 6);
}

// A position some plies into a random game.
inline std::unique_ptr<AnyLine> RandomLine(const AnyGame& game, std::uint64_t seed,
                                           std::uint32_t plies) {
  RandomStream random(seed);
  auto line = game.NewLine(random);
  while (line->ply() < plies && !line->over()) {
    const auto count = static_cast<std::uint32_t>(line->legal_count());
    auto next = line->Clone();
    next->Play(line->legal(static_cast<int>(random.Below(count))));
    if (next->over()) break;
    line = std::move(next);
  }
  return line;
}

inline std::shared_ptr<const AnyGame> PlayableGame(const std::string& name) {
  return MakeGame(name, name == "stratego" ? OptionTexts{{"setup", "random"}} : OptionTexts());
}

// All that a result says.
inline std::vector<std::uint64_t> Bits(const AnalysisResult& result) {
  std::vector<std::uint64_t> bits = {result.visits};
  const auto add = [&](float value) { bits.push_back(std::bit_cast<std::uint32_t>(value)); };
  const auto add_proven = [&](const auto& proven) {
    bits.push_back(proven ? static_cast<std::uint64_t>(*proven + 1) : 9u);
  };
  for (const float share : result.wdl) add(share);
  add(result.score);
  add(result.moves_left);
  add_proven(result.proven);
  for (const AnalysisLine& line : result.lines) {
    bits.insert(bits.end(), line.actions.begin(), line.actions.end());
    bits.push_back(line.visits);
    for (const float value : {line.prior, line.share, line.value, line.score, line.moves_left}) {
      add(value);
    }
    for (const float share : line.wdl.value_or(std::array<float, 3>())) add(share);
    add_proven(line.proven);
  }
  return bits;
}

}  // namespace qirkat
