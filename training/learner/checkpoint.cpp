#include "training/learner/checkpoint.h"

#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "envs/core/error.h"
#include "envs/core/file.h"
#include "envs/core/text.h"

namespace qirkat {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "qirkat-checkpoint-1";

std::string TextHash(const std::string& text) {
  return Sha256Hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string OptimizerHash(const TensorFile& optimizer) {
  return Sha256Hex(SerializeTensorFile(optimizer));
}

Json StateJson(const Checkpoint& checkpoint) {
  const RunState& run = checkpoint.run;
  Json json;
  json["format"] = kFormat;
  json["seed"] = run.seed;
  json["generation"] = run.generation;
  json["learning"] = run.learning;
  json["step"] = run.step;
  json["first_step"] = run.first_step;
  json["games"] = run.games;
  json["positions"] = run.positions;
  json["window"] = {{"rows_seen", run.window.rows_seen},
                    {"rows", run.window.rows},
                    {"first_generation", run.window.first_generation},
                    {"first_game", run.window.first_game}};
  json["model"] = ModelName(checkpoint.learner.average);
  json["weights"] = ModelName(checkpoint.learner.weights);
  json["optimizer"] = OptimizerHash(checkpoint.learner.optimizer);
  return json;
}

// The state without its checksum, which must hold.
Json ParseState(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = ReadFileBytes(path);
  Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  const auto damaged = [&] { return UserError(StrCat(path.string(), ": damaged")); };
  if (!json.is_object() || !json.contains("sha256") || !json["sha256"].is_string()) throw damaged();
  const auto checksum = json["sha256"].get<std::string>();
  json.erase("sha256");
  if (TextHash(json.dump()) != checksum) throw damaged();
  if (json.value("format", "") != kFormat) {
    throw UserError(StrCat(path.string(), ": is a ", json.value("format", "?"),
                           ", this program reads ", kFormat));
  }
  return json;
}

RunState StateFromJson(const Json& json) {
  RunState run;
  json.at("seed").get_to(run.seed);
  json.at("generation").get_to(run.generation);
  json.at("learning").get_to(run.learning);
  json.at("step").get_to(run.step);
  json.at("first_step").get_to(run.first_step);
  json.at("games").get_to(run.games);
  json.at("positions").get_to(run.positions);
  const Json& window = json.at("window");
  window.at("rows_seen").get_to(run.window.rows_seen);
  window.at("rows").get_to(run.window.rows);
  window.at("first_generation").get_to(run.window.first_generation);
  window.at("first_game").get_to(run.window.first_game);
  return run;
}

void CheckHash(const fs::path& path, const std::string& hash, const Json& wanted) {
  if (hash != wanted.get<std::string>()) {
    throw UserError(StrCat(path.string(), ": belongs to another checkpoint (its hash is ", hash,
                           ", state.json names ", wanted.get<std::string>(), ")"));
  }
}

Checkpoint ReadFiles(const fs::path& directory) {
  Checkpoint checkpoint;
  LearnerState& learner = checkpoint.learner;
  const Json json = ParseState(directory / "state.json");
  checkpoint.run = StateFromJson(json);
  learner.average = ReadModel(directory / "model.qkt");
  learner.weights = ReadModel(directory / "weights.qkt");
  learner.optimizer = ReadTensorFile(directory / "optimizer.qkt", kOptimizerKind);
  CheckHash(directory / "model.qkt", ModelName(learner.average), json.at("model"));
  CheckHash(directory / "weights.qkt", ModelName(learner.weights), json.at("weights"));
  CheckHash(directory / "optimizer.qkt", OptimizerHash(learner.optimizer), json.at("optimizer"));
  return checkpoint;
}

void WriteFiles(const fs::path& directory, const Checkpoint& checkpoint) {
  WriteModel(directory / "model.qkt", checkpoint.learner.average);
  WriteModel(directory / "weights.qkt", checkpoint.learner.weights);
  WriteTensorFile(directory / "optimizer.qkt", checkpoint.learner.optimizer);
  Json json = StateJson(checkpoint);
  json["sha256"] = TextHash(json.dump());
  WriteFileAtomically(directory / "state.json", json.dump(2) + '\n');
}

}  // namespace

void WriteCheckpoint(const fs::path& directory, const Checkpoint& checkpoint) {
  fs::path partial = directory;
  partial += ".partial";
  fs::remove_all(partial);
  try {
    fs::create_directories(partial);
    WriteFiles(partial, checkpoint);
  } catch (...) {
    std::error_code ignored;  // what was thrown says why
    fs::remove_all(partial, ignored);
    throw;
  }
  fs::remove_all(directory);
  RenameDurably(partial, directory);
}

Checkpoint ReadCheckpoint(const fs::path& directory) {
  try {
    return ReadFiles(directory);
  } catch (const UserError& error) {
    throw UserError(StrCat(error.what(), "; remove ", directory.string(),
                           " to continue from the checkpoint before it"));
  }
}

}  // namespace qirkat
