// `fluxnetes doctor` on the statistics of tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/doctor/doctor_queries.h"
#include "services/doctor/statistics_checkup.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {
namespace {

using std::chrono::seconds;
using Status = Finding::Status;
using ::testing::HasSubstr;

class StatisticsCheckup : public ::testing::Test {
 protected:
  StatisticsCheckup() {
    database_.UseCatalogues({queries::kAllDoctor});
    // Else it might come between two steps of a test.
    database_.Execute("ALTER TABLE audit SET (autovacuum_enabled = off)");
  }

  // All findings, with limits that a test reaches.
  Findings Look(seconds age = seconds(0)) {
    sql::Transaction transaction(database_.pool());
    return CheckStatistics(transaction, {.rows = 100, .age = age});
  }

  // What is said of tables with old statistics; "" if nothing is.
  std::string OldTables(seconds age = seconds(0)) {
    const Findings findings = Look(age);
    return findings.size() < 2 ? "" : findings.back().what;
  }

  void InsertAudits(int rows) {
    database_.Execute(
        "INSERT INTO audit (caller, role, via, verb, object) "
        "SELECT 'a', 'user', 'cli', 'cancel', 'b' FROM generate_series(1, " +
        std::to_string(rows) + "); SELECT pg_stat_force_next_flush()");
  }

  testing::TestDatabase database_;
};

TEST_F(StatisticsCheckup, TableThatWasNeverAnalysedIsNamed) {
  InsertAudits(150);
  EXPECT_EQ(OldTables(), "old for audit (150 rows, never analysed)");
  EXPECT_THAT(Look().back().mend, HasSubstr("ANALYZE;"));
  EXPECT_EQ(Look().back().status, Status::kWarning);
}

TEST_F(StatisticsCheckup, MoreChangedRowsThanThereAreMakeThemOld) {
  InsertAudits(10);
  database_.Execute("ANALYZE audit");
  EXPECT_EQ(OldTables(), "");
  InsertAudits(90);
  EXPECT_EQ(OldTables(), "");
  database_.Execute("DELETE FROM audit; SELECT pg_stat_force_next_flush()");
  EXPECT_THAT(OldTables(),
              HasSubstr("old for audit (0 rows, 190 changed since ANALYZE "));
  EXPECT_EQ(OldTables(seconds(600)), "")
      << "autovacuum may be about to renew them";
  database_.Execute("ANALYZE audit");
  EXPECT_EQ(OldTables(), "");
}

TEST_F(StatisticsCheckup, TablesThatAutovacuumLeavesAloneAreNamed) {
  database_.Execute("ALTER TABLE jobs SET (autovacuum_enabled = false)");
  const Findings findings = Look();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].what, "autovacuum is off for audit, jobs");
  EXPECT_THAT(findings[0].mend,
              HasSubstr("ALTER TABLE audit RESET (autovacuum_enabled)"));
  database_.Execute(
      "ALTER TABLE jobs RESET (autovacuum_enabled);"
      "ALTER TABLE audit RESET (autovacuum_enabled)");
  EXPECT_EQ(Look()[0].status, Status::kWell);
}

}  // namespace
}  // namespace fluxnetes::services
