// AnyLine and AnyGame over a game's type.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/draw.h"
#include "envs/core/error.h"
#include "envs/core/line.h"
#include "envs/core/perft.h"
#include "envs/core/text.h"

namespace qirkat {

// Lower-cases a file letter that stands before a rank ("D3" -> "d3"); the rest is exact.
std::string NormalizeActionText(std::string_view text);

template <Game G>
class TypedLine final : public AnyLine {
 public:
  explicit TypedLine(Line<G> line) : line_(std::move(line)) {}

  Line<G>& line() { return line_; }
  const Line<G>& line() const { return line_; }

  std::unique_ptr<AnyLine> Clone() const override { return std::make_unique<TypedLine>(line_); }
  const GameSpec& spec() const override { return G::kSpec; }
  Player to_move() const override { return line_.to_move(); }
  const Outcome& outcome() const override { return line_.outcome(); }
  std::uint32_t ply() const override { return line_.ply(); }
  int legal_count() const override { return line_.legal().size(); }
  Action legal(int k) const override { return line_.legal()[k]; }
  bool IsLegal(Action action) const override { return line_.legal().Contains(action); }

  void Play(Action action) override {
    if (!IsLegal(action)) {
      throw UserError(StrCat("action index ", action, " is not legal here; ", LegalText()));
    }
    line_.Advance(action);
  }
  std::string ActionText(Action action) const override {
    return G::ActionText(line_.rules(), line_.state(), action);
  }
  Action ParseAction(std::string_view text) const override {
    const std::string normalized = NormalizeActionText(text);
    for (int k = 0; k < legal_count(); ++k) {
      if (ActionText(legal(k)) == normalized) return legal(k);
    }
    throw UserError(StrCat(Quoted(text), " is not legal here; ", LegalText()));
  }
  std::vector<std::string> LegalTexts() const override {
    std::vector<std::string> texts;
    for (int k = 0; k < legal_count(); ++k) texts.push_back(ActionText(legal(k)));
    std::sort(texts.begin(), texts.end());
    return texts;
  }
  std::string PositionText() const override {
    return G::PositionText(line_.rules(), line_.state());
  }
  std::string StartText() const override { return G::PositionText(line_.rules(), line_.start()); }
  std::string ViewText([[maybe_unused]] Player player) const override {
    if constexpr (G::kSpec.hidden_information) {
      return G::ViewText(line_.rules(), line_.state(), player);
    } else {
      return PositionText();
    }
  }
  std::string SquareText(int square) const override {
    return G::SquareText(line_.rules(), line_.state(), square);
  }
  std::string ViewSquareText([[maybe_unused]] Player player, int square) const override {
    if constexpr (G::kSpec.hidden_information) {
      return G::ViewSquareText(line_.rules(), line_.state(), player, square);
    } else {
      return SquareText(square);
    }
  }
  std::string Draw() const override { return DrawBoard(*this); }
  std::string DrawView(Player player) const override { return DrawBoard(*this, player); }
  void Observe(ObservationRow row) const override { line_.Observe(row); }
  void ObserveFull(ObservationRow row) const override { line_.ObserveFull(row); }
  void LegalMask(std::uint8_t* mask) const override { WriteLegalMask(line_, mask); }
  Action MoverView(Action action) const override { return G::MoverView(action, to_move()); }
  std::uint8_t SymmetryMask() const override {
    return G::SymmetryMask(line_.rules(), line_.state());
  }
  Key128 StateKey() const override { return line_.StateKey(); }
  Key128 ObservationKey() const override { return line_.ObservationKey(); }

  Playout RandomPlayout(RandomStream& random) const override {
    Line<G> line = line_;
    while (!line.over()) {
      line.Advance(line.legal()[random.Below(static_cast<std::uint32_t>(line.legal().size()))]);
    }
    return {line.outcome(), line.ply() - line_.ply()};
  }

  std::uint64_t Perft(int depth) const override {
    Line<G> line = line_;
    return qirkat::Perft(line, depth);
  }

  // "legal: c4 d3 …", or that the game is over: for error messages.
  std::string LegalText() const {
    if (over()) return StrCat("the game is over (", ReasonText(outcome()), ')');
    return StrCat("legal: ", Join(LegalTexts(), " "));
  }

  // [legal_bytes] bit-packed legal mask of `line`, mover's view.
  static void WriteLegalMask(const Line<G>& line, std::uint8_t* mask) {
    if constexpr (LegalActionsWithMask<typename G::Legal>) {
      line.legal().WriteMask(line.to_move(), mask);
      return;
    }
    std::memset(mask, 0, G::kSpec.legal_bytes());
    const Player player = line.to_move();
    for (int k = 0; k < line.legal().size(); ++k) {
      const Action action = G::MoverView(line.legal()[k], player);
      mask[action / 8] |= static_cast<std::uint8_t>(1u << (action % 8));
    }
  }

 private:
  Line<G> line_;
};

// The options as files store them: as they are, unless a game's ResolveOptions adds what pins down
// a file that they name.
template <Game G>
typename G::Options ResolvedOptions(const typename G::Options& options,
                                    const typename G::Rules& rules) {
  if constexpr (requires { G::ResolveOptions(options, rules); }) {
    return G::ResolveOptions(options, rules);
  } else {
    return options;
  }
}

template <Game G>
class TypedGame final : public AnyGame {
 public:
  explicit TypedGame(const typename G::Options& options)
      : rules_(std::make_shared<const typename G::Rules>(G::MakeRules(options))),
        info_(MakeGameInfo<G>(ResolvedOptions<G>(options, *rules_))) {}

  const GameInfo& info() const override { return info_; }
  const std::shared_ptr<const typename G::Rules>& rules() const { return rules_; }

  Line<G> Start(RandomStream& setup) const { return Line<G>(rules_, G::Start(*rules_, setup)); }
  Line<G> StartAt(std::string_view position) const {
    if (position == "start") {
      RandomStream setup;
      return Start(setup);
    }
    return Line<G>(rules_, G::ParsePosition(*rules_, position));
  }
  std::unique_ptr<AnyLine> NewLine(RandomStream& setup) const override {
    return std::make_unique<TypedLine<G>>(Start(setup));
  }
  std::unique_ptr<AnyLine> NewLineAt(std::string_view position) const override {
    return std::make_unique<TypedLine<G>>(StartAt(position));
  }

 private:
  std::shared_ptr<const typename G::Rules> rules_;
  GameInfo info_;
};

}  // namespace qirkat
