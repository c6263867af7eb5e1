// qirkat bench search GAME: what the tree costs and saves, on one core.
#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/config_overrides.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/support.h"
#include "models/evaluators.h"
#include "selfplay/search/worlds.h"

namespace qirkat::cli {
namespace {

struct BenchSearchOptions {
  std::string game;
  OptionTexts game_options;
  std::string model = "hash";
  BackendOptions backend;
  OptionTexts search;
  std::int64_t visits = 0;
  std::int64_t plies = 0;
  std::int64_t searches = 32;
  double seconds = 1;
  bool json = false;
};

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What one number of visits a move took. Seconds of the parts: `select` descends and writes
// observations, `expand` delivers and backs up, `play` chooses moves, keeps subtrees and starts
// games.
struct SearchRate {
  std::int64_t visits = 0;
  std::uint64_t evaluations = 0, proven_visits = 0, shared_visits = 0, moves = 0, tree_bytes = 0;
  double seconds = 0, select = 0, evaluate = 0, expand = 0, play = 0;

  double per_second() const { return static_cast<double>(evaluations) / seconds; }
  double NanosecondsEach(double part) const {
    return 1e9 * part / static_cast<double>(evaluations);
  }
  // Of the visits, those that needed an evaluation.
  double evaluated_share() const {
    return static_cast<double>(evaluations) /
           static_cast<double>(evaluations + proven_visits + shared_visits);
  }
};

// Self-play of several games in one thread, each batch holding one leaf of every game.
template <Game G>
class SearchBench {
 public:
  // A game starts again after `plies`, or at its end.
  SearchBench(const TypedGame<G>& game, const EvaluatorFactory& model, const SearchOptions& options,
              std::int64_t visits, std::int64_t plies, int searches)
      : options_(options),
        plies_(plies),
        shape_(ShapeOf(game.info())),
        start_(game.Start(random_)),
        evaluator_(model.Make(searches)),
        buffers_(shape_, searches) {
    options_.visits = visits;
    for (int i = 0; i < searches; ++i) {
      searches_.push_back(std::make_unique<SearchOf<G>>(options_, evaluator_->needs_lines()));
      searches_.back()->SetRoot(start_);
      searches_.back()->Begin(visits, &random_);
    }
  }

  SearchRate Run(double seconds) {
    for (const Clock::time_point start = Clock::now(); SecondsSince(start) < seconds / 5;) Batch();
    const SearchStats before = Stats();
    rate_ = {};
    const Clock::time_point start = Clock::now();
    do {
      Batch();
    } while ((rate_.seconds = SecondsSince(start)) < seconds);
    const SearchStats after = Stats();
    rate_.visits = options_.visits;
    rate_.evaluations = after.evaluations - before.evaluations;
    rate_.proven_visits = after.terminal_visits - before.terminal_visits;
    rate_.shared_visits = after.shared_visits - before.shared_visits;
    rate_.tree_bytes = after.bytes / searches_.size();
    rate_.select -= rate_.play;
    return rate_;
  }

 private:
  // One evaluation for each search.
  void Batch() {
    const int size = static_cast<int>(searches_.size());
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < size; ++i) {
      while (searches_[i]->Advance() == SearchStatus::kDone) PlayMove(*searches_[i]);
      searches_[i]->WriteLeaf(buffers_.Row(i));
      if (!evaluator_->needs_lines()) continue;
      buffers_.lines[i] = searches_[i]->leaf_line();
      buffers_.seeds[i] = searches_[i]->leaf_seed();
    }
    const Clock::time_point selected = Clock::now();
    evaluator_->Evaluate(buffers_.Batch(size, evaluator_->needs_lines()), buffers_.Result(size));
    const Clock::time_point evaluated = Clock::now();
    for (int i = 0; i < size; ++i) {
      searches_[i]->Deliver(buffers_.Logits(i), std::span(buffers_.wdl).subspan(3 * i, 3),
                            buffers_.score[i], buffers_.moves_left[i]);
    }
    rate_.select += std::chrono::duration<double>(selected - start).count();
    rate_.evaluate += std::chrono::duration<double>(evaluated - selected).count();
    rate_.expand += SecondsSince(evaluated);
  }

  void PlayMove(SearchOf<G>& search) {
    const Clock::time_point start = Clock::now();
    search.Play(search.ChooseAction(MoveTemperature(options_, search.line().ply()), random_));
    const bool given_up = plies_ > 0 && search.line().ply() - start_.ply() >= plies_;
    if (search.line().over() || given_up) search.SetRoot(start_);
    search.Begin(options_.visits, &random_);
    ++rate_.moves;
    rate_.play += SecondsSince(start);
  }

