#include "selfplay/data/header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace qirkat {
namespace {

void PutTexts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.Put(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) out.PutText(text);
}

std::vector<std::string> GetTexts(ByteReader& in) {
  std::vector<std::string> texts(in.GetCount(sizeof(std::uint32_t)));
  for (std::string& text : texts) text = in.GetText();
  return texts;
}

std::string_view LineOrEnd(const std::vector<std::string_view>& lines, std::size_t k) {
  return k < lines.size() ? lines[k] : "(end)";
}

}  // namespace

ShardHeader MakeShardHeader(const GameInfo& info) {
  ShardHeader header;
  header.game = info.name;
  header.game_version = info.version;
  header.game_options = info.OptionValues();
  header.columns = info.columns;
  header.rows = info.rows;
  header.plane_names = info.plane_names;
  header.scalar_names = info.scalar_names;
  header.plane_bytes = info.plane_bytes;
  header.legal_bytes = info.legal_bytes;
  header.policy_size = info.policy_size;
  return header;
}

ShardColumns MakeShardColumns(const ShardHeader& header) {
  ShardColumns columns;
  columns.plane_bytes = header.plane_bytes;
  columns.scalars = static_cast<int>(header.scalar_names.size());
  columns.legal_bytes = header.legal_bytes;
  return columns;
}

void PutHeader(ByteWriter& out, const ShardHeader& header) {
  out.PutText(header.game);
  out.Put(static_cast<std::int32_t>(header.game_version));
  out.PutText(OptionsToJson(header.game_options));
  out.Put(static_cast<std::int32_t>(header.columns));
  out.Put(static_cast<std::int32_t>(header.rows));
  PutTexts(out, header.plane_names);
  PutTexts(out, header.scalar_names);
  out.Put(static_cast<std::int32_t>(header.plane_bytes));
  out.Put(static_cast<std::int32_t>(header.legal_bytes));
  out.Put(static_cast<std::int32_t>(header.policy_size));
  out.PutText(header.config);
  out.PutText(header.model);
  out.Put(header.seed);
  out.Put(header.generation);
}

ShardHeader GetHeader(ByteReader& in) {
  ShardHeader header;
  header.game = in.GetText();
  header.game_version = in.Get<std::int32_t>();
  header.game_options = OptionsFromJson(in.GetText());
  header.columns = in.Get<std::int32_t>();
  header.rows = in.Get<std::int32_t>();
  header.plane_names = GetTexts(in);
  header.scalar_names = GetTexts(in);
  header.plane_bytes = in.Get<std::int32_t>();
  header.legal_bytes = in.Get<std::int32_t>();
  header.policy_size = in.Get<std::int32_t>();
  header.config = in.GetText();
  header.model = in.GetText();
  header.seed = in.Get<std::uint64_t>();
  header.generation = in.Get<std::uint64_t>();
  return header;
}

std::string OptionsToJson(const OptionTexts& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : options) json[name] = value;
  return json.dump();
}

OptionTexts OptionsFromJson(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw UserError("the rule options are no JSON object");
  OptionTexts options;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) throw UserError(StrCat("rule option ", Quoted(name), " is no text"));
    options.emplace_back(name, value.get<std::string>());
  }
  return options;
}

std::string HeaderDifference(const ShardHeader& found, const ShardHeader& expected) {
  std::string difference;
  const auto compare = [&](const char* name, const auto& a, const auto& b) {
    if (difference.empty() && a != b) {
      difference = StrCat(name, " is ", Quoted(StrCat(a)), " instead of ", Quoted(StrCat(b)));
    }
  };
  compare("game", found.game, expected.game);
  compare("game version", found.game_version, expected.game_version);
  compare("options", OptionsToJson(found.game_options), OptionsToJson(expected.game_options));
  compare("columns", found.columns, expected.columns);
  compare("rows", found.rows, expected.rows);
  compare("planes", Join(found.plane_names, " "), Join(expected.plane_names, " "));
  compare("scalars", Join(found.scalar_names, " "), Join(expected.scalar_names, " "));
  compare("bytes of a row's planes", found.plane_bytes, expected.plane_bytes);
  compare("bytes of a row's legal mask", found.legal_bytes, expected.legal_bytes);
  compare("policy size", found.policy_size, expected.policy_size);
  compare("seed", found.seed, expected.seed);
  compare("generation", found.generation, expected.generation);
  compare("model", found.model, expected.model);
  const auto found_lines = Split(found.config, '\n');
  const auto expected_lines = Split(expected.config, '\n');
  for (std::size_t k = 0; k < std::max(found_lines.size(), expected_lines.size()); ++k) {
    compare("config", LineOrEnd(found_lines, k), LineOrEnd(expected_lines, k));
  }
  return difference;
}

bool FitsHeader(const GameRecord& game, const ShardHeader& header) {
  for (const PositionRecord& position : game.positions) {
    if (std::cmp_not_equal(position.planes.size(), header.plane_bytes) ||
        position.scalars.size() != header.scalar_names.size() ||
        std::cmp_not_equal(position.legal.size(), header.legal_bytes)) {
      return false;
    }
  }
  return true;
}

}  // namespace qirkat
