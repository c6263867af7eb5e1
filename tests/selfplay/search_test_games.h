// What the tests of the search share. Random game trees as a game: small enough to solve, and
// either player may move several times in a row.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "envs/core/game.h"
#include "envs/core/line.h"
#include "models/evaluators.h"
#include "selfplay/search/mcts.h"

namespace qirkat {

struct RandomTreeOptions {
  std::int64_t seed = 1;
  std::int64_t depth = 5;
  std::int64_t branching = 4;
  static const std::vector<Option<RandomTreeOptions>>& Table() {
    using O = RandomTreeOptions;
    static const std::vector<Option<O>> table = {
        {"seed", &O::seed, {}}, {"depth", &O::depth, {}}, {"branching", &O::branching, {}}};
    return table;
  }
};

// Everything about a position follows from its hash: who moves, what is legal, whether and how the
// game is over (never before the first ply, always at `depth`).
template <int kPolicySize>
struct RandomTree {
  using Options = RandomTreeOptions;
  using Rules = RandomTreeOptions;
  using Legal = ActionList<std::min(kPolicySize, 1024)>;
  struct State {
    std::uint64_t hash;
    std::uint32_t ply;
    Player to_move;
  };

  static constexpr GameSpec kSpec = {.name = "random-tree",
                                     .version = 1,
                                     .columns = kPolicySize,
                                     .rows = 1,
                                     .policy_planes = 1,
                                     .policy_extras = 0,
                                     .action_layout = "a child",
                                     .max_legal = std::min(kPolicySize, 1024),
                                     .symmetries = 1,
                                     .hidden_information = false,
                                     .uses_history = false};
  static constexpr std::array<std::string_view, 1> kPlaneNames = {"nothing"};
  static constexpr std::array<std::string_view, 4> kScalarNames = {"hash_0", "hash_1", "hash_2",
                                                                   "hash_3"};
  static std::span<const std::string_view> PlaneNames() { return kPlaneNames; }
  static std::span<const std::string_view> ScalarNames() { return kScalarNames; }

  static Rules MakeRules(const Options& options) { return options; }
  static State Start(const Rules& rules, RandomStream&) { return MakeState(rules.seed, 0); }
  static State ParsePosition(const Rules& rules, std::string_view) {
    return MakeState(rules.seed, 0);
  }
  static std::string PositionText(const Rules&, const State& state) {
    return std::to_string(state.hash);
  }
  static std::string ActionText(const Rules&, const State&, Action action) {
    return std::to_string(action);
  }
  static std::string SquareText(const Rules&, const State&, int) { return ""; }

  static Player ToMove(const State& state) { return state.to_move; }
  static void Apply(const Rules&, State& state, Action action) {
    state = MakeState(state.hash * 31 + action + 1, state.ply + 1);
  }
  static Position<Legal> Examine(const Rules& rules, const State& state, const History&) {
    Position<Legal> position;
    const std::uint64_t hash = Mix64(state.hash);
    position.outcome.score = static_cast<std::int32_t>(hash % 11) - 5;
    if (state.ply == rules.depth || (state.ply > 0 && hash % 64 < 8)) {
      position.outcome.reason = EndReason::kDiscs;
      position.outcome.result =
          static_cast<std::int8_t>((position.outcome.score > 0) - (position.outcome.score < 0));
      return position;
    }
    const auto count = 1 + (hash >> 8) % static_cast<std::uint64_t>(rules.branching);
    for (std::uint64_t k = 0; k < count; ++k) {
      position.legal.Add(static_cast<Action>(((hash >> 32) + k) % kPolicySize));
    }
    return position;
  }

