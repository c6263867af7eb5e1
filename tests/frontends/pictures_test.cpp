// Pictures of boards and learning curves, as functions and as the program writes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "docs/examples/tictactoe/tictactoe.h"
#include "envs/core/text.h"
#include "envs/core/typed_line.h"
#include "envs/registry.h"
#include "frontends/pictures/svg.h"
#include "frontends/pictures/svg_board.h"
#include "frontends/pictures/svg_chart.h"
#include "tests/frontends/run_program.h"

namespace qirkat::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

using Lines = std::vector<std::string>;

// The elements of a well-formed SVG, each as "tag|classes|text" (svg_elements.py).
Lines ElementsOf(const std::string& svg) {
  const TemporaryFolder folder;
  const std::string command =
      StrCat(QIRKAT_PYTHON, " ", QIRKAT_SOURCE_DIR, "/tests/frontends/svg_elements.py ",
             folder.Write("picture.svg", svg), " 2>&1");
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << output;
  Lines lines;
  for (const std::string_view line : Split(Trim(output), '\n')) lines.emplace_back(line);
  return lines;
}

std::ptrdiff_t Count(const Lines& elements, const std::string& start) {
  return std::ranges::count_if(elements,
                               [&](const std::string& line) { return line.starts_with(start); });
}

// One piece a player on a board of 4 x 2: shows letters, moves from a square to a square.
struct Runner {
  static constexpr GameSpec kSpec = {.name = "runner & co",
                                     .version = 1,
                                     .columns = 4,
                                     .rows = 2,
                                     .policy_planes = 2,
                                     .policy_extras = 1,
                                     .action_layout = "two of each square",
                                     .max_legal = 3,
                                     .symmetries = 1,
                                     .hidden_information = false,
                                     .uses_history = false};
  struct Options {
    static std::vector<Option<Options>> Table() { return {}; }
  };
  using Rules = Options;
  using Legal = ActionList<3>;
  struct State {
    Player to_move;
  };
  static std::span<const std::string_view> PlaneNames() { return {}; }
  static std::span<const std::string_view> ScalarNames() { return {}; }
  static Rules MakeRules(const Options& options) { return options; }
  static State Start(const Rules&, RandomStream&) { return {}; }
  static State ParsePosition(const Rules&, std::string_view) { return {}; }
  static std::string PositionText(const Rules&, const State&) { return "<start>"; }
  static std::string SquareText(const Rules&, const State&, int square) {
    return square == 1 ? "d5+12*" : square == 6 ? "l" : "";
  }
  static std::string ActionText(const Rules&, const State&, Action action) {
    return action == 0 ? "b1-b2" : action == 1 ? "b1xc2" : "pass";
  }
  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules&, State& state, Action) { state.to_move ^= 1; }
  static Position<Legal> Examine(const Rules&, const State&, const History&) {
    Position<Legal> position;
    for (const Action action : {0, 1, 2}) position.legal.Add(action);
    return position;
  }
  static Key128 StateKey(const Rules&, const State&, const History&) { return {}; }
  static Key128 ObservationKey(const Rules&, const State&, const History&) { return {}; }
  static void Observe(const Rules&, const State&, const Position<Legal>&, const History&,
                      ObservationRow) {}
  static Action MoverView(Action action, Player) { return action; }
  static int MapSquare(int, int square) { return square; }
  static Action MapAction(int, Action action) { return action; }
  static std::uint8_t SymmetryMask(const Rules&, const State&) { return 1; }
};

TEST(BoardPicture, Discs) {
  const auto line = MakeGame("reversi")->NewLineAt("start");
  line->Play(line->ParseAction("c4"));
  const std::string svg = BoardSvg(*line, "c4");
  const Lines elements = ElementsOf(svg);
  EXPECT_EQ(elements.at(1), "title||reversi: " + line->PositionText());
  EXPECT_EQ(Count(elements, "rect|square|"), 64);
  EXPECT_EQ(Count(elements, "rect|last|"), 1);
  EXPECT_EQ(Count(elements, "circle|dark|"), 4);
  EXPECT_EQ(Count(elements, "circle|light|"), 1);
  EXPECT_EQ(Count(elements, "circle|legal|"), 3);
  EXPECT_EQ(Count(elements, "text|middle|"), 16);
  EXPECT_EQ(elements.back(), "text||player 1 (white, O) to move");
  // Row 1 is the top row: c4 is the third square of the fourth row.
  EXPECT_THAT(svg, HasSubstr("<rect class=\"last\" x=\"134\" y=\"186\""));
}

