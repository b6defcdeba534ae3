// `fluxnetes doctor`: each check, passing and failing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "services/doctor/scheduler_rights.h"
#include "tests/services/support/command_database.h"
#include "tests/support/places.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Doctor : public CommandDatabase {
 protected:
  explicit Doctor(bool migrated = true) : CommandDatabase(migrated) {
    run_.Set("FLUXNETES_LISTEN", "unix:/nowhere/cluster.sock");
  }

  // Returns "status: what -> mend" by check, of the first finding.
  std::map<std::string, std::string> All() {
    run_("doctor -o json");
    std::map<std::string, std::string> all;
    const auto json = nlohmann::json::parse(run_.out());
    for (const auto& item : json["items"])
      all.emplace(
          item["check"],
          item["status"].get<std::string>() + ": " +
              item["what"].get<std::string>() + " -> " +
              (item["mend"].is_null() ? "" : item["mend"].get<std::string>()));
    return all;
  }

  std::string Of(const std::string& check) { return All()[check]; }

  // Makes the program connect with that role.
  void Become(const std::string& role, const std::string& options) {
    database_.Execute("DO $$BEGIN CREATE ROLE " + role + " LOGIN " + options +
                      "; EXCEPTION WHEN duplicate_object THEN NULL; END$$");
    run_.Set("FLUXNETES_DATABASE",
             database_.options().connection + "&user=" + role);
  }

  void AddScheduler() {
    database_.Execute(
        "INSERT INTO clients (name) VALUES ('host-1');"
        "INSERT INTO leaders (name, client_id, acquired_at) SELECT v.name,"
        "  c.id, now() - interval '1 minute' FROM clients AS c, (VALUES"
        "  ('intake'), ('match:default')) AS v (name)");
  }
};

class DoctorOfNothing : public Doctor {
 protected:
  DoctorOfNothing() : Doctor(/*migrated=*/false) {}
};

TEST_F(Doctor, WellDatabaseIsSaidToBeWell) {
  AddExampleGroups();
  AddScheduler();
  auto all = All();
  for (const char* check :
       {"configuration", "database", "connections", "database clock", "schema",
        "rights in the database", "schedulers", "work queue", "partitions",
        "statistics", "records"})
    EXPECT_THAT(all[check], StartsWith("ok: ")) << check;
  EXPECT_THAT(all["database"], HasSubstr("PostgreSQL 1"));
}

TEST_F(Doctor, ClusterThatIsAwayFailsWithWhatToStart) {
  EXPECT_EQ(run_("doctor"), ExitCode::kFailed);
  EXPECT_THAT(run_.out(), HasSubstr("FAILED   API server: cannot be "
                                    "reached: unix:/nowhere/cluster.sock"));
  EXPECT_THAT(run_.out(), HasSubstr("-> Start `fluxnetes serve`"));
  EXPECT_THAT(run_.err(), HasSubstr(" failed, "));
}

TEST_F(Doctor, DatabaseThatIsAwayIsToldAndTheRestIsSkipped) {
  run_.Set("FLUXNETES_DATABASE", "host=/nowhere password=geheim");
  auto all = All();
  EXPECT_THAT(all["database"], StartsWith("failed: the database cannot be "
                                          "reached (host=/nowhere"));
  EXPECT_THAT(run_.out(), Not(HasSubstr("geheim")));
  EXPECT_THAT(all["partitions"], StartsWith("skipped: "));
}

TEST_F(Doctor, BrokenConfigurationIsAFindingWithItsPlace) {
  run_.Set("FLUXNETES_LOG_LEVEL", "loud");
  EXPECT_THAT(Of("configuration"),
              StartsWith("failed: FLUXNETES_LOG_LEVEL: log.level: 'loud'"));
  EXPECT_EQ(run_.out().find("database"), std::string::npos);
}

TEST_F(DoctorOfNothing, MissingSchemaIsMadeByTheCommandThatIsTold) {
  auto all = All();
  EXPECT_THAT(all["schema"], HasSubstr("-> Run `fluxnetes migrate up`."));
  EXPECT_THAT(all["records"], StartsWith("skipped: "));
}

TEST_F(Doctor, SettingsThatLoseWhatWasConfirmedAreNamed) {
  // The PostgreSQL of the tests may do without fsync, which is named too.
  Become("doctor_hasty", "SUPERUSER");
  database_.Execute("ALTER ROLE doctor_hasty SET synchronous_commit = on");
  EXPECT_THAT(Of("durability"), Not(HasSubstr("synchronous_commit")));
  database_.Execute("ALTER ROLE doctor_hasty SET synchronous_commit = off");
  EXPECT_THAT(Of("durability"), AllOf(StartsWith("warning: "),
                                      HasSubstr("synchronous_commit off")));
}

TEST_F(Doctor, RightsThatTheRoleLacksAreNamed) {
  Become("doctor_viewer", "IN ROLE fluxnetes_viewer");
  EXPECT_THAT(
      Of("rights in the database"),
      AllOf(StartsWith("warning: enough to look"),
            HasSubstr("UPDATE on account_holds and "),
            HasSubstr("INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " +
                      database_.schema() + " TO that role.")));
  Become("doctor_nobody", "");
  EXPECT_THAT(Of("schema"), AllOf(StartsWith("failed: no right to do this"),
                                  HasSubstr("GRANT fluxnetes_viewer TO name")));
}

