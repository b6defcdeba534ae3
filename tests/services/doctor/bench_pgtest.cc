// `fluxnetes bench`: it measures each row and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

using Bench = CommandDatabase;

TEST_F(Bench, EachRowHasAFigureAndOnlyItsOwnSchemaIsDropped) {
  AddExampleGroups();
  ASSERT_EQ(run_("bench --time 50ms -o json"), ExitCode::kOk) << run_.err();
  std::istringstream lines(run_.out());
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    rows.push_back(row["row"]);
    EXPECT_GT(row["min"], 0) << line;
    EXPECT_LE(row["min"], row["value"]) << line;
    EXPECT_LE(row["value"], row["max"]) << line;
  }
  EXPECT_THAT(rows, ::testing::ElementsAre(
                        "database round trip", "durable commit of a job",
                        "jobs inserted, 100 at a time",
                        "jobs leased and finished, 100 at a time",
                        "gangs decided on, of 2000 on 2 empty nodes"));
  EXPECT_EQ(database_.AskAll("SELECT count(*) FROM pg_namespace WHERE nspname "
                             "= 'fluxnetes_bench'"),
            "0");
  EXPECT_EQ(database_.AskAll("SELECT count(*) FROM jobs"), "0");

  // A schema left by a killed bench is reported and not touched.
  database_.Execute("CREATE SCHEMA fluxnetes_bench");
  EXPECT_EQ(run_("bench --time 50ms"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("DROP SCHEMA fluxnetes_bench CASCADE"));
  EXPECT_EQ(database_.AskAll("SELECT count(*) FROM pg_namespace WHERE nspname "
                             "= 'fluxnetes_bench'"),
            "1");
  database_.Execute("DROP SCHEMA fluxnetes_bench");
}

}  // namespace
}  // namespace fluxnetes::services