TEST(BoardPicture, RankOneAtTheBottomAndAGameThatIsOver) {
  const auto line = TypedGame<TicTacToe>({}).NewLineAt("xxx-oo--- o");
  const std::string svg = BoardSvg(*line, "c1");
  EXPECT_THAT(svg, HasSubstr("<rect class=\"last\" x=\"134\" y=\"134\""));
  const Lines elements = ElementsOf(svg);
  EXPECT_EQ(Count(elements, "circle|dark|"), 3);
  EXPECT_EQ(Count(elements, "circle|light|"), 2);
  EXPECT_EQ(Count(elements, "circle|legal"), 0);
  EXPECT_EQ(elements.back(), "text||result +1 score 1 plies 0 reason discs");
}

TEST(BoardPicture, LettersAndMovesFromSquareToSquare) {
  const auto line = TypedGame<Runner>({}).NewLineAt("start");
  const std::string svg = BoardSvg(*line, "b1xc2");
  const Lines elements = ElementsOf(svg);
  EXPECT_EQ(elements.at(1), "title||runner & co: <start>");
  EXPECT_EQ(Count(elements, "rect|square|"), 8);
  EXPECT_EQ(Count(elements, "rect|tile|"), 2);
  EXPECT_THAT(elements, Contains("text|piece middle|d5+12*"));
  EXPECT_EQ(Count(elements, "rect|last|"), 2);
  // b2 is empty, c2 is taken, the pass names no square.
  EXPECT_EQ(Count(elements, "circle|legal|"), 1);
  EXPECT_EQ(Count(elements, "circle|legal-taken|"), 1);
  EXPECT_EQ(Count(ElementsOf(BoardSvg(*line)), "rect|last|"), 0);
}

TEST(ChartPicture, Ticks) {
  const auto texts = [](double low, double high, double smallest = 0) {
    Lines lines;
    const double step = ChartStep(low, high, smallest);
    for (const auto& [value, text] : ChartTicks(low, high, step)) lines.push_back(text);
    return Join(lines, " ");
  };
  EXPECT_EQ(texts(0, 1), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(texts(0, 3, 1), "0 1 2 3");
  EXPECT_EQ(texts(2, 9, 1), "2 4 6 8");
  EXPECT_EQ(texts(0, 2400, 1), "0 500 1000 1500 2000");
  EXPECT_EQ(texts(-0.1, 0.1), "-0.10 -0.05 0.00 0.05 0.10");
  EXPECT_EQ(texts(0, 3e6), "0 1000000 2000000 3000000");
}

TEST(ChartPicture, LinesBandsAndLegend) {
  const ChartSeries banded = {.name = "a < b",
                              .points = {{0, 0.25}, {1, 0.5}, {2, 0.75}},
                              .band = {{0, 0.1, 0.4}, {1, 0.3, 0.7}, {2, 0.5, 1}}};
  ChartSeries long_line = {.name = "long"};
  for (int i = 0; i < 100; ++i) long_line.points.push_back({i * 10.0, 1 + 1.0 / (i + 1)});
  const Chart upper = {.title = "upper",
                       .x_label = "generation",
                       .y_label = "score",
                       .series = {banded},
                       .y_range = {{0, 1}}};
  const Chart lower = {.title = "lower",
                       .x_label = "training steps",
                       .y_label = "nats",
                       .series = {long_line, banded}};
  const Chart unnamed = {.title = "right", .series = {{.points = {{5, 5}}}}};
  const Lines elements = ElementsOf(ChartsSvg({{upper}, {lower, unnamed}}));
  EXPECT_EQ(elements.at(1), "title||upper; lower; right");
  EXPECT_EQ(Count(elements, "polyline|line|"), 4);
  EXPECT_EQ(Count(elements, "polygon|band|"), 2);
  EXPECT_EQ(Count(elements, "circle|marker|"), 7);
  EXPECT_EQ(Count(elements, "rect|legend|"), 3);
  for (const char* text : {"text|title|lower", "text|middle|training steps", "text|middle|nats",
                           "text|legend|a < b", "text|end|0.2", "text|middle|800"}) {
    EXPECT_THAT(elements, Contains(text));
  }
}

// From the lower left corner at (66, 248) to the upper right one at (696, 58).
TEST(ChartPicture, PlacesOfPoints) {
  const auto picture = [](std::vector<ChartPoint> points) {
    const std::vector<Chart> row = {{.series = {{.points = std::move(points)}}}};
    return ChartsSvg({row});
  };
  EXPECT_THAT(picture({{0, 0}, {10, 4}}), HasSubstr("points=\"66,248 696,58\""));
  EXPECT_THAT(picture({{3, 1}}), HasSubstr("points=\"66,248\""));                    // one point
  EXPECT_THAT(picture({{0, -2}, {1, -2}}), HasSubstr("points=\"66,248 696,248\""));  // flat
}

TEST(MovesCommand, WritesAPicture) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "board.svg").string();
  const Arguments arguments = {"moves", "reversi", "--after", "c4 c3", "--svg", path};
  const ProgramResult result = RunProgram(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, RunProgram({"moves", "reversi", "--after", "c4 c3"}).out);
  const auto line = MakeGame("reversi")->NewLineAt("start");
  for (const char* action : {"c4", "c3"}) line->Play(line->ParseAction(action));
  EXPECT_EQ(ReadFile(path), BoardSvg(*line, "c3"));
  EXPECT_EQ(Snapshot(folder.path()).size(), 1u);
}