TEST_F(Doctor, ClockThatIsOffIsMeasured) {
  AddExampleGroups();
  run_.SetNow(run_.now() - std::chrono::seconds(5));
  EXPECT_THAT(
      Of("database clock"),
      AllOf(StartsWith("warning: "), HasSubstr("ahead of that of this host")));
  run_.SetNow(run_.now() + std::chrono::hours(1));
  EXPECT_THAT(
      Of("database clock"),
      AllOf(StartsWith("failed: "), HasSubstr("behind that of this host")));
}

TEST_F(Doctor, DeadSchedulersAndOwnerlessQueuesAreSeen) {
  EXPECT_THAT(Of("schedulers"), StartsWith("failed: none is alive, nor ever"));
  AddScheduler();
  database_.Execute("INSERT INTO queues (name) VALUES ('gpu')");
  EXPECT_THAT(Of("schedulers"),
              StartsWith("failed: 1 alive, but nobody has match:gpu"));
  database_.Execute("UPDATE clients SET heartbeat_at = now() - interval '1h'");
  EXPECT_THAT(Of("schedulers"), StartsWith("failed: none is alive; the last "
                                           "sign of life was 60m ago"));
}

TEST_F(Doctor, JobsThatDoNotGoOnAreCounted) {
  database_.Execute(
      "INSERT INTO jobs (kind, queue, state, attempt, client_id)"
      "  VALUES ('bind', 'bind', 'running', 1, 77)");
  EXPECT_THAT(Of("work queue"),
              StartsWith("warning: 1 job leased by processes that are dead"));
  database_.Execute(
      "DELETE FROM jobs;"
      "INSERT INTO jobs (kind, queue, state, attempt)"
      "  VALUES ('bind', 'bind', 'retryable', 5)");
  EXPECT_THAT(Of("work queue"), StartsWith("warning: 1 job failed five times"));
  database_.Execute(
      "DELETE FROM jobs;"
      "INSERT INTO jobs (kind, queue, scheduled_at)"
      "  VALUES ('bind', 'bind', now() - interval '3 minutes')");
  EXPECT_THAT(Of("work queue"), StartsWith("warning: a job that may run has "
                                           "waited for 3m"));
}

TEST_F(Doctor, MissingPartitionsAreNamed) {
  database_.Execute(
      "DO $$ BEGIN EXECUTE format('DROP TABLE %I', 'group_history_' || "
      "to_char((now() AT TIME ZONE 'UTC')::date + 1, 'YYYYMMDD')); END $$");
  EXPECT_THAT(Of("partitions"),
              StartsWith("warning: group_history has them for 1 day only -> "));
  database_.Execute(
      "DO $$ BEGIN EXECUTE format('DROP TABLE %I', 'group_history_' || "
      "to_char((now() AT TIME ZONE 'UTC')::date, 'YYYYMMDD')); END $$");
  EXPECT_THAT(Of("partitions"),
              StartsWith("failed: group_history has none for today"));
}

TEST_F(Doctor, ClosedNodesPausedQueuesAndHealedDifferencesAreTold) {
  EXPECT_THAT(Of("records"), StartsWith("warning: no node is known"));
  AddExampleGroups();
  database_.Execute("UPDATE queues SET paused = true");
  EXPECT_THAT(Of("records"), StartsWith("warning: paused queues: default -> "
                                        "`fluxnetes queue resume NAME`"));
  database_.Execute(
      "UPDATE queues SET paused = false;"
      "INSERT INTO resync_differences (kind, found, names)"
      "  VALUES ('pod event', 2, '{a/b}')");
  EXPECT_THAT(Of("records"), HasSubstr("healed differences within a day: pod "
                                       "event"));
}

// Returns "group/resource/subresource/verb" for each right.
std::set<std::string> RightsOfManifest() {
  std::set<std::string> rights;
  for (const YAML::Node& document :
       YAML::LoadAllFromFile(testing::SourcePath("deploy/rbac.yaml")))
    for (const YAML::Node& rule : document["rules"])
      for (const YAML::Node& group : rule["apiGroups"])
        for (const YAML::Node& resource : rule["resources"])
          for (const YAML::Node& verb : rule["verbs"]) {
            std::string name = resource.as<std::string>();
            if (name.find('/') == std::string::npos) name += "/";
            rights.insert(group.as<std::string>() + "/" + name + "/" +
                          verb.as<std::string>());
          }
  return rights;
}

TEST(SchedulerRights, AreThoseOfTheManifest) {
  std::set<std::string> rights;
  for (const SchedulerRight& right : SchedulerRights())
    rights.insert(std::string(right.group) + "/" + std::string(right.resource) +
                  "/" + std::string(right.subresource) + "/" +
                  std::string(right.verb));
  EXPECT_EQ(rights, RightsOfManifest());
  EXPECT_EQ(rights.size(), SchedulerRights().size());
}

}  // namespace
}  // namespace fluxnetes::services
