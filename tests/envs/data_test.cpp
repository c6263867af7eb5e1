// The worked cases, counts, traces and human games of tests/data, for every game that is
// registered.
#include <gtest/gtest.h>

#include <algorithm>

#include "envs/registry.h"
#include "tests/envs/test_data.h"

namespace qirkat {
namespace {

bool IsRegistered(std::string_view game) {
  return std::ranges::count(GameNames(), std::string(game)) > 0;
}

// "a=1 b=on" -> options.
OptionTexts ParseSettings(std::string_view text) {
  OptionTexts options;
  for (const std::string_view setting : Split(text, ' ')) {
    const auto equals = setting.find('=');
    if (equals == std::string_view::npos) continue;
    options.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return options;
}

// " a | b | c " -> trimmed fields; the last keeps what is left (a '|' in the two views).
std::vector<std::string> Fields(std::string_view line, int count) {
  std::vector<std::string> fields;
  for (int i = 1; i < count; ++i) {
    const auto bar = line.find('|');
    EXPECT_NE(bar, std::string_view::npos) << line;
    fields.emplace_back(Trim(line.substr(0, bar)));
    line.remove_prefix(bar + 1);
  }
  fields.emplace_back(Trim(line));
  return fields;
}

std::unique_ptr<AnyLine> PlayCase(const std::vector<std::string>& fields) {
  const auto game = MakeGame(fields[0], ParseSettings(fields[1]));
  const std::string_view position = fields[2];
  const auto arrow = position.find(" > ");
  auto line = game->NewLineAt(position.substr(0, arrow));
  if (arrow == std::string_view::npos) return line;
  for (const std::string_view action : Split(position.substr(arrow + 3), ' ')) {
    line->Play(line->ParseAction(action));
  }
  return line;
}

// What tests/data/cases.txt expects of a case, by its first character.
void CheckCase(const AnyLine& line, const std::string& expected) {
  const char kind = expected.empty() ? ' ' : expected[0];  // empty: no legal action
  const std::string rest(Trim(expected.empty() ? "" : std::string_view(expected).substr(1)));
  switch (kind) {
    case '@':
      EXPECT_EQ(line.PositionText(), rest);
      break;
    case '#':
      EXPECT_TRUE(ResultText(line.outcome(), line.ply()).starts_with("result " + rest))
          << ResultText(line.outcome(), line.ply());
      break;
    case '~':
      for (const std::string_view pair : Split(rest, ' ')) {
        const auto colon = pair.rfind(':');
        EXPECT_EQ(line.ParseAction(pair.substr(0, colon)),
                  ParseNumber<Action>(pair.substr(colon + 1)));
      }
      break;
    case '$':
      EXPECT_EQ(line.ViewText(0) + " || " + line.ViewText(1), rest);
      break;
    default:
      EXPECT_EQ(Join(line.LegalTexts(), " "), expected);
  }
}

void CheckCases(const std::string& file, int at_least) {
  int checked = 0;
  for (const std::string& text : LinesOf(file)) {
    if (text.empty() || text[0] == '#') continue;
    const auto fields = Fields(text, 4);
    if (!IsRegistered(fields[0])) continue;
    SCOPED_TRACE(text);
    ++checked;
    if (fields[3].starts_with('!')) {
      EXPECT_THROW(PlayCase(fields), UserError);
    } else {
      CheckCase(*PlayCase(fields), fields[3]);
    }
  }
  EXPECT_GE(checked, at_least);
}

TEST(DataTest, Cases) { CheckCases("cases.txt", 111); }
TEST(DataTest, MoreCases) { CheckCases("more_cases.txt", 125); }

TEST(DataTest, Perft) {
  int checked = 0;
  for (const std::string& text : LinesOf("perft.txt")) {
    if (text.empty() || text[0] == '#') continue;
    const auto fields = Fields(text, 4);
    if (!IsRegistered(fields[0])) continue;
    SCOPED_TRACE(text);
    ++checked;
    const auto line = MakeGame(fields[0], ParseSettings(fields[1]))->NewLineAt(fields[2]);
    int depth = 0;
    for (const std::string_view count : Split(fields[3], ' ')) {
      EXPECT_EQ(line->Perft(++depth), ParseNumber<std::uint64_t>(count)) << depth;
    }
  }
  EXPECT_GE(checked, 44);
}

TEST(DataTest, Traces) {
  int plies = 0;
  for (const std::string& name : GameNames()) {
    const auto game =
        MakeGame(name, name == "stratego" ? OptionTexts{{"setup", std::string(kTraceSetups)}}
                                          : OptionTexts{});
    auto line = game->NewLineAt("start");
    for (const std::string& text : LinesOf("trace_" + name + ".txt")) {
      if (text.starts_with("result ")) {
        EXPECT_EQ(ResultText(line->outcome(), line->ply()), text);
        line = game->NewLineAt("start");
        continue;
      }
      const auto columns = Split(text, '\t');
      ASSERT_EQ(columns.size(), 3u);
      EXPECT_EQ(line->PositionText(), columns[0]);
      EXPECT_EQ(Join(line->LegalTexts(), ","), columns[1]);
      line->Play(line->ParseAction(columns[2]));
      ++plies;
    }
  }
  EXPECT_GE(plies, 3900);
}

TEST(DataTest, HumanReversiGames) {
  const auto game = MakeGame("reversi", {{"winner_takes_empties", "on"}});
  const auto games = LinesOf("reversi_human_games_1984.txt");
  EXPECT_EQ(games.size(), 579u);
  for (const std::string& text : games) {
    SCOPED_TRACE(text);
    const auto columns = Split(text, '\t');
    const auto line = game->NewLineAt("start");
    for (const std::string_view action : Split(columns[0], ' ')) {
      line->Play(line->ParseAction(action));
    }
    EXPECT_TRUE(line->over());
    // The file has Black's share of 64, a draw's empties divided.
    EXPECT_EQ((64 + line->outcome().score) / 2, ParseNumber<int>(columns[1]));
  }
}

}  // namespace
}  // namespace qirkat
