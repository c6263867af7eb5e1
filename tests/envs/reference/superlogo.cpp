#include <algorithm>
#include <utility>

#include "tests/envs/reference/support.h"

namespace qirkat::reference {
namespace {

constexpr char kStart[] = "sssss/lltll/ll1LL/LLTLL/SSSSS y - 0,0 0";
constexpr char kSuper[2] = {'S', 's'};
constexpr char kLow[2] = {'L', 'l'};
constexpr char kStop[2] = {'T', 't'};
constexpr int kPass = 400;

class SlowSuperlogo : public SlowGame {
 public:
  SlowSuperlogo(SlowOptions options, const std::string& position) : SlowGame(5) {
    const std::string start = TakeText(options, "start", kStart);
    step_after_capture = TakeChoice(options, "step_after_capture", {"on", "off"}) == "on";
    no_capture_limit = TakeInteger(options, "no_capture_limit", 80, 1000000);
    max_plies = TakeInteger(options, "max_plies", 600, 1000000);
    RefuseUnknown(options);
    Parse(position == "start" ? start : position);
    if (chain < 0) turn_starts.push_back(Key());
    CheckEnd(/*is_text=*/true, /*was_forced_pass=*/false);
  }

  std::unique_ptr<SlowGame> Copy() const override { return std::make_unique<SlowSuperlogo>(*this); }

  std::string PositionText() const override {
    const std::string chain_text = chain < 0 ? "-" : Name(chain) + (chain_step ? "+" : "");
    return BoardAndSide() + ' ' + chain_text + ' ' + StopCounts() + ' ' +
           std::to_string(since_capture);
  }

 private:
  char board[25];  // 'S', 'L', 'T', 's', 'l', 't' or ' '
  int to_move;
  int chain;        // the cell of the super that may go on; -1: a turn starts
  bool chain_step;  // the chain may end with a plain step
  int stop_count[2];
  int since_capture;
  std::vector<std::string> turn_starts;  // the keys of all positions in which a turn started
  bool step_after_capture;
  int no_capture_limit;
  int max_plies;

  void Parse(const std::string& text) {
    const auto fields = Split(text, ' ');
    Require(fields.size() == 5, "not five fields");
    const auto cells = ParseBoard(fields[0], 5, 5, "");
    for (int square = 0; square < 25; ++square) {
      board[square] = cells[square].empty() ? ' ' : cells[square][0];
      Require(std::string(" SLTslt").find(board[square]) != std::string::npos, "no such piece");
    }
    Require(fields[1] == "y" || fields[1] == "b", "no such side to move");
    to_move = fields[1] == "y" ? 0 : 1;
    chain = -1;
    chain_step = fields[2].ends_with('+');
    if (fields[2] != "-") chain = ParseSquare(fields[2].substr(0, fields[2].find('+')), 5, 5);
    const auto stops = Split(fields[3], ',');
    Require(stops.size() == 2, "not two stop counts");
    for (int player = 0; player < 2; ++player) stop_count[player] = ParseNumber(stops[player], 2);
    since_capture = ParseNumber(fields[4], 1000000);
    Require(PositionText() == text, "not canonical");

    for (int player = 0; player < 2; ++player) {
      Require(Count(kSuper[player]) <= 5, "too many supers");
      Require(Count(kLow[player]) <= 6, "too many lows");
      Require(Count(kStop[player]) <= 1, "too many stops");
    }
    Require(Count('S') > 0 || Count('s') > 0, "both sides have already lost");
    if (chain >= 0) {
      Require(board[chain] == kSuper[to_move], "the chain cell does not hold the mover's super");
      Require(step_after_capture || !chain_step, "a chain with + while there is no last step");
      Require(Actions().size() > 1, "the chain cannot go on");
      Require(since_capture == 0, "a chain without a capture");
      Require(stop_count[to_move] == 0, "a chain in a turn that moved the stop");
      Require(Count(kSuper[1 - to_move]) > 0, "a chain in a finished game");
    }
  }

  std::string BoardAndSide() const {
    std::vector<std::string> cells;
    for (const char piece : board) cells.push_back(piece == ' ' ? "" : std::string(1, piece));
    return BoardText(cells, 5, "") + ' ' + (to_move == 0 ? 'y' : 'b');
  }
  std::string StopCounts() const {
    return std::to_string(stop_count[0]) + ',' + std::to_string(stop_count[1]);
  }
  // What repetition compares.
  std::string Key() const { return BoardAndSide() + ' ' + StopCounts(); }

  int Count(char piece) const { return static_cast<int>(std::count(board, board + 25, piece)); }
  int Score() const override { return Count('S') - Count('s'); }

  // ' ' for an empty cell, '#' off the board.
  char At(int square) const { return square < 0 ? '#' : board[square]; }
  bool IsPrey(char piece) const {
    return piece == kLow[1 - to_move] || piece == kSuper[1 - to_move];
  }
  bool IsStop(char piece) const { return piece == 'T' || piece == 't'; }

  struct Cells {
    int one, two, three;  // the cells one, two and three steps away; -1: off the board
  };
  // Directions here are N, E, S, W.
  Cells Ahead(int from, int direction) const {
    return {Go(from, 2 * direction, 1, 5, 5), Go(from, 2 * direction, 2, 5, 5),
            Go(from, 2 * direction, 3, 5, 5)};
  }
  int Index(int kind, int direction, int from) const { return (kind * 4 + direction) * 25 + from; }

