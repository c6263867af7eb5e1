// qirkat bench PART [GAME]
#include <vector>

#include "frontends/cli/commands.h"

namespace qirkat::cli {

void AddBench(CLI::App& app, Session& session) {
  static const std::vector<Command> kParts = {
      {"env", "Parts", "Rules and vectorized envs", "qirkat bench env", AddBenchEnv},
      {"eval", "Parts", "Evaluators: rows a second by batch size", "qirkat bench eval reversi",
       AddBenchEval},
      {"search", "Parts", "The tree alone, with `hash` in place of a network",
       "qirkat bench search reversi", AddBenchSearch},
      {"analyze", "Parts", "Search of one position in batches, against the evaluator alone",
       "qirkat bench analyze reversi --batch 32", AddBenchAnalyze},
      {"selfplay", "Parts", "Self-play: positions evaluated, tree against model",
       "qirkat bench selfplay reversi", AddBenchSelfPlay},
#ifdef QIRKAT_WITH_TORCH
      {"train", "Parts", "The learner, against a plain LibTorch loop", "qirkat bench train reversi",
       AddBenchTrain},
#endif
  };
  app.require_subcommand(1);
  AddCommands(app, session, kParts.data(), static_cast<int>(kParts.size()));
}

}  // namespace qirkat::cli
