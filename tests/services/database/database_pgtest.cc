#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class EmptyDatabase : public CommandDatabase {
 protected:
  EmptyDatabase() : CommandDatabase(false) {}
};

TEST_F(EmptyDatabase, CommandsSayThatTheSchemaIsMissing) {
  for (const char* arguments : {"get groups", "describe group a/b",
                                "queue pause default", "migrate validate"}) {
    EXPECT_EQ(run_(arguments), ExitCode::kSchema) << arguments;
    EXPECT_THAT(run_.err(), HasSubstr("is missing or older"));
    EXPECT_THAT(run_.err(), HasSubstr("Run `fluxnetes migrate up`."));
  }
}

TEST_F(EmptyDatabase, MigrateUpMakesItOnce) {
  run_("migrate status");
  EXPECT_THAT(run_.out(), HasSubstr("missing"));
  EXPECT_EQ(run_("migrate up"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("applied 0001 work_queue\n"));
  EXPECT_EQ(run_("migrate up"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("is up to date already"));
  EXPECT_EQ(run_("migrate validate"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_("get groups -A -o json"), ExitCode::kOk) << run_.err();
  run_("migrate status -o json");
  EXPECT_EQ(nlohmann::json::parse(run_.out())["items"][0]["state"], "applied");
}

using Database = CommandDatabase;

TEST_F(Database, NewerSchemaIsLeftAlone) {
  database_.Execute(
      "INSERT INTO schema_migrations SELECT 99, 'of the future', checksum,"
      " applied_at FROM schema_migrations WHERE version = 1");
  for (const char* arguments : {"get groups", "migrate up"}) {
    EXPECT_EQ(run_(arguments), ExitCode::kSchema) << arguments << run_.err();
    EXPECT_THAT(run_.err(), HasSubstr("newer"));
  }
  EXPECT_EQ(run_("migrate status"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("newer than this program"));
}

TEST_F(Database, NewerSchemaWithOtherTablesIsToldAsSuch) {
  database_.Execute(
      "INSERT INTO schema_migrations SELECT 99, 'of the future', checksum,"
      " applied_at FROM schema_migrations WHERE version = 1;"
      " ALTER TABLE pod_groups RENAME TO groups_of_the_future");
  EXPECT_EQ(run_("get groups"), ExitCode::kSchema);
  EXPECT_THAT(run_.err(), HasSubstr("is newer than this program"));
}

TEST_F(Database, ViewerMayLookButNotChange) {
  database_.Execute(
      "DO $$BEGIN CREATE ROLE cli_viewer LOGIN IN ROLE fluxnetes_viewer;"
      " EXCEPTION WHEN duplicate_object THEN NULL; END$$");
  run_.Set("FLUXNETES_DATABASE",
           database_.options().connection + "&user=cli_viewer");
  EXPECT_EQ(run_("get groups -A"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_("queue pause default"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("no right to do this"));
  EXPECT_THAT(run_.err(), HasSubstr("GRANT"));
}

TEST_F(Database, RoleWithoutRightsIsToldWhatItNeeds) {
  database_.Execute(
      "DO $$BEGIN CREATE ROLE cli_nobody LOGIN;"
      " EXCEPTION WHEN duplicate_object THEN NULL; END$$");
  run_.Set("FLUXNETES_DATABASE",
           database_.options().connection + "&user=cli_nobody");
  EXPECT_EQ(run_("get groups -A"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("GRANT fluxnetes_viewer TO name"));
}

TEST_F(Database, UnknownRoleOrDatabaseIsUnreachable) {
  run_.Set("FLUXNETES_DATABASE",
           database_.options().connection + "&user=no_such_role");
  EXPECT_EQ(run_("get groups"), ExitCode::kNoDatabase);
  EXPECT_THAT(run_.err(), HasSubstr("no_such_role"));
}

TEST(NoDatabase, DatabaseThatIsAwayIsNamedWithoutThePassword) {
  CommandRun run(
      Environment{{"FLUXNETES_DATABASE", "host=/nonexistent password=geheim"}});
  for (const char* arguments : {"get groups", "migrate up", "migrate status",
                                "migrate validate", "queue pause q"}) {
    EXPECT_EQ(run(arguments), ExitCode::kNoDatabase) << arguments;
    EXPECT_THAT(run.err(), HasSubstr("error: the database cannot be reached "
                                     "(host=/nonexistent password=***)"));
    EXPECT_THAT(run.err(), HasSubstr("--database"));
    EXPECT_THAT(run.err(), Not(HasSubstr("geheim")));
  }
}

TEST(NoDatabase, ConnectionStringThatIsNoneIsAUsageError) {
  CommandRun run(Environment{{"FLUXNETES_DATABASE", "hots=x password=geheim"}});
  for (const char* arguments : {"get groups", "migrate up"}) {
    EXPECT_EQ(run(arguments), ExitCode::kUsage) << arguments;
    EXPECT_THAT(run.err(), HasSubstr("connection string is not valid"));
    EXPECT_THAT(run.err(), Not(HasSubstr("geheim")));
  }
}

}  // namespace
}  // namespace fluxnetes::services
