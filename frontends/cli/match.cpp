// qirkat match GAME --a SPEC --b SPEC --games N: two players against each other.
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "envs/registry.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/load_net.h"
#include "frontends/cli/players.h"
#include "frontends/cli/support.h"
#include "frontends/metrics/live_line.h"
#include "selfplay/match/match.h"
#include "selfplay/match/player_spec.h"

namespace qirkat::cli {
namespace {

struct MatchCommand {
  std::string game, a, b;
  OptionTexts rules;
  std::int64_t games = 100;
  std::int64_t random_plies = MatchOptions().random_plies;
  std::int64_t seed = 1;
  std::int64_t workers = 0;
  std::int64_t slots = MatchOptions().slots;
  std::int64_t cache_mib = MatchOptions().cache_mib;
  BackendOptions backend;
  double min_score = 0;
  bool json = false;
};

// "+120 ± 35 (95 %: +86 … +156)"; a score of 0 or 1 has no finite Elo and no ±.
std::string EloText(const MatchResult& result) {
  std::string text = Fixed(result.elo, 0, true);
  if (std::isfinite(result.elo_low) && std::isfinite(result.elo_high)) {
    text += " ± " + Fixed((result.elo_high - result.elo_low) / 2, 0);
  }
  return text + " (95 %: " + Fixed(result.elo_low, 0, true) + " … " +
         Fixed(result.elo_high, 0, true) + ")";
}

double MeanPlies(const MatchResult& result) {
  double plies = 0;
  for (const MatchGame& game : result.games) plies += static_cast<double>(game.actions.size());
  return plies / static_cast<double>(result.games.size());
}

std::map<std::string, int> EndReasons(const MatchResult& result) {
  std::map<std::string, int> reasons;
  for (const MatchGame& game : result.games) ++reasons[ReasonText(game.outcome)];
  return reasons;
}

void PrintText(const MatchPlayer& a, const MatchPlayer& b, const MatchResult& result) {
  std::cout << "A " << PlayerText(a) << "\nB " << PlayerText(b) << "\ngames " << result.games.size()
            << ": A wins " << result.wins << ", draws " << result.draws << ", A loses "
            << result.losses << "\nscore of A " << Fixed(100 * result.score, 1) << " % ± "
            << Fixed(100 * result.score_error, 1)
            << " % (95 %: " << Fixed(100 * result.score_low, 1) << " … "
            << Fixed(100 * result.score_high, 1) << ")\nElo of A over B " << EloText(result)
            << "\nmean length " << Fixed(MeanPlies(result), 1) << " plies; ends:";
  for (const auto& [reason, count] : EndReasons(result)) {
    std::cout << ' ' << reason << ' ' << count;
  }
  std::cout << '\n';
}

// Infinite Elo is null.
void PrintResultJson(const MatchCommand& command, const MatchPlayer& a, const MatchPlayer& b,
                     const AnyGame& game, const MatchResult& result) {
  PrintJson({{"game", command.game},
             {"options", OptionsJson(game)},
             {"a", PlayerFacts(a)},
             {"b", PlayerFacts(b)},
             {"seed", command.seed},
             {"random_plies", command.random_plies},
             {"games", result.games.size()},
             {"wins", result.wins},
             {"draws", result.draws},
             {"losses", result.losses},
             {"score", result.score},
             {"score_error", result.score_error},
             {"score_low", result.score_low},
             {"score_high", result.score_high},
             {"elo", result.elo},
             {"elo_low", result.elo_low},
             {"elo_high", result.elo_high},
             {"mean_plies", MeanPlies(result)},
             {"ends", EndReasons(result)}});
}

void Run(MatchCommand& command, Session& session) {
  const auto game = MakeGame(command.game, command.rules);
  const LoadNet load_net = NetLoader(*game, command.backend);
  const MatchPlayer a = MakePlayer(command.a, game->info(), load_net, "--a");
  const MatchPlayer b = MakePlayer(command.b, game->info(), load_net, "--b");
  const MatchOptions options{.games = static_cast<std::uint32_t>(command.games),
                             .random_plies = static_cast<std::uint32_t>(command.random_plies),
                             .seed = static_cast<std::uint64_t>(command.seed),
                             .workers = static_cast<int>(command.workers),
                             .slots = static_cast<int>(command.slots),
                             .cache_mib = command.cache_mib};
  const std::atomic<bool>& stop = CatchInterrupts();
  MatchResult result;
  {
    LiveLine progress("match", "games");
    const auto observe = [&](std::uint32_t done, const MatchResult& so_far) {
      progress.Update(done, static_cast<double>(command.games),
                      done > 0 ? "score of A " + Fixed(100 * so_far.score, 1) + " %" : "");
    };
    result = RunMatch(*game, a, b, options, observe, &stop);
  }
  if (result.games.empty()) {
    std::cerr << "no game was finished\n";
    return;
  }
  if (command.json) {
    PrintResultJson(command, a, b, *game, result);
  } else {
    PrintText(a, b, result);
  }
  if (result.score_low < command.min_score) session.exit_code = kExitCheckFailed;
}

}  // namespace

void AddMatch(CLI::App& app, Session& session) {
  const auto command = std::make_shared<MatchCommand>();
  AddGame(app, command->game);
  const char* players =
      "random, or rollout, hash, uniform, net:FILE with options: net:FILE,visits=200";
  AddText(app, "--a", command->a, {.help = std::string("Player A: ") + players})->required();
  AddText(app, "--b", command->b, {.help = "Player B, in the same way"})->required();
  AddInteger(app, "--games", command->games,
             {.min = 2, .max = 1e7, .help = "Even: each opening is played with both colours"});
  AddInteger(app, "--random-plies", command->random_plies,
             {.min = 0, .max = 1000, .unit = "plies", .help = "Length of the random openings"});
  AddInteger(app, "--seed", command->seed,
             {.min = 0, .max = 9e15, .help = "Of openings and players"});
  AddSet(app, command->rules);
  AddReal(app, "--min-score", command->min_score,
          {.min = 0,
           .max = 1,
           .help = "End with exit code 1 if the lower 95 % bound of A's score is below"});
  AddInteger(app, "--workers", command->workers,
             {.min = 0, .max = 1024, .help = "Threads; 0: one for each core"});
  AddInteger(app, "--slots", command->slots,
             {.min = 1, .max = 65536, .help = "Games at once on each worker"});
  AddInteger(app, "--cache-mib", command->cache_mib,
             {.min = 0,
              .max = 1 << 20,
              .unit = "MiB",
              .help = "Evaluations that each worker keeps of each network; 0: none"});
  AddBackend(app, command->backend);
  AddJson(app, command->json);
  app.callback([command, &session] { Run(*command, session); });
}

}  // namespace qirkat::cli
