#include "frontends/cli/support.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "envs/core/error.h"
#include "envs/core/text.h"
#include "envs/registry.h"

namespace qirkat::cli {
namespace {

// "-n,--games" -> "--games": what error messages call it.
std::string LongName(const std::string& names) {
  const auto parts = Split(names, ',');
  return std::string(Trim(parts.back()));
}

template <class Value, class Parse>
CLI::Option* AddParsed(CLI::App& app, const std::string& names, Value& value, OptionType type,
                       OptionFacts facts, Parse parse) {
  const std::string accepted = AcceptedText(type, facts);
  std::string help = facts.help;
  if (type != OptionType::kText || !facts.choices.empty()) help += " (" + accepted + ")";
  CLI::Option* option = app.add_option_function<std::string>(
      names,
      [&value, facts, parse, name = LongName(names), &app](const std::string& text) {
        value = parse(name, facts, text, app.get_name());
      },
      help);
  const std::string default_text = internal::OptionValueText(value);
  if (!default_text.empty()) option->default_str(default_text);
  option->type_name(type == OptionType::kText ? "TEXT" : "N");
  return option;
}

std::atomic<bool> interrupted = false;

extern "C" void OnInterrupt(int) {
  if (interrupted.exchange(true)) _exit(kExitInterrupted);
}

// Length of the valid UTF-8 sequence that starts `text`, or 0.
std::size_t Utf8Length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::size_t Width(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

bool LooksLikeNumber(std::string_view text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) ||
                           (text.size() > 1 && (text[0] == '-' || text[0] == '+') &&
                            std::isdigit(static_cast<unsigned char>(text[1]))));
}

std::string ThreeDigits(double value) {
  const double size = std::abs(value);
  std::array<char, 32> buffer;
  const int decimals = size >= 100 || value == std::floor(value) ? 0 : size >= 10 ? 1 : 2;
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return buffer.data();
}

}  // namespace

CLI::Option* AddInteger(CLI::App& app, const std::string& name, std::int64_t& value,
                        OptionFacts facts) {
  return AddParsed(app, name, value, OptionType::kInteger, std::move(facts),
                   internal::ParseOptionInteger);
}

CLI::Option* AddReal(CLI::App& app, const std::string& name, double& value, OptionFacts facts) {
  return AddParsed(app, name, value, OptionType::kReal, std::move(facts),
                   internal::ParseOptionReal);
}

CLI::Option* AddText(CLI::App& app, const std::string& name, std::string& value,
                     OptionFacts facts) {
  return AddParsed(app, name, value, OptionType::kText, std::move(facts),
                   internal::ParseOptionText);
}

CLI::Option* AddGame(CLI::App& app, std::string& game) {
  return app.add_option("GAME", game, "One of " + Join(GameNames(), ", "))->required();
}

CLI::Option* AddSet(CLI::App& app, OptionTexts& options) {
  return app
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&options](const std::vector<std::string>& settings) {
            for (const std::string& setting : settings) {
              const std::size_t equals = setting.find('=');
              if (equals == std::string::npos || equals == 0) {
                throw UserError(StrCat("--set: ", Quoted(setting), " is not option=value"));
              }
              options.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
            }
          },
          "A rule option, option=value (see qirkat games); any number of times")
      ->type_name("OPTION=VALUE")
      ->allow_extra_args(false);
}

CLI::Option* AddJson(CLI::App& app, bool& json) {
  return app.add_flag("--json", json, "Print one JSON document");
}

CLI::Option* AddSvg(CLI::App& app, std::optional<std::string>& path, const std::string& help) {
  return app.add_option("--svg", path, help)->type_name("FILE");
}

void PrintJson(const nlohmann::ordered_json& json) {
  std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

nlohmann::ordered_json OptionsJson(const AnyGame& game) {
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  for (const auto& [name, value] : game.info().OptionValues()) options[name] = value;
  return options;
}

void TextTable::AddRow(std::vector<std::string> cells) {
  QIRKAT_CHECK(cells.size() == rows_[0].size(), cells.size(), rows_[0].size());
  rows_.push_back(std::move(cells));
}

void TextTable::Print(std::ostream& out) const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  std::vector<bool> numbers(rows_[0].size(), rows_.size() > 1);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], Width(rows_[r][c]));
      if (r > 0 && !LooksLikeNumber(rows_[r][c]) && !rows_[r][c].empty()) numbers[c] = false;
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - Width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += numbers[c] ? padding + row[c] : row[c] + padding;
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

std::string ShortNumber(double value) {
  constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return ThreeDigits(value) + kUnits[unit];
}

std::string Fixed(double value, int decimals, bool sign) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), sign ? "%+.*f" : "%.*f", decimals, value);
  return text.data();
}

std::string ShortBytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {" B", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return ThreeDigits(bytes) + kUnits[unit];
}

std::string EvaluationsText(const SelfPlayStats& stats) {
  std::string text =
      ShortNumber(static_cast<double>(stats.evaluations) / stats.seconds) + " evaluations/s";
  if (stats.cache_hits > 0) {
    text +=
        StrCat(", ", std::llround(100 * stats.cache_hits_share()), " % of the rows from the cache");
  }
  return text;
}

const std::atomic<bool>& CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

bool Interrupted() { return interrupted; }

std::string OneLine(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view kHex = "0123456789abcdef";
      line += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      text.remove_prefix(1);
    } else {
      line += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return line;
}

}  // namespace qirkat::cli
