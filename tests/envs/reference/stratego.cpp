#include <algorithm>
#include <string_view>
#include <utility>

#include "tests/envs/reference/stratego_tournament.h"
#include "tests/envs/reference/support.h"

namespace qirkat::reference {
namespace {

constexpr char kSide[2] = {'r', 'b'};
constexpr std::string_view kLetters = "FBS123456789";
constexpr int kSupply[12] = {1, 6, 1, 1, 1, 2, 3, 4, 4, 4, 5, 8};
constexpr int kLakes[8] = {42, 43, 52, 53, 46, 47, 56, 57};  // c5 d5 c6 d6 g5 h5 g6 h6
constexpr int kPlacements = 3600;

// The n-th cell that a player fills in the setup.
int SetupCell(int player, int n) {
  const int rank = player == 0 ? 3 - n / 10 : 6 + n / 10;
  const int file = player == 0 ? n % 10 : 9 - n % 10;
  return rank * 10 + file;
}

bool IsLake(int cell) { return std::count(kLakes, kLakes + 8, cell) > 0; }

enum class Fight { kAttackerWins, kDefenderWins, kBothRemoved };

Fight Outcome(char attacker, char defender) {
  if (defender == 'F') return Fight::kAttackerWins;
  if (defender == 'B') return attacker == '8' ? Fight::kAttackerWins : Fight::kDefenderWins;
  if (attacker == defender) return Fight::kBothRemoved;  // spy against spy, equal ranks
  if (attacker == 'S') return defender == '1' ? Fight::kAttackerWins : Fight::kDefenderWins;
  if (defender == 'S') return Fight::kAttackerWins;
  return attacker < defender ? Fight::kAttackerWins : Fight::kDefenderWins;  // lower is stronger
}

class SlowStratego : public SlowGame {
 public:
  SlowStratego(SlowOptions options, const std::string& position) : SlowGame(10) {
    const std::string setup = TakeText(options, "setup", "place");
    tournament = TakeChoice(options, "rules", {"classic", "tournament"}) == "tournament";
    no_attack_limit = TakeInteger(options, "no_attack_limit", 200, 1000000);
    max_plies = TakeInteger(options, "max_plies", 4000, 1000000);
    RefuseUnknown(options);
    if (position != "start") {
      Parse(position);
    } else if (setup != "place") {
      PlaceAll(setup);
    }
    past = StrategoPast(board);
    CheckEnd(/*is_text=*/true);
  }

  std::unique_ptr<SlowGame> Copy() const override { return std::make_unique<SlowStratego>(*this); }

  std::string PositionText() const override { return TextSeenBy(0, 1); }
  std::string ViewText(int player) const override { return TextSeenBy(player, player); }

 private:
  StrategoBoard board;
  int to_move = 0;
  bool is_setup = true;
  int since_attack = 0;
  int pieces_made = 0;
  StrategoPast past{board};  // of the play phase
  bool tournament;
  int no_attack_limit;
  int max_plies;

  void Put(int cell, int owner, char letter) {
    board[cell] = {owner, letter, false, false, pieces_made};
    ++pieces_made;
  }

  // "RED,BLUE": the game starts after the placement.
  void PlaceAll(const std::string& text) {
    const auto setups = Split(text, ',');
    Require(setups.size() == 2, "not two setups");
    for (int player = 0; player < 2; ++player) {
      Require(setups[player].size() == 40, "not 40 pieces");
      for (int n = 0; n < 40; ++n) {
        const char letter = setups[player][n];
        Require(Supply(letter) > Count(player, letter), "not in the supply");
        Put(SetupCell(player, n), player, letter);
      }
    }
    is_setup = false;
  }

  void Parse(const std::string& text) {
    const auto fields = Split(text, ' ');
    Require(fields.size() == 4, "not four fields");
    const auto cells = ParseBoard(fields[0], 10, 10, ",");
    for (int cell = 0; cell < 100; ++cell) {
      if (cells[cell].empty()) continue;
      Require(!IsLake(cell), "a piece on a lake");
      ParsePiece(cell, cells[cell]);
    }
    Require(fields[1] == "r" || fields[1] == "b", "no such side to move");
    to_move = fields[1] == "r" ? 0 : 1;
    Require(fields[2] == "setup" || fields[2] == "play", "no such phase");
    is_setup = fields[2] == "setup";
    since_attack = ParseNumber(fields[3], 1000000);
    Require(PositionText() == text, "not canonical");

    if (is_setup) {
      CheckSetup();
    } else {
      Require(Count(0, 'F') > 0 || Count(1, 'F') > 0, "both sides have already lost");
    }
  }

  // "r9", "b1+!"
  void ParsePiece(int cell, const std::string& text) {
    Require(text[0] == 'r' || text[0] == 'b', "no such piece: " + text);
    const int owner = text[0] == 'r' ? 0 : 1;
    const char letter = text.size() > 1 ? text[1] : ' ';
    Require(Supply(letter) > Count(owner, letter), "no such piece, or too many: " + text);
    Put(cell, owner, letter);
    board[cell].moved = text.find('+') != std::string::npos;
    board[cell].shown = text.find('!') != std::string::npos;
    Require(!board[cell].moved || !IsFixed(letter), "a moved flag or bomb: " + text);
  }

  // Exactly the first n cells of the placement order are filled, unmoved and unshown.
  void CheckSetup() const {
    const int wanted[2] = {to_move == 0 ? Placed(0) : 40, to_move == 0 ? 0 : Placed(1)};
    Require(Placed(to_move) < 40, "a finished setup of the side to move");
    StrategoPiece expected[100];
    for (int player = 0; player < 2; ++player) {
      Require(Placed(player) == wanted[player], "a wrong number of placed pieces");
      for (int n = 0; n < wanted[player]; ++n) expected[SetupCell(player, n)].owner = player;
    }
    for (int cell = 0; cell < 100; ++cell) {
      Require(board[cell].owner == expected[cell].owner, "placed out of order");
      Require(!board[cell].moved && !board[cell].shown, "a moved or shown piece in the setup");
    }
    Require(since_attack == 0, "a counter in the setup");
  }

