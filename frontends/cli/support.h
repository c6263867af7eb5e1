// What the subcommands share. Output goes to std::cout; a write that fails throws there and ends
// the program with exit code 2, so commands need not check.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "envs/core/any_line.h"
#include "envs/core/options.h"
#include "selfplay/pipeline/stats.h"

namespace qirkat::cli {

// Exit codes.
inline constexpr int kExitCheckFailed = 1;  // only of commands that check something
inline constexpr int kExitUserError = 2;  // a user's mistake, damaged input, no room, no permission
inline constexpr int kExitInternalError = 3;  // a bug
inline constexpr int kExitInterrupted = 130;  // after a clean save

// Options of a command, parsed and range-checked as the option tables are: what is wrong ends with
// "--games must be an integer 1 … 1000000, not 'x'". `value` holds the default and must live until
// the command has run (commands keep their options in a shared_ptr). Integers given more than once
// are errors.
CLI::Option* AddInteger(CLI::App& app, const std::string& name, std::int64_t& value,
                        OptionFacts facts);
CLI::Option* AddReal(CLI::App& app, const std::string& name, double& value, OptionFacts facts);
CLI::Option* AddText(CLI::App& app, const std::string& name, std::string& value, OptionFacts facts);
// The same for a positional, which is required: AddGame is the game's name.
CLI::Option* AddGame(CLI::App& app, std::string& game);
// `--set option=value`, any number of times.
CLI::Option* AddSet(CLI::App& app, OptionTexts& options);
// `--json`.
CLI::Option* AddJson(CLI::App& app, bool& json);
// `--svg FILE`.
CLI::Option* AddSvg(CLI::App& app, std::optional<std::string>& path, const std::string& help);

// Writes one JSON document, indented, with a newline. Bytes that are no UTF-8 are replaced.
void PrintJson(const nlohmann::ordered_json& json);

// The rule options of a game: {"max_plies": "128", …}.
nlohmann::ordered_json OptionsJson(const AnyGame& game);

// A table for a person: columns as wide as their longest cell, numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void AddRow(std::vector<std::string> cells);
  void Print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "1.23 M", "456 k", "7.89": three significant digits, for rates and counts.
std::string ShortNumber(double value);
// "12.30"; with `sign` "+12.30".
std::string Fixed(double value, int decimals, bool sign = false);
// "12.3 MiB"
std::string ShortBytes(double bytes);

// "36.8 k evaluations/s, 21 % of the rows from the cache"
std::string EvaluationsText(const SelfPlayStats& stats);

// From the first call on, a first Ctrl-C (or SIGTERM) only sets the flag: finish and save. A second
// one ends the program at once with 130.
const std::atomic<bool>& CatchInterrupts();
// True once an interrupt was caught: main then ends with kExitInterrupted.
bool Interrupted();

// `text` as one printable line: control characters and bytes that are no UTF-8 are written as \xNN.
std::string OneLine(std::string_view text);

}  // namespace qirkat::cli