TEST(MovesCommand, PicturesThatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "none" / "board.svg").string();
  ExpectUserError({"moves", "reversi", "--svg", path}, {"cannot write", path});
  ExpectUserError({"moves", "reversi", "--svg", folder.path().string()}, {"not a regular file"});
  ExpectUserError({"moves", "reversi", "--svg", ""}, {"cannot write"},
                  {.directory = folder.path()});
  // Not even root may put a file in the place of a device.
  ExpectUserError({"moves", "reversi", "--svg", "/dev/null"}, {"/dev/null: not a regular file"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const std::string kept = folder.Write("kept.svg", "kept");
  ExpectUserError({"moves", "reversi", "--svg", kept}, {"cannot write", "File too large"},
                  {.file_bytes = 1000});
  EXPECT_EQ(Snapshot(folder.path()), (std::map<std::string, std::string>{{"kept.svg", "kept"}}));
}

constexpr const char* kMetrics =
    "{\"generation\":0,\"step\":0,\"selfplay/games\":20}\n"
    "{\"generation\":0,\"step\":100,\"learner/policy_loss_nats\":2.1,\"learner/"
    "value_loss_nats\":1}\n"
    "{\"generation\":1,\"step\":200,\"learner/policy_loss_nats\":1.9,\"learner/value_loss_nats\":"
    "null}\n"
    "{\"generation\":1,\"step\":200,\"rating/score_share\":0.4,\"rating/score_low_share\":0.2,"
    "\"rating/score_high_share\":0.6}\n"
    "{\"generation\":2,\"st";

TEST(InspectCommand, DrawsTheLearningCurve) {
  const TemporaryFolder folder;
  const std::string run = folder.path().string();
  folder.Write("config.toml",
               "[game]\nname = \"reversi\"\n[rating]\nopponent = \"rollout:visits=50\"\n");
  folder.Write("metrics.jsonl", kMetrics);
  const std::string path = run + "/curve.svg";
  const ProgramResult result = RunProgram({"inspect", run, "--svg", path});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("newest_metrics"));
  const Lines elements = ElementsOf(ReadFile(path));
  EXPECT_THAT(elements, Contains("text|title|reversi: the net against rollout:visits=50"));
  EXPECT_THAT(elements, Contains("text|legend|score with its 95 % interval"));
  EXPECT_EQ(Count(elements, "polygon|band|"), 1);
  EXPECT_EQ(Count(elements, "polyline|line|"), 3);
  EXPECT_EQ(Count(elements, "circle|marker|"), 1 + 2 + 1);

  // Only what is there.
  folder.Write("metrics.jsonl", "{\"generation\":0,\"step\":1,\"learner/value_loss_nats\":1}\n");
  EXPECT_EQ(RunProgram({"inspect", run, "--svg", path, "--json"}).exit_code, 0);
  const Lines fewer = ElementsOf(ReadFile(path));
  EXPECT_EQ(Count(fewer, "text|title|"), 1);
  EXPECT_EQ(Count(fewer, "polyline|line|"), 1);
}

TEST(InspectCommand, RunsWithoutALearningCurve) {
  const TemporaryFolder folder;
  const std::string run = folder.path().string();
  const std::string path = run + "/curve.svg";
  folder.Write("config.toml", "[game]\nname = \"reversi\"\n");
  ExpectUserError({"inspect", run, "--svg", path}, {"metrics.jsonl", "No such file"});
  folder.Write("metrics.jsonl", "{\"generation\":0,\"step\":0,\"selfplay/games\":20}\n");
  ExpectUserError({"inspect", run, "--svg", path}, {"metrics.jsonl", "no learning curve yet"});
  EXPECT_FALSE(std::filesystem::exists(path));
  folder.Write("metrics.jsonl", kMetrics);
  ExpectUserError({"inspect", run, "--svg", run + "/none/curve.svg"}, {"none/curve.svg"});
  ExpectUserError({"inspect", run + "/none", "--svg", path}, {"none", "No such file"});
}

}  // namespace
}  // namespace qirkat::test