  static int Supply(char letter) {
    const auto kind = kLetters.find(letter);
    return kind == std::string_view::npos ? 0 : kSupply[kind];
  }
  static bool IsFixed(char letter) { return letter == 'F' || letter == 'B'; }

  int Count(int player, char letter) const {
    int count = 0;
    for (const StrategoPiece& piece : board) {
      count += piece.owner == player && piece.letter == letter ? 1 : 0;
    }
    return count;
  }
  int Placed(int player) const {
    int count = 0;
    for (const StrategoPiece& piece : board) count += piece.owner == player ? 1 : 0;
    return count;
  }
  int Score() const override { return 0; }

  // With the ranks that player a or player b knows.
  std::string TextSeenBy(int a, int b) const {
    std::vector<std::string> cells;
    for (const StrategoPiece& piece : board) {
      std::string text;
      if (piece.owner >= 0) {
        const bool known = piece.owner == a || piece.owner == b || piece.shown;
        text = std::string(1, kSide[piece.owner]) + (known ? piece.letter : '?') +
               (piece.moved ? "+" : "") + (piece.shown ? "!" : "");
      }
      cells.push_back(text);
    }
    return BoardText(cells, 10, ",") + ' ' + kSide[to_move] + (is_setup ? " setup " : " play ") +
           std::to_string(since_attack);
  }

  void AddMove(int from, int direction, int distance, std::vector<SlowAction>& actions) const {
    const int to = Go(from, direction, distance, 10, 10);
    if (tournament && past.TwoSquaresForbids(board, to_move, from, to)) return;
    if (tournament && past.MoreSquaresForbids(board, to_move, from, to)) return;
    const bool is_attack = board[to].owner >= 0;
    const int index = (direction / 2 * 9 + distance - 1) * 100 + from;
    std::vector<int> attacked;
    if (is_attack) attacked.push_back(to);
    actions.push_back({Name(from) + (is_attack ? 'x' : '-') + Name(to), index, from, to, attacked});
  }

  std::vector<SlowAction> Moves() const {
    std::vector<SlowAction> actions;
    for (int from = 0; from < 100; ++from) {
      if (board[from].owner != to_move || IsFixed(board[from].letter)) continue;
      const int reach = board[from].letter == '9' ? 9 : 1;
      for (int direction = 0; direction < 8; direction += 2) {
        for (int distance = 1; distance <= reach; ++distance) {
          const int to = Go(from, direction, distance, 10, 10);
          if (to < 0 || IsLake(to) || board[to].owner == to_move) break;
          AddMove(from, direction, distance, actions);
          if (board[to].owner >= 0) break;
        }
      }
    }
    return actions;
  }

  std::vector<SlowAction> Placements() const {
    std::vector<SlowAction> actions;
    for (int kind = 0; kind < 12; ++kind) {
      const char letter = kLetters[kind];
      if (Count(to_move, letter) == Supply(letter)) continue;
      actions.push_back({std::string(1, letter), kPlacements + kind});
    }
    return actions;
  }

  std::vector<SlowAction> Actions() const override { return is_setup ? Placements() : Moves(); }

  void Do(const SlowAction& action) override {
    if (is_setup) {
      DoPlacement(action.text[0]);
    } else {
      DoMove(action.from, action.to);
    }
    CheckEnd(/*is_text=*/false);
  }

  void DoPlacement(char letter) {
    Put(SetupCell(to_move, Placed(to_move)), to_move, letter);
    if (Placed(to_move) < 40) return;
    if (to_move == 1) {
      is_setup = false;
      past = StrategoPast(board);
    }
    to_move = 1 - to_move;
  }

  void DoMove(int from, int to) {
    const bool is_attack = board[to].owner >= 0;
    const StrategoMove move = {board[from].identity, from, to};
    board[from].moved = true;
    if (is_attack) {
      DoAttack(from, to);
    } else {
      board[to] = board[from];
      board[from] = StrategoPiece();
    }
    since_attack = is_attack ? 0 : since_attack + 1;
    past.AddMove(board, to_move, move, is_attack);
    to_move = 1 - to_move;
  }

  void DoAttack(int from, int to) {
    StrategoPiece attacker = board[from];
    StrategoPiece defender = board[to];
    attacker.shown = true;
    defender.shown = true;
    board[from] = StrategoPiece();
    const Fight fight = Outcome(attacker.letter, defender.letter);
    if (fight == Fight::kAttackerWins) board[to] = attacker;
    if (fight == Fight::kDefenderWins) board[to] = defender;
    if (fight == Fight::kBothRemoved) board[to] = StrategoPiece();
  }

  bool CheckEnd(bool is_text) {
    if (is_setup) return false;
    if (Count(0, 'F') == 0) return End("flag", -1);
    if (Count(1, 'F') == 0) return End("flag", +1);
    if (Moves().empty()) return End("blocked", to_move == 0 ? -1 : +1);
    if (Reached(since_attack, no_attack_limit)) return End("no-attack", 0);
    if (!is_text && Reached(past.moves_made(), max_plies)) return End("max-plies", 0);
    return false;
  }
};

}  // namespace

std::unique_ptr<SlowGame> MakeSlowStratego(SlowOptions options, const std::string& position) {
  return std::make_unique<SlowStratego>(std::move(options), position);
}

}  // namespace qirkat::reference