  static Key128 StateKey(const Rules&, const State& state, const History&) {
    return {state.hash, state.ply};
  }
  static Key128 ObservationKey(const Rules& rules, const State& state, const History& history) {
    return StateKey(rules, state, history);
  }
  static void Observe(const Rules&, const State& state, const Position<Legal>&, const History&,
                      ObservationRow row) {
    std::memset(row.planes, 0, kSpec.plane_bytes(1));
    for (int i = 0; i < 4; ++i) {
      row.scalars[i] = static_cast<float>((state.hash >> (16 * i)) & 0xFFFF) / 65535;
    }
  }

  static Action MoverView(Action action, Player player) {
    return player == 0 ? action : static_cast<Action>(kPolicySize - 1 - action);
  }
  static int MapSquare(int, int square) { return square; }
  static Action MapAction(int, Action action) { return action; }
  static std::uint8_t SymmetryMask(const Rules&, const State&) { return 1; }

 private:
  static State MakeState(std::uint64_t hash, std::uint32_t ply) {
    const std::uint64_t mixed = Mix64(hash + 0x9E3779B97F4A7C15ull);
    return {mixed, ply, static_cast<Player>((mixed >> 20) & 1)};
  }
};

using SmallTree = RandomTree<8>;
static_assert(Game<SmallTree>);

template <Game G>
Line<G> StartLine(const typename G::Options& options) {
  RandomStream setup;
  auto rules = std::make_shared<const typename G::Rules>(G::MakeRules(options));
  return Line<G>(rules, G::Start(*rules, setup));
}

// The game's value for player 0 under best play, by looking at everything.
template <Game G>
int Solve(Line<G>& line) {
  if (line.over()) return line.outcome().result;
  const bool maximize = line.to_move() == 0;
  int best = maximize ? -2 : 2;
  for (int k = 0; k < line.legal().size(); ++k) {
    line.Push(line.legal()[k]);
    const int value = Solve(line);
    line.Pop();
    best = maximize ? std::max(best, value) : std::min(best, value);
  }
  return best;
}

// Values of the root's actions for the player to move there.
template <Game G>
std::map<Action, int> SolveActions(Line<G> line) {
  std::map<Action, int> values;
  const int sign = line.to_move() == 0 ? 1 : -1;
  for (int k = 0; k < line.legal().size(); ++k) {
    const Action action = line.legal()[k];
    line.Push(action);
    values[action] = sign * Solve(line);
    line.Pop();
  }
  return values;
}

inline int BestOf(const std::map<Action, int>& values) {
  int best = values.begin()->second;
  for (const auto& [action, value] : values) best = std::max(best, value);
  return best;
}

// An evaluator with buffers for one row. S: Search<G> or WorldSearch<G>.
template <Game G>
class OneRowEvaluator {
 public:
  using Maker = std::shared_ptr<const EvaluatorFactory> (*)(const EvalShape&);
  explicit OneRowEvaluator(Maker maker)
      : shape_(ShapeOf(MakeGameInfo<G>({}))),
        evaluator_(maker(shape_)->Make(1)),
        buffers_(shape_, 1) {}

  // What it says of a position, in row 0.
  const EvalBuffers& Evaluate(const Line<G>& line) {
    line.Observe(buffers_.Row(0));
    evaluator_->Evaluate(buffers_.Batch(1, false), buffers_.Result(1));
    return buffers_;
  }
  // Evaluates the pending leaf of `search` and delivers the result.
  template <class S>
  void Answer(S& search) {
    search.WriteLeaf(buffers_.Row(0));
    evaluator_->Evaluate(buffers_.Batch(1, false), buffers_.Result(1));
    search.Deliver(buffers_.Logits(0), buffers_.wdl, buffers_.score[0], buffers_.moves_left[0]);
  }
  // Searches until the root has `visits`.
  template <class S>
  void Finish(S& search, std::int64_t visits, RandomStream* noise = nullptr) {
    search.Begin(visits, noise);
    while (search.Advance() == SearchStatus::kNeedsEvaluation) Answer(search);
  }

 private:
  EvalShape shape_;
  std::unique_ptr<Evaluator> evaluator_;
  EvalBuffers buffers_;
};

}  // namespace qirkat
