// The contract over every registered game and the worked example.
#include "docs/examples/tictactoe/tictactoe.h"
#include "tests/envs/game_contract.h"
#include "tests/envs/registered_games.h"

namespace qirkat {

template <>
std::string MapPositionText<Reversi>(int symmetry, const std::string& text) {
  return MapCharacterPerSquare<Reversi>(symmetry, text);
}
template <>
std::string MapPositionText<TicTacToe>(int symmetry, const std::string& text) {
  return MapCharacterPerSquare<TicTacToe>(symmetry, text);
}

template <>
std::string ExchangePlayers<Reversi>(const std::string& text) {
  return ExchangeCharacters(text, "X", "O");
}
template <>
std::string ExchangePlayers<TicTacToe>(const std::string& text) {
  return ExchangeCharacters(text, "x", "o");
}

namespace {

// The position text of a small board: board, side, chain, …
template <Game G, class Map>
std::vector<std::string> MapSmallBoard(const std::string& text, Map map) {
  auto fields = FieldsOf(text);
  fields[0] = MapBoardText<G>(fields[0], 0, map);
  fields[2] = MapSquareText<G>(fields[2], map);
  return fields;
}
template <Game G>
std::string MapSmallBoard(int symmetry, const std::string& text) {
  const auto map = [symmetry](int square) { return G::MapSquare(symmetry, square); };
  return Join(MapSmallBoard<G>(text, map), " ");
}
int HalfTurn(int square) { return 24 - square; }

}  // namespace

template <>
std::string MapPositionText<Alquerque>(int symmetry, const std::string& text) {
  return MapSmallBoard<Alquerque>(symmetry, text);
}
template <>
std::string ExchangePlayers<Alquerque>(const std::string& text) {
  auto fields = MapSmallBoard<Alquerque>(text, HalfTurn);
  for (const int field : {0, 1}) fields[field] = ExchangeCharacters(fields[field], "l", "d");
  return Join(fields, " ");
}
template <>
std::string HistoryText<Alquerque>(const Line<Alquerque>& line) {
  const auto fields = FieldsOf(Alquerque::PositionText(line.rules(), line.state()));
  return fields[0] + ' ' + fields[1];
}

template <>
std::string MapPositionText<Superlogo>(int symmetry, const std::string& text) {
  return MapSmallBoard<Superlogo>(symmetry, text);
}
template <>
std::string ExchangePlayers<Superlogo>(const std::string& text) {
  auto fields = MapSmallBoard<Superlogo>(text, HalfTurn);
  fields[0] = ExchangeCharacters(fields[0], "SLT", "slt");
  fields[1] = ExchangeCharacters(fields[1], "y", "b");
  fields[3] = {fields[3][2], ',', fields[3][0]};
  return Join(fields, " ");
}
template <>
std::string HistoryText<Superlogo>(const Line<Superlogo>& line) {
  const auto fields = FieldsOf(Superlogo::PositionText(line.rules(), line.state()));
  return fields[0] + ' ' + fields[1] + ' ' + fields[3];
}

template <>
std::vector<OptionTexts> MoreVariants<Stratego>() {
  return {{{"setup", "random"}}, {{"setup", "random"}, {"rules", "tournament"}}};
}
template <>
std::string MapPositionText<Stratego>(int symmetry, const std::string& text) {
  auto fields = FieldsOf(text);
  fields[0] = MapBoardText<Stratego>(
      fields[0], ',', [&](int square) { return Stratego::MapSquare(symmetry, square); });
  return Join(fields, " ");
}
template <>
std::string ExchangePlayers<Stratego>(const std::string& text) {
  auto fields = FieldsOf(text);
  if (fields[2] == "setup") return "";  // red always comes first
  fields[0] = MapBoardText<Stratego>(fields[0], ',', [](int square) { return 99 - square; });
  for (const int field : {0, 1}) fields[field] = ExchangeCharacters(fields[field], "r", "b");
  return Join(fields, " ");
}
template <>
std::string HistoryText<Stratego>(const Line<Stratego>& line) {
  const auto& pieces = line.state().piece;
  return {pieces.begin(), pieces.end()};
}

namespace {

template <class Map>
std::string MapSuper1al5(const std::string& text, Map map) {
  auto fields = FieldsOf(text);
  fields[0] = MapBoardText<Super1al5>(fields[0], ',', map);
  return Join(fields, " ");
}

}  // namespace

template <>
std::vector<OptionTexts> MoreVariants<Super1al5>() {
  return {{{"marked", "none"}}, {{"marked", "b4,g4,d6,e6"}}, {{"marked", "a3,c5,d5,h8"}}};
}
template <>
std::string MapPositionText<Super1al5>(int symmetry, const std::string& text) {
  return MapSuper1al5(text, [&](int cell) { return Super1al5::MapSquare(symmetry, cell); });
}
template <>
std::string ExchangePlayers<Super1al5>(const std::string& text) {
  const auto turned = MapSuper1al5(text, [](int cell) { return 79 - cell; });
  return ExchangeCharacters(turned, "l", "d");
}
template <>
Super1al5Options ExchangedOptions<Super1al5>(const Super1al5Options& options) {
  Super1al5Options exchanged = options;
  if (options.marked == "none") return exchanged;
  std::vector<std::string> cells;
  for (const std::string_view name : Split(options.marked, ',')) {
    cells.push_back(SquareName(79 - SquareNamed(name, 8, 10), 8));
  }
  exchanged.marked = Join(cells, ",");
  return exchanged;
}
template <>
std::string HistoryText<Super1al5>(const Line<Super1al5>& line) {
  const auto fields = FieldsOf(Super1al5::PositionText(line.rules(), line.state()));
  return fields[0] + ' ' + fields[1];
}

namespace {

template <class G>
class GameContractTest : public testing::Test {};
TYPED_TEST_SUITE(GameContractTest, RegisteredTypes);

TYPED_TEST(GameContractTest, Holds) { CheckGameContract<TypeParam>(); }

TEST(TicTacToeTest, Contract) { CheckGameContract<TicTacToe>(); }

using ExampleGames = GameList<TicTacToe>;

TEST(TicTacToeTest, OneLineInTheRegistryIsEnough) {
  static_assert(Game<TicTacToe>);
  EXPECT_EQ(ExampleGames::Names(), std::vector<std::string>{"tictactoe"});
  EXPECT_THROW(ExampleGames::Visit("tictacto", []<Game G>() {}), UserError);
}

TEST(TicTacToeTest, Perft) {
  const auto line = TypedGame<TicTacToe>({}).NewLineAt("start");
  const std::vector<std::uint64_t> counts = {9,     72,     504,    3024,  15120,
                                             54720, 148176, 200448, 127872};
  for (std::size_t depth = 1; depth <= counts.size(); ++depth) {
    EXPECT_EQ(line->Perft(static_cast<int>(depth)), counts[depth - 1]);
  }
  EXPECT_EQ(line->Perft(10), 0u);
}

TEST(TicTacToeTest, AGame) {
  for (const bool misere : {false, true}) {
    const auto line = TypedGame<TicTacToe>({.misere = misere}).NewLineAt("start");
    for (const char* action : {"b2", "a1", "B1", "a2", "b3"}) line->Play(line->ParseAction(action));
    EXPECT_EQ(line->PositionText(), "ox-ox--x- o");
    EXPECT_EQ(line->Draw(),
              StrCat("3 . x .\n2 o x .\n1 o x .\n  a b c\n", ResultText(line->outcome(), 5), '\n'));
    EXPECT_EQ(ResultText(line->outcome(), line->ply()),
              misere ? "result -1 score -1 plies 5 reason discs"
                     : "result +1 score 1 plies 5 reason discs");
    EXPECT_THROW(line->Play(8), UserError);
  }
  EXPECT_THROW(TypedGame<TicTacToe>({}).NewLineAt("xxxooo--- x"), UserError);
}

}  // namespace
}  // namespace qirkat
