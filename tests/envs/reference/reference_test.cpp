// The slow games against the worked cases, counts, traces and games of tests/data.
#include "tests/envs/reference/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>

namespace qirkat::reference {
namespace {

constexpr char kStrategoSetup[] =
    "694959193757S69482598B6739B649BFB8578B8B,73919594969528496S75946B9376B8B8B8758BFB";

std::vector<std::string> LinesOf(const std::string& name) {
  std::ifstream file(std::string(QIRKAT_TEST_DATA) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Cut at the first " | " … of `line`, `count` fields; one space or none is trimmed at the ends.
std::vector<std::string> Fields(std::string line, int count) {
  std::vector<std::string> fields;
  const auto add = [&](std::string field) {
    if (field.starts_with(' ')) field.erase(0, 1);
    if (field.ends_with(' ')) field.pop_back();
    fields.push_back(field);
  };
  for (int i = 1; i < count; ++i) {
    const auto bar = line.find('|');
    EXPECT_NE(bar, std::string::npos) << line;
    add(line.substr(0, bar));
    line.erase(0, bar + 1);
  }
  add(line);
  return fields;
}

// "a=1 b=on"
SlowOptions ParseSettings(const std::string& text) {
  SlowOptions options;
  for (const std::string& word : Words(text)) {
    const auto equals = word.find('=');
    options[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return options;
}

std::string LegalTexts(const SlowGame& game, const std::string& separator) {
  std::string texts;
  for (const SlowAction& action : game.Legal()) {
    texts += (texts.empty() ? "" : separator) + action.text;
  }
  return texts;
}

// "game | options | position > actions"
std::unique_ptr<SlowGame> PlayCase(const std::vector<std::string>& fields) {
  const auto arrow = fields[2].find(" > ");
  auto game = MakeSlowGame(fields[0], ParseSettings(fields[1]), fields[2].substr(0, arrow));
  if (arrow == std::string::npos) return game;
  for (const std::string& action : Words(fields[2].substr(arrow + 3))) game->Play(action);
  return game;
}

void CheckCase(const SlowGame& game, const std::string& expected) {
  const std::string rest = expected.size() > 2 ? expected.substr(2) : "";
  switch (expected.empty() ? ' ' : expected[0]) {
    case '@':
      EXPECT_EQ(game.PositionText(), rest);
      break;
    case '#':
      EXPECT_TRUE(game.ResultText().starts_with("result " + rest)) << game.ResultText();
      break;
    case '~': {
      std::vector<std::string> legal;
      for (const SlowAction& action : game.Legal()) {
        legal.push_back(action.text + ':' + std::to_string(action.index));
      }
      for (const std::string& pair : Words(rest)) {
        EXPECT_EQ(std::count(legal.begin(), legal.end(), pair), 1) << pair;
      }
      break;
    }
    case '$':
      EXPECT_EQ(game.ViewText(0) + " || " + game.ViewText(1), rest);
      break;
    default:
      EXPECT_EQ(LegalTexts(game, " "), expected);
  }
}

void CheckCases(const std::string& file, int count) {
  int checked = 0;
  for (const std::string& text : LinesOf(file)) {
    if (text.empty() || text[0] == '#') continue;
    SCOPED_TRACE(text);
    const auto fields = Fields(text, 4);
    ++checked;
    if (fields[3].starts_with('!')) {
      EXPECT_THROW(PlayCase(fields), Refused);
    } else {
      EXPECT_NO_THROW(CheckCase(*PlayCase(fields), fields[3]));
    }
  }
  EXPECT_EQ(checked, count);
}

TEST(ReferenceTest, Cases) { CheckCases("cases.txt", 111); }
TEST(ReferenceTest, MoreCases) { CheckCases("more_cases.txt", 125); }

std::uint64_t Perft(const SlowGame& game, int depth) {
  const auto legal = game.Legal();
  if (depth == 1) return legal.size();
  std::uint64_t count = 0;
  for (const SlowAction& action : legal) {
    const auto next = game.Copy();
    next->Play(action.text);
    count += Perft(*next, depth - 1);
  }
  return count;
}

// As deep as the count stays affordable; returns how many depths that were.
int CheckPerft(const SlowGame& game, const std::string& counts) {
  constexpr std::uint64_t kAffordable = 200000;
  int depth = 0;
  for (const std::string& count : Words(counts)) {
    const std::uint64_t expected = std::stoull(count);
    if (expected > kAffordable) break;
    ++depth;
    EXPECT_EQ(Perft(game, depth), expected) << depth;
  }
  return depth;
}

TEST(ReferenceTest, Perft) {
  int checked = 0;
  for (const std::string& text : LinesOf("perft.txt")) {
    if (text.empty() || text[0] == '#') continue;
    SCOPED_TRACE(text);
    const auto fields = Fields(text, 4);
    checked += CheckPerft(*PlayCase(fields), fields[3]);
  }
  EXPECT_GE(checked, 200);
}

TEST(ReferenceTest, PerftFromTheStart) {
  const auto check = [](const std::string& game, const SlowOptions& options,
                        const std::string& counts) {
    SCOPED_TRACE(game);
    EXPECT_GE(CheckPerft(*MakeSlowGame(game, options, "start"), counts), 3);
  };
  check("reversi", {}, "4 12 56 244 1396 8200 55092 390216 3005288 24571056");
  check("alquerque", {}, "4 5 6 12 19 64 236 949 3992 18140");
  check("superlogo", {}, "3 4 13 29 122 515 2544 14197 86942 563019");
  check("super1al5", {}, "22 484 15092 470596 17724508");
  check("stratego", {{"setup", kStrategoSetup}}, "10 94 1193 14973 209365");
}

// The lines of a trace, made anew from the actions in its third column. Each position text is read
// back, and no legal action of these games depends on what a text does not carry.
void CheckTrace(const std::string& game_name, const SlowOptions& options) {
  const auto lines = LinesOf("trace_" + game_name + ".txt");
  EXPECT_GE(lines.size(), 100u);
  auto game = MakeSlowGame(game_name, options, "start");
  for (const std::string& line : lines) {
    if (line.starts_with("result ")) {
      ASSERT_EQ(game->ResultText(), line);
      game = MakeSlowGame(game_name, options, "start");
      continue;
    }
    const std::string action = line.substr(line.rfind('\t') + 1);
    ASSERT_EQ(game->PositionText() + '\t' + LegalTexts(*game, ",") + '\t' + action, line);
    const auto again = MakeSlowGame(game_name, options, game->PositionText());
    ASSERT_EQ(again->PositionText(), game->PositionText());
    ASSERT_EQ(LegalTexts(*again, ","), LegalTexts(*game, ","));
    game->Play(action);
  }
  EXPECT_EQ(game->plies(), 0);  // the last line is a result
}

TEST(ReferenceTest, TraceReversi) { CheckTrace("reversi", {}); }
TEST(ReferenceTest, TraceAlquerque) { CheckTrace("alquerque", {}); }
TEST(ReferenceTest, TraceSuperlogo) { CheckTrace("superlogo", {}); }
TEST(ReferenceTest, TraceSuper1al5) { CheckTrace("super1al5", {}); }
TEST(ReferenceTest, TraceStratego) { CheckTrace("stratego", {{"setup", kStrategoSetup}}); }

void PlayAll(SlowGame& game, const std::vector<std::string>& actions, int count) {
  for (int i = 0; i < count; ++i) game.Play(actions[i]);
}

// Under `tournament` only more-squares forbids each game's last action; under `classic` nothing
// does.
TEST(ReferenceTest, StrategoChaseGames) {
  const auto games = LinesOf("stratego_chase_games.txt");
  EXPECT_EQ(games.size(), 40u);
  for (const std::string& text : games) {
    SCOPED_TRACE(text);
    const auto tab = text.find('\t');
    const std::string start = text.substr(0, tab);
    const auto actions = Words(text.substr(tab + 1));
    const int last = static_cast<int>(actions.size()) - 1;
    SlowOptions options = {{"no_attack_limit", "0"}, {"max_plies", "0"}};

    options["rules"] = "classic";
    EXPECT_NO_THROW(PlayAll(*MakeSlowGame("stratego", options, start), actions, last + 1));

    options["rules"] = "tournament";
    const auto game = MakeSlowGame("stratego", options, start);
    ASSERT_NO_THROW(PlayAll(*game, actions, last));
    EXPECT_THROW(game->Play(actions[last]), Refused);
  }
}

TEST(ReferenceTest, StrategoHumanSetups) {
  const auto setups = LinesOf("stratego_human_setups_sample.txt");
  EXPECT_EQ(setups.size(), 3000u);
  const std::string other = std::string(kStrategoSetup).substr(41);
  for (const std::string& setup : setups) {
    SCOPED_TRACE(setup);
    const auto placed = MakeSlowGame("stratego", {}, "start");
    for (const char letter : setup + other) placed->Play(std::string(1, letter));
    const auto chosen = MakeSlowGame("stratego", {{"setup", setup + "," + other}}, "start");
    ASSERT_EQ(placed->PositionText(), chosen->PositionText());
    ASSERT_EQ(placed->plies(), 80);
  }
}

}  // namespace
}  // namespace qirkat::reference
