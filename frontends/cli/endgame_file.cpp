#include "frontends/cli/endgame_file.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"

namespace qirkat::cli {
namespace {

MoveScore ParseExpectation(const AnyLine& line, std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view number = colon == std::string_view::npos ? "" : Trim(text.substr(colon + 1));
  const bool plus = number.starts_with('+');
  if (plus) number.remove_prefix(1);
  const auto score = ParseNumber<int>(number);
  if (!score || (plus && *score < 0)) {
    throw UserError(StrCat(Quoted(text), " behind the position is not MOVE:SCORE (G8:+18)"));
  }
  return {line.ActionText(line.ParseAction(Trim(text.substr(0, colon)))), *score};
}

EndgameTask ParseTask(const AnyGame& game, std::string where, std::string_view text,
                      bool with_expectations) {
  EndgameTask task{.where = std::move(where), .line = nullptr, .expected = {}};
  const auto parts = Split(text, ';');
  task.line = game.NewLineAt(Trim(parts[0]));
  for (std::size_t i = 1; with_expectations && i < parts.size(); ++i) {
    const std::string_view part = Trim(parts[i]);
    if (!part.empty()) task.expected.push_back(ParseExpectation(*task.line, part));
  }
  return task;
}

std::string ReadStandardInput() {
  std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  if (std::cin.bad()) {
    throw UserError(StrCat("the standard input cannot be read: ", std::strerror(errno)));
  }
  return text;
}

}  // namespace

std::vector<EndgameTask> ReadEndgameTasks(const AnyGame& game, const EndgameSource& source,
                                          bool with_expectations) {
  if (source.position.has_value() == source.file.has_value()) {
    throw UserError("what to solve is given once: accepted: --position TEXT or --file FILE");
  }
  std::vector<EndgameTask> tasks;
  const auto add = [&](const std::string& where, std::string_view text) {
    tasks.push_back(
        InContext(where, [&] { return ParseTask(game, where, text, with_expectations); }));
  };
  if (source.position) {
    add("--position", *source.position);
    return tasks;
  }
  const bool standard_input = *source.file == "-";
  const std::string name = standard_input ? "standard input" : *source.file;
  std::string text;
  if (standard_input) {
    text = ReadStandardInput();
  } else {
    const auto bytes = ReadFileBytes(*source.file);
    text.assign(bytes.begin(), bytes.end());
  }
  int number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (!Trim(line).empty()) add(StrCat(name, ':', number), line);
  }
  if (tasks.empty()) throw UserError(StrCat(name, ": no position stands there"));
  return tasks;
}

}  // namespace qirkat::cli
