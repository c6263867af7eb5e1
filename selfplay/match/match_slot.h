// One slot of a match: two players, each with its own search, on one game.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "envs/core/random.h"
#include "envs/core/typed_line.h"
#include "selfplay/match/match.h"
#include "selfplay/pipeline/worker.h"
#include "selfplay/search/worlds.h"

namespace qirkat {

template <Game G>
class MatchSlot {
 public:
  using Result = MatchGame;
  // Player 0 is A, player 1 is B, whatever their colours.
  struct Context {
    const TypedGame<G>& game;
    std::array<const MatchPlayer*, 2> players;
    std::array<std::optional<int>, 2> evaluators;  // which evaluator each uses; nullopt: random
    const MatchOptions& options;
  };

  MatchSlot(const Context& context, const Evaluators& evaluators)
      : context_(context), line_(context.game.StartAt("start")) {
    for (int p = 0; p < 2; ++p) {
      if (const auto e = context.evaluators[p]) {
        searches_[p].emplace(context.players[p]->search, evaluators[*e]->needs_lines());
      }
    }
  }

  void Start(std::uint32_t number) {
    result_ = MatchGame();
    result_.game = number;
    result_.a_is_player_0 = number % 2 == 0;
    for (std::uint64_t p = 0; p < 2; ++p) {
      random_[p] = RandomStream(context_.options.seed, p, number, StreamPurpose::kPlayer);
    }
    const std::uint32_t pair = number / 2;
    PlayOpening(pair);
    // Both games of a pair share the rollouts' seed too: a player meets itself on equal terms.
    const std::uint64_t seed =
        RandomStream(context_.options.seed, 0, pair, StreamPurpose::kRollout).Next();
    for (auto& search : searches_) {
      if (search) search->SetRoot(line_, seed);
    }
    searching_ = false;
  }

  std::optional<int> Advance(PhaseClock& clock) {
    while (!line_.over()) {
      const int player = PlayerToMove();
      auto& search = searches_[player];
      if (line_.legal().size() == 1) {
        Play(line_.legal()[0]);
      } else if (!search) {
        const auto count = static_cast<std::uint32_t>(line_.legal().size());
        Play(line_.legal()[static_cast<int>(random_[player].Below(count))]);
      } else {
        if (!searching_) search->Begin(context_.players[player]->search.visits, nullptr);
        searching_ = true;
        if (search->Advance(clock.detail()) == SearchStatus::kNeedsEvaluation) {
          return context_.evaluators[player];
        }
        searching_ = false;
        clock.Enter(Phase::kWrite);
        const double temperature = MoveTemperature(context_.players[player]->search, line_.ply());
        Play(search->ChooseAction(temperature, random_[player]));
        clock.Enter(Phase::kSelect);
      }
    }
    return std::nullopt;
  }

  SearchOf<G>& waiting_search() { return *searches_[PlayerToMove()]; }

  MatchGame TakeResult() {
    result_.outcome = line_.outcome();
    return std::move(result_);
  }

  SearchStats stats() const {
    SearchStats sum;
    for (const auto& search : searches_) {
      if (!search) continue;
      const SearchStats stats = search->stats();
      sum.evaluations += stats.evaluations;
      sum.terminal_visits += stats.terminal_visits;
      sum.nodes += stats.nodes;
      sum.bytes += stats.bytes;
    }
    return sum;
  }

 private:
  // Which of A (0) and B (1) is to move.
  int PlayerToMove() const { return line_.to_move() ^ (result_.a_is_player_0 ? 0 : 1); }

  // Both games of a pair get the same start and the same random plies. An opening that ends the
  // game is drawn again.
  void PlayOpening(std::uint32_t pair) {
    constexpr int kTries = 1000;
    RandomStream setup(context_.options.seed, 0, pair, StreamPurpose::kSetup);
    RandomStream random(context_.options.seed, 0, pair, StreamPurpose::kOpening);
    const auto start = context_.game.Start(setup);
    for (int k = 0; k < kTries; ++k) {
      line_ = start;
      result_.actions.clear();
      while (!line_.over() && line_.ply() < context_.options.random_plies) {
        const auto count = static_cast<std::uint32_t>(line_.legal().size());
        const Action action = line_.legal()[static_cast<int>(random.Below(count))];
        result_.actions.push_back(action);
        line_.Advance(action);
      }
      if (!line_.over()) return;
    }
    throw UserError(StrCat("random openings of ", context_.options.random_plies,
                           " plies end the game: choose fewer"));
  }

  void Play(Action action) {
    result_.actions.push_back(action);
    for (auto& search : searches_) {
      if (search) search->Play(action);
    }
    line_.Advance(action);
  }

  const Context& context_;
  Line<G> line_;
  std::array<std::optional<SearchOf<G>>, 2> searches_;
  std::array<RandomStream, 2> random_;
  MatchGame result_;
  bool searching_ = false;
};

}  // namespace qirkat
