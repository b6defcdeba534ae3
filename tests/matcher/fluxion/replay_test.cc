#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/places.h"
#include "tests/support/script.h"

namespace fluxnetes::matcher {
namespace {

// Sessions recorded from Fluxion's own resource-query are not part of this
// repository. FLUXNETES_FLUXION_SESSIONS names a folder that has them and
// replay-cases.py; without it, the tests look for them beside the checkout.
class Replay : public ::testing::Test {
 protected:
  Replay() {
    const char* named = std::getenv("FLUXNETES_FLUXION_SESSIONS");
    folder_ =
        named != nullptr ? named : testing::SourcePath("../shared/fluxion");
  }

  bool Has(const std::string& name) const {
    return std::filesystem::exists(folder_ / name);
  }

  // Says of each session that fails `FAIL name ...`.
  testing::ScriptResult Run(const std::string& options) const {
    return testing::TryScript(
        "python3 -B " + testing::Quoted(folder_ / "replay-cases.py") + " -n " +
        options + " " +
        testing::Quoted(testing::BuiltProgram("matcher/resource-query")));
  }

  std::filesystem::path folder_;
};

std::set<std::string> FailedIn(const std::string& said) {
  std::set<std::string> failed;
  std::istringstream lines(said);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string result;
    std::string session;
    if (words >> result >> session && result == "FAIL") failed.insert(session);
  }
  return failed;
}

// The sessions of known_differences.tsv, each with its rows of the manual.
std::map<std::string, std::set<std::string>> KnownDifferences() {
  std::map<std::string, std::set<std::string>> known;
  std::ifstream file(
      testing::SourcePath("tests/matcher/fluxion/known_differences.tsv"));
  std::string line;
  while (std::getline(file, line)) {
    const size_t tab = line.find('\t');
    if (line.starts_with("#") || tab == std::string::npos) continue;
    known[line.substr(0, tab)].insert(line.substr(tab + 1));
  }
  return known;
}

TEST_F(Replay, RecordedSessionsGiveTheSameResults) {
  if (!Has("replay-cases.py"))
    GTEST_SKIP() << "there are no recorded sessions in " << folder_
                 << "; FLUXNETES_FLUXION_SESSIONS may name another folder";
  const testing::ScriptResult result = Run("");
  EXPECT_EQ(result.status, 0) << result.said;
}

TEST_F(Replay, SessionsFailWhereTheManualSaysSoAndNowhereElse) {
  if (!Has("cases2"))
    GTEST_SKIP() << "there are no further sessions in " << folder_
                 << "; FLUXNETES_FLUXION_SESSIONS may name another folder";
  const testing::ScriptResult result =
      Run("-c " + testing::Quoted(folder_ / "cases2"));
  const std::set<std::string> failed = FailedIn(result.said);
  const auto known = KnownDifferences();
  for (const std::string& session : failed)
    EXPECT_TRUE(known.contains(session)) << session << " differs";
  for (const auto& [session, rows] : known)
    EXPECT_TRUE(failed.contains(session)) << session << " differs no more";
  EXPECT_NE(result.said.find("TOTAL"), std::string::npos) << result.said;
}

TEST(KnownDifferences, AreRowsOfTheManual) {
  std::ifstream file(testing::SourcePath("docs/matcher.md"));
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  const auto known = KnownDifferences();
  EXPECT_FALSE(known.empty());
  for (const auto& [session, rows] : known) {
    for (const std::string& row : rows) {
      EXPECT_NE(manual.find("\n| " + row + " | "), std::string::npos)
          << session << ": " << row;
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
