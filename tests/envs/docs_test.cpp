// docs/adding_a_game.md names every member of the Game concept.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace qirkat {
namespace {

std::string Read(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(QIRKAT_SOURCE_DIR) + "/" + name).rdbuf();
  return text.str();
}

constexpr const char* kIdentifier = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

TEST(AddingAGameTest, EveryMemberIsExplained) {
  const std::string contract = Read("envs/core/game.h");
  const std::string page = Read("docs/adding_a_game.md");
  std::set<std::string> names;
  for (auto at = contract.find(" G::"); at != std::string::npos; at = contract.find(" G::", at)) {
    at += 4;
    const auto end = contract.find_first_not_of(kIdentifier, at);
    names.insert(contract.substr(at, end - at));
  }
  EXPECT_GE(names.size(), 25u);
  for (const std::string& name : names) {
    EXPECT_NE(page.find('`' + name + '`'), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace qirkat
