#include "tests/fuzz/game_input.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "envs/core/text.h"
#include "envs/registry.h"

namespace qirkat::fuzz {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A reached position may hold a counter or points beyond what a text may give.
bool HoldsALargeNumber(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = IsDigit(c) ? digits + 1 : 0;
    if (digits > 3) return true;
  }
  return false;
}

void CheckLegalActions(const AnyGame& game, const AnyLine& line) {
  const GameInfo& info = game.info();
  const int count = line.legal_count();
  QIRKAT_CHECK(line.over() == (count == 0), line.PositionText());
  QIRKAT_CHECK(count <= info.max_legal, count);
  std::vector<bool> listed(info.policy_size);
  for (int k = 0; k < count; ++k) {
    QIRKAT_CHECK(line.legal(k) < info.policy_size && !listed[line.legal(k)], line.legal(k));
    listed[line.legal(k)] = true;
    QIRKAT_CHECK(line.ParseAction(line.ActionText(line.legal(k))) == line.legal(k), line.legal(k));
  }
  std::vector<std::uint8_t> mask(info.legal_bytes);
  line.LegalMask(mask.data());
  for (int a = 0; a < info.policy_size; ++a) {
    const auto action = static_cast<Action>(a);
    QIRKAT_CHECK(line.IsLegal(action) == listed[a], a);
    const Action seen = line.MoverView(action);
    QIRKAT_CHECK((mask[seen / 8] >> (seen % 8) & 1) == listed[a], a);
  }
}

// Rows of exactly the promised sizes, so that the sanitizers see a write behind them.
void CheckObservations(const AnyGame& game, const AnyLine& line) {
  const GameInfo& info = game.info();
  std::vector<std::uint8_t> planes(info.plane_bytes), full_planes(info.full_plane_bytes);
  std::vector<float> scalars(info.scalars());
  line.Observe({planes.data(), scalars.data()});
  line.ObserveFull({full_planes.data(), scalars.data()});
  for (const float scalar : scalars) QIRKAT_CHECK(scalar >= 0 && scalar <= 1, scalar);
}

// An unknown name stands for any game: so mutations reach games that no input names.
std::string NameOfSomeGame(std::string_view name) {
  const auto names = GameNames();
  if (std::ranges::find(names, name) != names.end()) return std::string(name);
  const auto sum = std::accumulate(name.begin(), name.end(), std::size_t{0},
                                   [](std::size_t sum, unsigned char c) { return sum + c; });
  return names[sum % names.size()];
}

// Most inputs take less time than it takes to make their game.
std::shared_ptr<const AnyGame> GameOf(const std::string& name, const OptionTexts& options) {
  static std::map<std::string, std::shared_ptr<const AnyGame>> with_defaults;
  if (!options.empty()) return MakeGame(name, options);
  auto& game = with_defaults[name];
  if (game == nullptr) game = MakeGame(name);
  return game;
}

bool IsTextOf(std::string_view text, std::string_view legal) {
  if (text.size() != legal.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool file = i + 1 < legal.size() && IsDigit(legal[i + 1]) && std::islower(legal[i]);
    if (text[i] != legal[i] && !(file && text[i] == std::toupper(legal[i]))) return false;
  }
  return true;
}

}  // namespace

std::pair<std::string_view, std::string_view> CutLine(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

std::optional<GameInput> ReadGameInput(const std::uint8_t* data, std::size_t size) {
  const auto [header, rest] = CutLine({reinterpret_cast<const char*>(data), size});
  const auto words = Split(header, ' ');
  OptionTexts options;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::size_t equals = std::min(words[k].find('='), words[k].size());
    options.emplace_back(words[k].substr(0, equals),
                         words[k].substr(std::min(equals + 1, words[k].size())));
  }
  GameInput input{nullptr, rest};
  if (!Accepts([&] { input.game = GameOf(NameOfSomeGame(words[0]), options); })) {
    return std::nullopt;
  }
  return input;
}

std::unique_ptr<AnyLine> ReadPosition(const AnyGame& game, std::string_view text) {
  std::unique_ptr<AnyLine> line;
  if (!Accepts([&] { line = game.NewLineAt(text); })) return nullptr;
  // Reversi ignores a semicolon and all behind it.
  if (game.info().name == "reversi") text = text.substr(0, text.find(';'));
  QIRKAT_CHECK(text == "start" || line->PositionText() == text, text, line->PositionText());
  return line;
}

void CheckLine(const AnyGame& game, const AnyLine& line) {
  CheckLegalActions(game, line);
  CheckObservations(game, line);
  line.StateKey();
  line.ObservationKey();
  QIRKAT_CHECK((line.SymmetryMask() & 1) == 1, line.PositionText());
  QIRKAT_CHECK(!line.Draw().empty() && !line.ViewText(0).empty() && !line.ViewText(1).empty());
  const std::string text = line.PositionText();
  QIRKAT_CHECK(ReadPosition(game, text) != nullptr || HoldsALargeNumber(text), text);
}

bool PlayText(AnyLine& line, std::string_view text) {
  const auto legal = line.LegalTexts();
  const auto named = std::ranges::find_if(legal, [&](auto& of) { return IsTextOf(text, of); });
  Action action = 0;
  const bool taken = Accepts([&] { action = line.ParseAction(text); });
  QIRKAT_CHECK(taken == (named != legal.end()), text, line.PositionText());
  if (!taken) return false;
  QIRKAT_CHECK(line.ActionText(action) == *named, text, line.PositionText());
  line.Play(action);
  return true;
}

}  // namespace qirkat::fuzz
