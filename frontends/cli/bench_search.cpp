// qirkat bench search GAME: the tree alone, with `hash` in place of a network, on one core.
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "models/evaluators.h"
#include "selfplay/search/worlds.h"

namespace qirkat::cli {
namespace {

struct BenchSearchOptions {
  std::string game;
  OptionTexts game_options;
  std::int64_t visits = 0;
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
  std::uint64_t evaluations = 0, terminal_visits = 0, moves = 0, tree_bytes = 0;
  double seconds = 0, select = 0, evaluate = 0, expand = 0, play = 0;

  double per_second() const { return static_cast<double>(evaluations) / seconds; }
  double NanosecondsEach(double part) const {
    return 1e9 * part / static_cast<double>(evaluations);
  }
};

// Self-play of several games in one thread, each batch holding one leaf of every game.
template <Game G>
class SearchBench {
 public:
  SearchBench(const TypedGame<G>& game, std::int64_t visits, int searches)
      : shape_(ShapeOf(game.info())),
        start_(game.Start(random_)),
        evaluator_(MakeHashEvaluator(shape_)->Make(searches)),
        buffers_(shape_, searches) {
    options_.visits = visits;
    for (int i = 0; i < searches; ++i) {
      searches_.push_back(std::make_unique<SearchOf<G>>(options_, false));
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
    rate_.terminal_visits = after.terminal_visits - before.terminal_visits;
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
    }
    const Clock::time_point selected = Clock::now();
    evaluator_->Evaluate(buffers_.Batch(size, false), buffers_.Result(size));
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
    if (search.line().over()) search.SetRoot(start_);
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
      sum.bytes += stats.bytes;
    }
    return sum;
  }

  SearchOptions options_;
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
          {"tree_over_hash", (rate.seconds - rate.evaluate) / rate.evaluate},
          {"evaluations", rate.evaluations},
          {"terminal_visits", rate.terminal_visits},
          {"moves", rate.moves},
          {"tree_bytes", rate.tree_bytes}};
}

void Print(const BenchSearchOptions& options, const std::vector<SearchRate>& rates) {
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SearchRate& rate : rates) list.push_back(ToJson(rate));
    PrintJson({{"bench", "search"},
               {"game", options.game},
               {"evaluator", "hash"},
               {"searches", options.searches},
               {"rates", list}});
    return;
  }
  const auto ns = [](double value) { return std::to_string(std::llround(value)); };
  TextTable table({"visits", "evaluations/s", "ns each", "select", "hash", "expand", "play",
                   "tree/hash", "terminal", "tree"});
  for (const SearchRate& rate : rates) {
    table.AddRow(
        {std::to_string(rate.visits), ShortNumber(rate.per_second()),
         ns(rate.NanosecondsEach(rate.seconds)), ns(rate.NanosecondsEach(rate.select)),
         ns(rate.NanosecondsEach(rate.evaluate)), ns(rate.NanosecondsEach(rate.expand)),
         ns(rate.NanosecondsEach(rate.play)),
         ShortNumber((rate.seconds - rate.evaluate) / rate.evaluate),
         ShortNumber(rate.NanosecondsEach(1e-9 * static_cast<double>(rate.terminal_visits))),
         ShortBytes(static_cast<double>(rate.tree_bytes))});
  }
  std::cout << options.game << ", " << options.searches
            << " games on one core, `hash` as the network; times in ns an evaluation\n";
  table.Print(std::cout);
}

template <Game G>
void Bench(const BenchSearchOptions& options) {
  const TypedGame<G> game(ParseOptions<typename G::Options>(options.game_options, "--set"));
  std::vector<std::int64_t> counts = {100, 200, 400, 800};
  if (options.visits > 0) counts = {options.visits};
  std::vector<SearchRate> rates;
  for (const std::int64_t visits : counts) {
    rates.push_back(
        SearchBench<G>(game, visits, static_cast<int>(options.searches)).Run(options.seconds));
  }
  Print(options, rates);
}

}  // namespace

void AddBenchSearch(CLI::App& app, Session&) {
  auto options = std::make_shared<BenchSearchOptions>();
  AddGame(app, options->game);
  AddSet(app, options->game_options);
  AddInteger(app, "--visits", options->visits,
             {.min = 0,
              .max = 10'000'000,
              .unit = "visits",
              .help = "Visits a move; 0: 100, 200, 400 and 800"});
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
