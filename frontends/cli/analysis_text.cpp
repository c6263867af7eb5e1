#include "frontends/cli/analysis_text.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "envs/core/text.h"
#include "frontends/cli/position.h"
#include "frontends/cli/support.h"

namespace qirkat::cli {
namespace {

// Of +1, 0, -1 for the player to move.
const char* ResultName(int result) {
  constexpr std::array<const char*, 3> kNames = {"loss", "draw", "win"};
  return kNames[result + 1];
}

std::string Percent(float share) { return Fixed(100 * share, 1); }

nlohmann::ordered_json ProvenJson(const std::optional<int>& proven) {
  return proven ? nlohmann::ordered_json(ResultName(*proven)) : nlohmann::ordered_json();
}

void AddWdl(nlohmann::ordered_json& json, const std::array<float, 3>& wdl) {
  json["win"] = wdl[0];
  json["draw"] = wdl[1];
  json["loss"] = wdl[2];
}

}  // namespace

void AddBatchOptions(CLI::App& app, BatchOptions& options) {
  AddInteger(
      app, "--batch", options.batch,
      {.min = 1,
       .max = 4096,
       .unit = "leaves",
       .help = "Of the tree, evaluated together; more are faster and search a little worse"});
  AddInteger(app, "--cache-mib", options.cache_mib,
             {.min = 0,
              .max = 1 << 20,
              .unit = "MiB",
              .help = "Evaluations of a network that are kept; 0: none"});
}

std::string ExpectationText(const AnalysisResult& result) {
  return StrCat("win ", Percent(result.wdl[0]), " %, draw ", Percent(result.wdl[1]), " %, loss ",
                Percent(result.wdl[2]), " %, score ", Fixed(result.score, 1, true), ", ",
                Fixed(result.moves_left, 1), " plies left",
                result.proven ? StrCat("; proven ", ResultName(*result.proven)) : "");
}

std::string LinesText(const AnyLine& root, const AnalysisResult& result) {
  TextTable table({"action", "visits", "share %", "value", "win %", "draw %", "loss %", "score",
                   "left", "prior %", "proven", "then"});
  for (const AnalysisLine& line : result.lines) {
    std::vector<std::string> texts = ActionTexts(root, line.actions);
    std::vector<std::string> row = {texts.front(), std::to_string(line.visits), Percent(line.share),
                                    Fixed(line.value, 3, true)};
    for (int k = 0; k < 3; ++k) row.push_back(line.wdl ? Percent((*line.wdl)[k]) : "");
    row.push_back(Fixed(line.score, 1, true));
    row.push_back(Fixed(line.moves_left, 1));
    row.push_back(Percent(line.prior));
    row.push_back(line.proven ? ResultName(*line.proven) : "");
    texts.erase(texts.begin());
    row.push_back(Join(texts, " "));
    table.AddRow(std::move(row));
  }
  std::ostringstream text;
  table.Print(text);
  return text.str();
}

nlohmann::ordered_json ResultJson(const AnyLine& root, const AnalysisResult& result) {
  nlohmann::ordered_json json;
  json["visits"] = result.visits;
  AddWdl(json, result.wdl);
  json["score"] = result.score;
  json["moves_left"] = result.moves_left;
  json["proven"] = ProvenJson(result.proven);
  json["lines"] = nlohmann::ordered_json::array();
  for (const AnalysisLine& line : result.lines) {
    nlohmann::ordered_json entry;
    entry["actions"] = ActionTexts(root, line.actions);
    entry["visits"] = line.visits;
    entry["share"] = line.share;
    entry["prior"] = line.prior;
    entry["value"] = line.value;
    if (line.wdl) AddWdl(entry, *line.wdl);
    entry["score"] = line.score;
    entry["moves_left"] = line.moves_left;
    entry["proven"] = ProvenJson(line.proven);
    json["lines"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace qirkat::cli