  SearchStats Stats() const {
    SearchStats sum;
    for (const auto& search : searches_) {
      const SearchStats stats = search->stats();
      sum.evaluations += stats.evaluations;
      sum.terminal_visits += stats.terminal_visits;
      sum.shared_visits += stats.shared_visits;
      sum.bytes += stats.bytes;
    }
    return sum;
  }

  SearchOptions options_;
  std::int64_t plies_;
  RandomStream random_{1};
  EvalShape shape_;
  Line<G> start_;
  std::unique_ptr<Evaluator> evaluator_;
  EvalBuffers buffers_;
  std::vector<std::unique_ptr<SearchOf<G>>> searches_;
  SearchRate rate_;
};

nlohmann::ordered_json ToJson(const SearchRate& rate) {
  return {{"visits", rate.visits},
          {"evaluations_per_s", rate.per_second()},
          {"ns_per_evaluation", rate.NanosecondsEach(rate.seconds)},
          {"select_ns", rate.NanosecondsEach(rate.select)},
          {"evaluate_ns", rate.NanosecondsEach(rate.evaluate)},
          {"expand_ns", rate.NanosecondsEach(rate.expand)},
          {"play_ns", rate.NanosecondsEach(rate.play)},
          {"evaluated_share", rate.evaluated_share()},
          {"evaluations", rate.evaluations},
          {"proven_visits", rate.proven_visits},
          {"shared_visits", rate.shared_visits},
          {"moves", rate.moves},
          {"tree_bytes", rate.tree_bytes}};
}

void Print(const BenchSearchOptions& options, const std::vector<SearchRate>& rates) {
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SearchRate& rate : rates) list.push_back(ToJson(rate));
    PrintJson({{"bench", "search"},
               {"game", options.game},
               {"model", options.model},
               {"searches", options.searches},
               {"rates", list}});
    return;
  }
  const auto ns = [](double value) { return std::to_string(std::llround(value)); };
  TextTable table({"visits", "evaluations/s", "ns each", "select", "evaluate", "expand", "play",
                   "evaluated", "tree"});
  for (const SearchRate& rate : rates) {
    table.AddRow({std::to_string(rate.visits), ShortNumber(rate.per_second()),
                  ns(rate.NanosecondsEach(rate.seconds)), ns(rate.NanosecondsEach(rate.select)),
                  ns(rate.NanosecondsEach(rate.evaluate)), ns(rate.NanosecondsEach(rate.expand)),
                  ns(rate.NanosecondsEach(rate.play)),
                  StrCat(NumberText(std::round(1000 * rate.evaluated_share()) / 10), " %"),
                  ShortBytes(static_cast<double>(rate.tree_bytes))});
  }
  std::cout << options.game << ", " << options.searches << " games on one core, evaluated by "
            << options.model << "; times in ns an evaluation; evaluated: of the visits\n";
  table.Print(std::cout);
}

template <Game G>
void Bench(BenchSearchOptions& options) {
  const TypedGame<G> game(ParseOptions<typename G::Options>(options.game_options, "--set"));
  std::vector<std::int64_t> counts = {100, 200, 400, 800};
  if (options.visits > 0) counts = {options.visits};
  const auto model =
      MakeModel(options.model, game.info(), NetLoader(game, options.backend), "--model");
  const auto search = ParseOptions<SearchOptions>(options.search, "--search");
  std::vector<SearchRate> rates;
  for (const std::int64_t visits : counts) {
    SearchBench<G> bench(game, *model, search, visits, options.plies,
                         static_cast<int>(options.searches));
    rates.push_back(bench.Run(options.seconds));
  }
  Print(options, rates);
}

}  // namespace

void AddBenchSearch(CLI::App& app, Session&) {
  auto options = std::make_shared<BenchSearchOptions>();
  AddGame(app, options->game);
  AddSet(app, options->game_options);
  AddText(app, "--model", options->model, {.help = "hash, uniform, rollout or a model file"});
  AddBackend(app, options->backend);
  AddSearchOverrides(app, options->search);
  AddInteger(app, "--visits", options->visits,
             {.min = 0,
              .max = 10'000'000,
              .unit = "visits",
              .help = "Visits a move; 0: 100, 200, 400 and 800"});
  AddInteger(app, "--plies", options->plies,
             {.min = 0,
              .max = 1'000'000,
              .unit = "plies",
              .help = "A game starts again after so many plies; 0: it is played to its end"});
  AddInteger(
      app, "--searches", options->searches,
      {.min = 1, .max = 4096, .unit = "games", .help = "Games at once, one row each a batch"});
  AddReal(app, "--seconds", options->seconds,
          {.min = 0.01, .max = 3600, .unit = "s", .help = "How long each number of visits runs"});
  AddJson(app, options->json);
  app.callback(
      [options] { RegisteredGames::Visit(options->game, [&]<Game G>() { Bench<G>(*options); }); });
}

}  // namespace qirkat::cli
