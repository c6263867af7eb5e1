#include "envs/stratego/stratego.h"

#include "envs/core/error.h"
#include "envs/core/text.h"

namespace qirkat::stratego {
namespace {

// How many cells lie ahead of a square in a direction of the action layout, up to the edge or a
// lake.
constexpr std::array<std::array<std::uint8_t, Board::kSquares>, 4> kRoom = [] {
  std::array<std::array<std::uint8_t, Board::kSquares>, 4> room{};
  for (int d = 0; d < 4; ++d) {
    for (int square = 0; square < Board::kSquares; ++square) {
      for (int distance = 1;; ++distance) {
        const int to = Board::Step(square, Stratego::Layout::Compass(d), distance);
        if (to < 0 || Holds(kLakes, to)) break;
        room[d][square] = static_cast<std::uint8_t>(distance);
      }
    }
  }
  return room;
}();

int StepOf(int direction) { return Board::kStep[Stratego::Layout::Compass(direction)]; }

int Target(const MoveAction& move) { return move.from + move.distance * StepOf(move.direction); }

// A scout's moves of two cells and more in one direction; the first cell is empty.
void AddLongMoves(const State& state, int direction, int from, Stratego::Legal& legal) {
  const int room = kRoom[direction][from];
  int to = from + StepOf(direction);
  for (int distance = 2; distance <= room; ++distance) {
    to += StepOf(direction);
    const int piece = state.piece[to];
    const bool is_empty = piece == kNoPiece;
    if (is_empty || State::OwnerOf(piece) != state.to_move) {
      legal.Add(Stratego::Layout::Encode({0, direction, distance, from}));
    }
    if (!is_empty) return;
  }
}

template <int kDirection>
void AddMoves(const State& state, Stratego::Legal& legal) {
  constexpr int kCompass = Stratego::Layout::Compass(kDirection);
  const Squares own = state.pieces[state.to_move];
  const Squares onto = Lines::Ahead<kCompass>(~(own | kLakes));
  ForEachSquare(own & ~state.fixed & onto, [&](int from) {
    legal.Add(Stratego::Layout::Encode({0, kDirection, 1, from}));
  });
  // Those with an empty cell ahead and one to go to behind it.
  const Squares runners =
      own & state.scouts & Lines::Ahead<kCompass>(state.empty()) & Lines::Ahead<kCompass>(onto);
  ForEachSquare(runners, [&](int from) { AddLongMoves(state, kDirection, from, legal); });
}

void PlaceSetup(State& state, Player player, const Setup& setup) {
  for (int n = 0; n < kPiecesPerPlayer; ++n) {
    const int square = SetupSquare(player, n);
    state.Put(square, HomeIdentity(square), setup[n]);
  }
}

}  // namespace

const std::vector<Option<StrategoOptions>>& StrategoOptions::Table() {
  static const std::vector<Option<StrategoOptions>> table = {
      {"setup",
       &StrategoOptions::setup,
       {.help = "Where the pieces stand at the start: place (the players place them, one an "
                "action), random, book, or two setup texts RED,BLUE."}},
      {"setup_book",
       &StrategoOptions::setup_book,
       {.help = "With setup book: a file of one setup text a line, drawn from uniformly."}},
      {"rules",
       &StrategoOptions::rules,
       {.choices = {"classic", "tournament"},
        .help = "Whether two-squares and more-squares forbid moves (tournament)."}},
      {"no_attack_limit", &StrategoOptions::no_attack_limit,
       LimitFacts("So many moves without an attack are a draw; 0: no limit.")},
      {"max_plies", &StrategoOptions::max_plies,
       LimitFacts("So many moves after the setup are a draw; 0: no limit.")},
  };
  return table;
}

Stratego::Rules Stratego::MakeRules(const Options& options) {
  Rules rules = {SetupMode::kPlace,
                 {},
                 {},
                 options.rules == "tournament",
                 MakeLimit(options.no_attack_limit),
                 MakeLimit(options.max_plies)};
  if (options.setup == "random") {
    rules.setup_mode = SetupMode::kRandom;
  } else if (options.setup == "book") {
    rules.setup_mode = SetupMode::kBook;
    SetupBook book = InContext("setup_book", [&] {
      if (options.setup_book.empty()) {
        throw UserError("setup is book, but no file is named; accepted: a file of setups");
      }
      return ReadSetupBook(options.setup_book);
    });
    rules.book = std::move(book.name);
    rules.setups = std::move(book.setups);
  } else if (options.setup != "place") {
    const auto texts = Split(options.setup, ',');
    if (texts.size() != 2) {
      throw UserError(StrCat("setup: ", Quoted(options.setup),
                             "; accepted: place, random, book or two setup texts RED,BLUE"));
    }
    rules.setup_mode = SetupMode::kGiven;
    rules.setups = {ParseSetup(texts[0], "setup of red"), ParseSetup(texts[1], "setup of blue")};
  }
  return rules;
}

StrategoOptions Stratego::ResolveOptions(const Options& options, const Rules& rules) {
  Options resolved = options;
  if (rules.setup_mode == SetupMode::kBook) resolved.setup_book = rules.book;
  return resolved;
}

State Stratego::Start(const Rules& rules, RandomStream& random) {
  State state;
  if (rules.setup_mode == SetupMode::kPlace) return state;
  for (const Player player : {Player{0}, Player{1}}) {
    switch (rules.setup_mode) {
      case SetupMode::kRandom:
        PlaceSetup(state, player, RandomSetup(random));
        break;
      case SetupMode::kBook: {
        const auto size = static_cast<std::uint32_t>(rules.setups.size());
        PlaceSetup(state, player, rules.setups[random.Below(size)]);
        break;
      }
      default:
        PlaceSetup(state, player, rules.setups[player]);
    }
  }
  state.placed = kPieces;
  return state;
}

bool Stratego::IsAttack(const State& state, Action action) {
  return action < Layout::kFirstExtra && state.piece[Target(Layout::Decode(action))] != kNoPiece;
}

void Stratego::Place(State& state, Rank rank) {
  const int square = SetupSquare(state.to_move, state.placed % kPiecesPerPlayer);
  state.Put(square, HomeIdentity(square), rank);
  ++state.placed;
  ++state.placements;
  state.to_move = state.placed / kPiecesPerPlayer == 1 ? 1 : 0;
}

void Stratego::Attack(State& state, int from, int to) {
  const int attacker = state.piece[from];
  const int defender = state.piece[to];
  state.marks[attacker] |= kShown;
  state.marks[defender] |= kShown;
  const Fight fight = FightOf(state.rank[attacker], state.rank[defender]);
  if (fight != Fight::kDefenderWins) state.Remove(to);
  if (fight == Fight::kAttackerWins) {
    state.Move(from, to);
  } else {
    state.Remove(from);
  }
}

void Stratego::Apply(const Rules& rules, State& state, Action action) {
  if (action >= Layout::kFirstExtra) {
    Place(state, static_cast<Rank>(action - Layout::kFirstExtra));
    return;
  }
  const MoveAction move = Layout::Decode(action);
  const int to = Target(move);
  const bool is_attack = state.piece[to] != kNoPiece;
  state.marks[state.piece[move.from]] |= move.distance > 1 ? kMoved | kMovedFar : kMoved;
  if (is_attack) {
    Attack(state, move.from, to);
    state.quiet = 0;
  } else {
    state.Move(move.from, to);
    ++state.quiet;
  }
  if (rules.tournament) RememberMove(state, move.from, to, is_attack);
  state.to_move = Opponent(state.to_move);
}

Stratego::Legal Stratego::Placements(const State& state) {
  Legal legal;
  for (int rank = 0; rank < kRanks; ++rank) {
    if (state.count[state.to_move][rank] < kSupply[rank]) {
      legal.Add(static_cast<Action>(Layout::kFirstExtra + rank));
    }
  }
  return legal;
}

Stratego::Legal Stratego::Moves(const State& state) {
  Legal legal;
  AddMoves<0>(state, legal);
  AddMoves<1>(state, legal);
  AddMoves<2>(state, legal);
  AddMoves<3>(state, legal);
  return legal;
}

Stratego::Legal Stratego::WithoutForbidden(const State& state, const History& history,
                                           const Legal& moves) {
  Legal legal;
  for (int k = 0; k < moves.size(); ++k) {
    const MoveAction move = Layout::Decode(moves[k]);
    if (!TournamentForbids(state, history.keys, move.from, Target(move))) legal.Add(moves[k]);
  }
  return legal;
}

Position<Stratego::Legal> Stratego::Examine(const Rules& rules, const State& state,
                                            const History& history) {
  Position<Legal> position;
  if (state.in_setup()) [[unlikely]] {
    position.legal = Placements(state);
    return position;
  }
  Outcome& outcome = position.outcome;
  for (const Player player : {Player{0}, Player{1}}) {
    if (state.count[player][kFlag] == 0) [[unlikely]] {
      outcome = {.reason = EndReason::kFlag, .result = static_cast<std::int8_t>(player ? 1 : -1)};
      return position;
    }
  }
  position.legal = Moves(state);
  if (TournamentMayForbid(state)) {
    position.legal = WithoutForbidden(state, history, position.legal);
  }
  if (position.legal.empty()) [[unlikely]] {
    outcome = {.reason = EndReason::kBlocked,
               .result = static_cast<std::int8_t>(state.to_move ? 1 : -1)};
    return position;
  }
  outcome.reason = DrawReason(0, EndReason::kNoAttack, Counters(rules, state, history));
  if (outcome.over()) [[unlikely]]
    position.legal.Clear();
  return position;
}

}  // namespace qirkat::stratego
