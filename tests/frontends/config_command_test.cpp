// qirkat config, and through it what a config file or its overrides can get wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envs/core/error.h"
#include "tests/frontends/run_program.h"
#include "training/config.h"

namespace qirkat::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kGame = "[game]\nname = \"reversi\"\n";

// Expects that a config with this text is refused by one line that holds every text of `parts`. In
// this process: starting the program hundreds of times takes long with LibTorch.
void ExpectRefused(const std::string& toml, const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("bad.toml", toml);
  std::string message;
  try {
    ReadConfig(path);
  } catch (const UserError& error) {
    message = error.what();
  }
  EXPECT_THAT(message, ::testing::StartsWith(path));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  for (const std::string& part : parts) EXPECT_THAT(message, HasSubstr(part));
}

// What only the rules can refuse, and a start from which nobody can play.
TEST(ConfigCommand, GamesThatCannotStart) {
  ExpectRefused("[game]\nname = \"super1al5\"\nmarked = \"a1\"\n", {"marked cell a1"});
  ExpectRefused("[game]\nname = \"super1al5\"\nmarked = \"i1\"\n", {"marked: 'i1'", "is no cell"});
  ExpectRefused("[game]\nname = \"superlogo\"\nstart = \"x\"\n", {"start: superlogo position 'x'"});
  ExpectRefused("[game]\nname = \"superlogo\"\nstart = \"5/5/5/5/4S b - 0,0 0\"\n",
                {"the start is a finished game (last-super)"});
  ExpectRefused("[game]\nname = \"stratego\"\nsetup = \"x\"\n", {"setup: 'x'; accepted: place"});
  ExpectRefused("[game]\nname = \"stratego\"\nsetup = \"book\"\nsetup_book = \"/none\"\n",
                {"setup_book: cannot read /none"});
}