  void AddStep(int from, int direction, std::vector<SlowAction>& actions) const {
    const int to = Ahead(from, direction).one;
    if (At(to) != ' ') return;
    actions.push_back({Name(from) + '-' + Name(to), Index(0, direction, from), from, to});
  }
  void AddTwoSteps(int from, int direction, std::vector<SlowAction>& actions) const {
    const Cells ahead = Ahead(from, direction);
    if (At(ahead.one) != ' ' || At(ahead.two) != ' ') return;
    const int to = ahead.two;
    actions.push_back({Name(from) + '-' + Name(to), Index(1, direction, from), from, to});
  }
  void AddJump(int from, int direction, std::vector<SlowAction>& actions) const {
    const Cells ahead = Ahead(from, direction);
    if (!IsPrey(At(ahead.one)) || At(ahead.two) != ' ') return;
    actions.push_back({Name(from) + 'x' + Name(ahead.two),
                       Index(2, direction, from),
                       from,
                       ahead.two,
                       {ahead.one}});
  }
  void AddHop(int from, int direction, std::vector<SlowAction>& actions) const {
    const Cells ahead = Ahead(from, direction);
    if (!IsStop(At(ahead.one)) || At(ahead.two) != ' ') return;
    const int to = ahead.two;
    actions.push_back({Name(from) + '^' + Name(to), Index(2, direction, from), from, to});
  }
  void AddRunUpJump(int from, int direction, std::vector<SlowAction>& actions) const {
    const Cells ahead = Ahead(from, direction);
    if (At(ahead.one) != ' ' || !IsPrey(At(ahead.two)) || At(ahead.three) != ' ') return;
    actions.push_back({Name(from) + '-' + Name(ahead.one) + 'x' + Name(ahead.three),
                       Index(3, direction, from),
                       from,
                       ahead.three,
                       {ahead.two}});
  }

  std::vector<SlowAction> ChainActions() const {
    std::vector<SlowAction> actions;
    for (int direction = 0; direction < 4; ++direction) {
      AddJump(chain, direction, actions);
      if (chain_step) AddStep(chain, direction, actions);
    }
    actions.push_back({"pass", kPass});
    return actions;
  }

  // Without the forced pass.
  std::vector<SlowAction> TurnActions() const {
    std::vector<SlowAction> actions;
    for (int from = 0; from < 25; ++from) {
      for (int direction = 0; direction < 4; ++direction) {
        if (board[from] == kStop[to_move] && stop_count[to_move] < 2) {
          AddStep(from, direction, actions);
        }
        if (board[from] == kLow[to_move]) {
          AddStep(from, direction, actions);
          AddJump(from, direction, actions);
          AddHop(from, direction, actions);
        }
        if (board[from] == kSuper[to_move]) {
          AddStep(from, direction, actions);
          AddTwoSteps(from, direction, actions);
          AddJump(from, direction, actions);
          AddHop(from, direction, actions);
          AddRunUpJump(from, direction, actions);
        }
      }
    }
    return actions;
  }

  std::vector<SlowAction> Actions() const override {
    if (chain >= 0) return ChainActions();
    auto actions = TurnActions();
    if (actions.empty()) actions.push_back({"pass", kPass});
    return actions;
  }

  void Do(const SlowAction& action) override {
    const bool turn_starts_here = chain < 0;
    const bool is_pass = action.index == kPass;
    const bool is_jump = action.index / 100 == 2;  // kind 2; kind 3 is the run-up jump
    const char piece = is_pass ? ' ' : board[action.from];
    if (turn_starts_here) {
      if (IsStop(piece)) {
        ++stop_count[to_move];
      } else {
        stop_count[to_move] = 0;
      }
    }
    if (!is_pass) {
      board[action.from] = ' ';
      board[action.to] = piece;
    }
    ++since_capture;
    for (const int square : action.taken) {
      Take(square, /*by_low=*/piece == kLow[to_move]);
      since_capture = 0;
    }

    bool goes_on = false;
    if (!action.taken.empty() && piece == kSuper[to_move] && Count(kSuper[1 - to_move]) > 0) {
      chain = action.to;
      if (turn_starts_here) chain_step = is_jump && step_after_capture;
      goes_on = ChainActions().size() > 1;  // more than `pass`
    }
    if (!goes_on) {
      chain = -1;
      chain_step = false;
      to_move = 1 - to_move;
      turn_starts.push_back(Key());
    }
    CheckEnd(/*is_text=*/false, is_pass && turn_starts_here);
  }

  void Take(int square, bool by_low) {
    const int owner = 1 - to_move;
    const bool converts = by_low && board[square] == kSuper[owner] && Count(kLow[owner]) < 6;
    board[square] = converts ? kLow[owner] : ' ';
  }

  bool CheckEnd(bool is_text, bool was_forced_pass) {
    if (Count('S') == 0) return End("last-super", -1);
    if (Count('s') == 0) return End("last-super", +1);
    if (was_forced_pass && TurnActions().empty()) return End("both-pass", 0);
    if (chain < 0 && std::ranges::count(turn_starts, Key()) >= 3) return End("repetition", 0);
    if (Reached(since_capture, no_capture_limit)) return End("no-capture", 0);
    if (!is_text && Reached(plies(), max_plies)) return End("max-plies", 0);
    return false;
  }
};

}  // namespace

std::unique_ptr<SlowGame> MakeSlowSuperlogo(SlowOptions options, const std::string& position) {
  return std::make_unique<SlowSuperlogo>(std::move(options), position);
}

}  // namespace qirkat::reference
