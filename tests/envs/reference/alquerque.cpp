#include <algorithm>
#include <utility>

#include "tests/envs/reference/support.h"

namespace qirkat::reference {
namespace {

constexpr char kStart[] = "ddddd/ddddd/dd1ll/lllll/lllll l - 0";
constexpr char kStone[2] = {'l', 'd'};

class SlowAlquerque : public SlowGame {
 public:
  SlowAlquerque(SlowOptions options, const std::string& position) : SlowGame(5) {
    no_capture_limit = TakeInteger(options, "no_capture_limit", 80, 1000000);
    max_plies = TakeInteger(options, "max_plies", 600, 1000000);
    RefuseUnknown(options);
    Parse(position == "start" ? kStart : position);
    if (chain < 0) turn_starts.push_back(Key());
    CheckEnd(/*is_text=*/true);
  }

  std::unique_ptr<SlowGame> Copy() const override { return std::make_unique<SlowAlquerque>(*this); }

  std::string PositionText() const override {
    return Key() + ' ' + (chain < 0 ? "-" : Name(chain)) + ' ' + std::to_string(since_capture);
  }

 private:
  char board[25];  // 'l', 'd' or ' '
  int to_move;
  int chain;  // the square that must go on jumping; -1: a turn starts
  int since_capture;
  std::vector<std::string> turn_starts;  // the keys of all positions in which a turn started
  int no_capture_limit;
  int max_plies;

  void Parse(const std::string& text) {
    const auto fields = Split(text, ' ');
    Require(fields.size() == 4, "not four fields");
    const auto cells = ParseBoard(fields[0], 5, 5, "");
    for (int square = 0; square < 25; ++square) {
      board[square] = cells[square].empty() ? ' ' : cells[square][0];
      Require(std::string(" ld").find(board[square]) != std::string::npos, "no such piece");
    }
    Require(fields[1] == "l" || fields[1] == "d", "no such side to move");
    to_move = fields[1] == "l" ? 0 : 1;
    chain = fields[2] == "-" ? -1 : ParseSquare(fields[2], 5, 5);
    since_capture = ParseNumber(fields[3], 1000000);
    Require(PositionText() == text, "not canonical");

    Require(Stones(0) <= 12 && Stones(1) <= 12, "too many stones");
    Require(Stones(0) > 0 || Stones(1) > 0, "both sides have already lost");
    if (chain >= 0) {
      Require(board[chain] == kStone[to_move], "the chain square does not hold the mover's stone");
      Require(!Jumps(chain).empty(), "the chain cannot go on");
      Require(since_capture == 0, "a chain without a capture");
    }
  }

  // What repetition compares.
  std::string Key() const {
    std::vector<std::string> cells;
    for (const char stone : board) cells.push_back(stone == ' ' ? "" : std::string(1, stone));
    return BoardText(cells, 5, "") + ' ' + kStone[to_move];
  }

  int Stones(int player) const {
    return static_cast<int>(std::count(board, board + 25, kStone[player]));
  }
  int Score() const override { return Stones(0) - Stones(1); }

  // 8 directions on strong points, N, E, S, W on weak ones.
  bool IsLine(int from, int direction) const {
    const bool strong = (from % 5 + from / 5) % 2 == 0;
    return strong || direction % 2 == 0;
  }

  std::vector<SlowAction> Steps(int from) const {
    std::vector<SlowAction> steps;
    for (int direction = 0; direction < 8; ++direction) {
      const int to = Go(from, direction, 1, 5, 5);
      if (!IsLine(from, direction) || to < 0 || board[to] != ' ') continue;
      steps.push_back({Name(from) + '-' + Name(to), direction * 25 + from, from, to});
    }
    return steps;
  }

  std::vector<SlowAction> Jumps(int from) const {
    std::vector<SlowAction> jumps;
    for (int direction = 0; direction < 8; ++direction) {
      const int over = Go(from, direction, 1, 5, 5);
      const int to = Go(from, direction, 2, 5, 5);
      if (!IsLine(from, direction) || to < 0 || board[to] != ' ') continue;
      if (board[over] != kStone[1 - to_move]) continue;
      jumps.push_back({Name(from) + 'x' + Name(to), (8 + direction) * 25 + from, from, to, {over}});
    }
    return jumps;
  }

  std::vector<SlowAction> Actions() const override {
    if (chain >= 0) return Jumps(chain);
    std::vector<SlowAction> steps;
    std::vector<SlowAction> jumps;
    for (int from = 0; from < 25; ++from) {
      if (board[from] != kStone[to_move]) continue;
      for (const SlowAction& step : Steps(from)) steps.push_back(step);
      for (const SlowAction& jump : Jumps(from)) jumps.push_back(jump);
    }
    return jumps.empty() ? steps : jumps;
  }

  void Do(const SlowAction& action) override {
    board[action.to] = board[action.from];
    board[action.from] = ' ';
    for (const int square : action.taken) board[square] = ' ';
    const bool took = !action.taken.empty();
    since_capture = took ? 0 : since_capture + 1;
    if (took && !Jumps(action.to).empty()) {
      chain = action.to;
    } else {
      chain = -1;
      to_move = 1 - to_move;
      turn_starts.push_back(Key());
    }
    CheckEnd(/*is_text=*/false);
  }

  bool CheckEnd(bool is_text) {
    if (Stones(0) == 0) return End("capture-all", -1);
    if (Stones(1) == 0) return End("capture-all", +1);
    if (Actions().empty()) return End("blocked", to_move == 0 ? -1 : +1);
    if (chain < 0 && std::ranges::count(turn_starts, Key()) >= 3) return End("repetition", 0);
    if (Reached(since_capture, no_capture_limit)) return End("no-capture", 0);
    if (!is_text && Reached(plies(), max_plies)) return End("max-plies", 0);
    return false;
  }
};

}  // namespace

std::unique_ptr<SlowGame> MakeSlowAlquerque(SlowOptions options, const std::string& position) {
  return std::make_unique<SlowAlquerque>(std::move(options), position);
}

}  // namespace qirkat::reference