TEST(ConfigCommand, ReferenceIsTheCommittedFile) {
  const ProgramResult result = RunProgram({"config"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, ReadFile(QIRKAT_SOURCE_DIR "/configs/reference.toml"))
      << "run: qirkat config > configs/reference.toml";
}

TEST(ConfigCommand, EveryCommittedConfigIsRight) {
  for (const auto& entry : std::filesystem::directory_iterator(QIRKAT_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".toml") continue;
    const ProgramResult result = RunProgram({"config", entry.path().string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

TEST(ConfigCommand, ResolvedConfigIsItsOwnResolution) {
  const TemporaryFolder folder;
  const std::string path =
      folder.Write("small.toml", std::string(kGame) + "[search]\nvisits = 7\n");
  const ProgramResult first = RunProgram({"config", path, "--learner.augment", "off"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("\nvisits = 7\n"));
  EXPECT_THAT(first.out, HasSubstr("\naugment = false\n"));
  EXPECT_THAT(first.out, HasSubstr("\nname = \"reversi\"\n"));
  const ProgramResult second = RunProgram({"config", folder.Write("full.toml", first.out)});
  EXPECT_EQ(second.out, first.out);
}

TEST(ConfigCommand, OverridesWinAndStandAnywhere) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.toml", std::string(kGame) + "[search]\nvisits = 7\n");
  for (const Arguments& arguments :
       {Arguments{"config", path, "--search.visits", "9"}, {"config", "--search.visits=9", path}}) {
    EXPECT_THAT(RunProgram(arguments).out, HasSubstr("\nvisits = 9\n"));
  }
  ExpectUserError({"config", path, "--search.visits", "many"},
                  {"--search.visits: visits must be an integer", "'many'"});
  ExpectUserError({"config", path, "--search.visits", "-1"}, {"visits must be an integer"});
  ExpectUserError({"config", path, "--search.visits", "99999999999999999999"},
                  {"visits must be an integer"});
  ExpectUserError({"config", path, "--game.name", "revresi"}, {"'revresi'", "reversi"});
  ExpectUserError({"config", "--search.visits", "9"}, {"CONFIG"});
}

TEST(ConfigCommand, WindowsLineEndsAreRead) {
  const TemporaryFolder folder;
  const std::string path =
      folder.Write("crlf.toml", "[game]\r\nname = \"reversi\"\r\n\r\n[search]\r\nvisits = 7\r\n");
  EXPECT_THAT(RunProgram({"config", path}).out, HasSubstr("\nvisits = 7\n"));
}

TEST(ConfigCommand, UnknownNamesSuggestTheNearest) {
  ExpectRefused(std::string(kGame) + "[serach]\nvisits = 7\n",
                {"bad.toml:4", "unknown section 'serach'", "did you mean 'search'?"});
  ExpectRefused(std::string(kGame) + "[search]\n\nvists = 7\n",
                {"bad.toml:5", "unknown [search] option 'vists'", "did you mean 'visits'?"});
  ExpectRefused("[game]\nname = \"reversy\"\n", {"bad.toml:2", "one of reversi", "'reversy'"});
  ExpectRefused(std::string(kGame) + "max_ply = 3\n",
                {"bad.toml:3", "unknown [game] option 'max_ply'"});
  ExpectRefused("[game]\nname = \"reversi\"\n[lerner]\n",
                {"bad.toml:3", "unknown section 'lerner'", "did you mean 'learner'?"});
}

TEST(ConfigCommand, ABadFileEndsWithOneLineAndStaysAsItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("bad.toml", std::string(kGame) + "[search]\nvisits = 0\n");
  const auto before = Snapshot(folder.path());
  ExpectUserError({"config", path}, {path + ":4", "visits must be an integer 1 …", "'0'"});
  EXPECT_EQ(Snapshot(folder.path()), before);
}

TEST(ConfigCommand, RepeatedNames) {
  ExpectRefused(std::string(kGame) + "[search]\nvisits = 7\nvisits = 8\n",
                {"bad.toml:5", "visits"});
  ExpectRefused(std::string(kGame) + "[search]\n[search]\n", {"bad.toml:4", "search"});
}

TEST(ConfigCommand, WrongTypesAndRanges) {
  const std::string search = std::string(kGame) + "[search]\n";
  ExpectRefused(search + "visits = \"7\"\n", {"bad.toml:4", "an integer", "the text '7'"});
  ExpectRefused(search + "visits = 7.5\n", {"bad.toml:4", "an integer", "'7.5'"});
  ExpectRefused(search + "visits = true\n", {"bad.toml:4", "an integer", "'true'"});
  ExpectRefused(search + "visits = [7]\n", {"bad.toml:4", "an integer", "an array"});
  ExpectRefused(search + "visits = {a = 7}\n", {"bad.toml:4", "an integer", "a table"});
  ExpectRefused(search + "visits = 2026-01-01\n", {"bad.toml:4", "a date or time"});
  ExpectRefused(search + "visits = -5\n", {"bad.toml:4", "an integer", "'-5'"});
  ExpectRefused(search + "visits = 99999999999999999999\n", {"bad.toml:4"});
  ExpectRefused(search + "cpuct = inf\n", {"bad.toml:4", "a number", "inf"});
  ExpectRefused(search + "cpuct = nan\n", {"bad.toml:4", "a number", "nan"});
  ExpectRefused(search + "reuse_tree = 1\n", {"bad.toml:4", "true or false", "'1'"});
  ExpectRefused(search + "reuse_tree = \"on\"\n", {"bad.toml:4", "true or false", "'on'"});
  ExpectRefused(std::string(kGame) + "max_plies = -3\n", {"bad.toml:3", "max_plies must be"});
  ExpectRefused(std::string(kGame) + "[learner]\noptimizer = \"adam\"\n",
                {"bad.toml:4", "one of adamw, sgd", "'adam'"});
  ExpectRefused("search = 7\n", {"bad.toml:1", "'search' stands outside a section"});
  ExpectRefused("[[search]]\nvisits = 7\n", {"bad.toml:1", "outside a section"});
  ExpectRefused("[search]\nvisits = 7\n", {"[game] name is missing", "reversi"});
}

TEST(ConfigCommand, TextThatIsNotToml) {
  ExpectRefused("", {"[game] name is missing"});
  ExpectRefused(std::string("[game]\0\n", 8), {"bad.toml:1"});
  ExpectRefused("[game]\nname = \"\xff\"\n", {"bad.toml:2"});
  ExpectRefused("[game\n", {"bad.toml:1", "not valid TOML"});
  ExpectRefused("\x89HDF\r\n\x1a\n", {"bad.toml:1"});
  ExpectRefused("[game]\nname = \"" + std::string(1 << 20, 'x') + "\"\n", {"bad.toml:2"});
  ExpectRefused("x = " + std::string(100000, '['), {"bad.toml:1"});
}

TEST(ConfigCommand, FilesThatCannotBeRead) {
  const TemporaryFolder folder;
  ExpectUserError({"config", (folder.path() / "none.toml").string()},
                  {"none.toml", "No such file or directory"});
  ExpectUserError({"config", folder.path().string()}, {"not a regular file"});
  const std::string path = folder.Write("secret.toml", kGame);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  ExpectUserError({"config", path}, {"secret.toml", "Permission denied"},
                  {.without_root_rights = true});
}

}  // namespace
}  // namespace qirkat::test
