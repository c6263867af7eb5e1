// qirkat data info|verify PATH: what shards, journals and runs hold, and whether it holds.
#include <array>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/support.h"
#include "selfplay/data/shard.h"

namespace qirkat::cli {
namespace {

struct DataOptions {
  std::string path;
  bool json = false;
};

std::shared_ptr<DataOptions> AddDataOptions(CLI::App& app) {
  auto options = std::make_shared<DataOptions>();
  app.add_option("PATH", options->path, "A shard (.h5), a journal, or a folder that holds some")
      ->required();
  AddJson(app, options->json);
  return options;
}

// The games of one generation that one model played.
struct Totals {
  std::uint64_t files = 0, open_files = 0, bytes = 0, games = 0, positions = 0, plies = 0;
  std::array<std::uint64_t, 3> results{};  // player 0 lost, drew, won
  std::map<std::string, std::uint64_t> reasons;

  void Add(const ShardSummary& summary, const ShardColumns& columns) {
    ++files;
    open_files += summary.sealed ? 0 : 1;
    bytes += summary.file_bytes;
    games += columns.games.size();
    positions += columns.positions.size();
    plies += columns.games.action.size();
    for (std::size_t row = 0; row < columns.games.size(); ++row) {
      ++results.at(static_cast<std::size_t>(columns.games.result[row] + 1));
      ++reasons[ReasonText(UnpackReason(columns.games.reason[row]))];
    }
  }
  double mean_plies() const {
    return games == 0 ? 0 : static_cast<double>(plies) / static_cast<double>(games);
  }
};

// What runs share and what tells their parts apart.
struct Part {
  std::string game;  // name, version and rule options
  std::uint64_t generation;
  std::string model;
  std::uint64_t seed;
  friend auto operator<=>(const Part&, const Part&) = default;
};

std::string GameText(const ShardHeader& header) {
  std::string text = StrCat(header.game, " version ", header.game_version);
  for (const auto& [name, value] : header.game_options) text += StrCat(' ', name, '=', value);
  return OneLine(text);
}

nlohmann::ordered_json ToJson(const Part& part, const Totals& totals) {
  return {{"game", part.game},
          {"seed", part.seed},
          {"generation", part.generation},
          {"model", part.model},
          {"files", totals.files},
          {"open_files", totals.open_files},
          {"bytes", totals.bytes},
          {"games", totals.games},
          {"positions", totals.positions},
          {"mean_plies", totals.mean_plies()},
          {"player_0_wins", totals.results[2]},
          {"draws", totals.results[1]},
          {"player_1_wins", totals.results[0]},
          {"reasons", totals.reasons}};
}

void RunInfo(const DataOptions& options) {
  std::map<Part, Totals> parts;
  for (const auto& path : FindShards(options.path)) {
    const ShardSummary summary = ReadShardSummary(path);
    const ShardHeader& header = summary.header;
    parts[{GameText(header), header.generation, header.model, header.seed}].Add(
        summary, ReadPackedShard(path).columns);
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  TextTable table({"generation", "model", "files", "open", "size", "games", "positions",
                   "mean plies", "won", "drawn", "lost", "ends"});
  std::string game;
  for (const auto& [part, totals] : parts) {
    list.push_back(ToJson(part, totals));
    if (part.game != game) game += (game.empty() ? "" : "; ") + part.game;
    std::vector<std::string> ends;
    for (const auto& [reason, count] : totals.reasons) ends.push_back(StrCat(reason, ' ', count));
    table.AddRow({std::to_string(part.generation), OneLine(part.model),
                  std::to_string(totals.files), std::to_string(totals.open_files),
                  ShortBytes(static_cast<double>(totals.bytes)), std::to_string(totals.games),
                  std::to_string(totals.positions), ShortNumber(totals.mean_plies()),
                  std::to_string(totals.results[2]), std::to_string(totals.results[1]),
                  std::to_string(totals.results[0]), Join(ends, ", ")});
  }
  if (options.json) {
    PrintJson(list);
    return;
  }
  std::cout << game << "; won, drawn and lost by player 0\n";
  table.Print(std::cout);
}

// Of a file that was found in a folder, "no shard at all" is a finding too.
VerifyReport VerifyFile(const std::filesystem::path& path, bool in_folder) {
  try {
    return VerifyShard(path);
  } catch (const UserError& error) {
    if (!in_folder) throw;
    return {0, 0, {error.what()}};
  }
}

void RunVerify(const DataOptions& options, Session& session) {
  const auto paths = FindShards(options.path);
  const bool in_folder = std::filesystem::is_directory(options.path);
  VerifyReport all;
  for (const auto& path : paths) {
    const VerifyReport report = VerifyFile(path, in_folder);
    all.games += report.games;
    all.positions += report.positions;
    for (const std::string& problem : report.problems) {
      if (!options.json) std::cout << OneLine(problem) << std::endl;
      all.problems.push_back(problem);
    }
  }
  if (!all.problems.empty()) session.exit_code = kExitCheckFailed;
  if (options.json) {
    PrintJson({{"files", paths.size()},
               {"games", all.games},
               {"positions", all.positions},
               {"problems", all.problems}});
    return;
  }
  std::cout << "files " << paths.size() << ", games " << all.games << ", positions "
            << all.positions << ", problems " << all.problems.size() << '\n';
}

void AddInfo(CLI::App& app, Session& /*session*/) {
  const auto options = AddDataOptions(app);
  app.callback([options] { RunInfo(*options); });
}

void AddVerify(CLI::App& app, Session& session) {
  const auto options = AddDataOptions(app);
  app.callback([options, &session] { RunVerify(*options, session); });
}

constexpr Command kDataCommands[] = {
    {"info", "", "Count games, positions, results", "qirkat data info runs/reversi --json",
     AddInfo},
    {"verify", "", "Check checksums, and replay every game", "qirkat data verify runs/reversi",
     AddVerify},
};

}  // namespace

void AddData(CLI::App& app, Session& session) {
  app.require_subcommand(1);
  AddCommands(app, session, kDataCommands, std::size(kDataCommands));
}

}  // namespace qirkat::cli
