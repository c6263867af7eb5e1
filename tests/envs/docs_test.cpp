// docs/adding_a_game.md names every member of the Game concept.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace qirkat {
namespace {

std::string Read(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(QIRKAT_SOURCE_DIR) + "/" + name).rdbuf();
  return text.str();
}

TEST(AddingAGameTest, EveryMemberIsExplained) {
  const std::string contract = Read("envs/core/game.h");
  const std::string page = Read("docs/adding_a_game.md");
  const std::regex member("\\bG::(\\w+)");
  std::set<std::string> names;
  for (std::sregex_iterator it(contract.begin(), contract.end(), member), end; it != end; ++it) {
    names.insert((*it)[1]);
  }
  EXPECT_GE(names.size(), 25u);
  for (const std::string& name : names) {
    EXPECT_NE(page.find('`' + name + '`'), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace qirkat
