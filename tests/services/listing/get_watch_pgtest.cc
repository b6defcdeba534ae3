// `fluxnetes get groups --watch` and `--until-done`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

using GetWatch = CommandDatabase;

TEST_F(GetWatch, WatchPrintsEachChangeOnceWhereThereIsNoTerminal) {
  AddExampleGroups();
  int waits = 0;
  run_.OnWait([&] {
    if (++waits == 3)
      database_.Execute(
          "UPDATE pod_groups SET reason = 'changed' WHERE id = 3");
    return waits > 200;
  });
  EXPECT_EQ(run_("get groups -A -w"), ExitCode::kOk);
  EXPECT_EQ(Columns(run_.out(), {1}),
            "NAME\nruns\nfirst\nsecond\nhuge\nfills\nover\nsecond\n");
}

TEST_F(GetWatch, WatchTellsGroupsOfOneNameApart) {
  AddExampleGroups();
  database_.Execute(
      "UPDATE pod_groups SET namespace = 'b', "
      "group_name = 'over' WHERE id = 4");
  int waits = 0;
  run_.OnWait([&] { return ++waits > 4; });
  EXPECT_EQ(run_("get groups -A -w"), ExitCode::kOk);
  EXPECT_EQ(Columns(run_.out(), {1}),
            "NAME\nruns\nfirst\nsecond\nover\nfills\nover\n");
}

TEST_F(GetWatch, WatchIsNoWiderThanTheTerminal) {
  AddExampleGroups();
  run_.SetTerminal(44, 6);
  int waits = 0;
  run_.OnWait([&] { return ++waits > 1; });
  run_("get groups -A -w");
  EXPECT_THAT(run_.out(), HasSubstr("  1 provisional, 2 pending…\x1b[K\n"));
}

TEST_F(GetWatch, WatchRedrawsTheTableOnATerminal) {
  AddExampleGroups();
  run_.SetTerminal(80, 6);
  int waits = 0;
  run_.OnWait([&] { return ++waits > 100; });
  run_("get groups -A -w");
  const std::string out = run_.out();
  EXPECT_THAT(out, HasSubstr("1 provisional, 2 pending, 1 unsatisfiable, 1 "
                             "bound, 1 failed"));
  EXPECT_THAT(out, HasSubstr("… 4 more"));
  EXPECT_THAT(out, HasSubstr("\x1b[5A"));    // back to the top of the frame
  EXPECT_THAT(out, HasSubstr("\x1b[?25h"));  // the cursor is shown again
}

TEST_F(GetWatch, UntilDoneEndsWithASummary) {
  AddExampleGroups();
  int waits = 0;
  run_.OnWait([&] {
    if (++waits == 2)
      database_.Execute(
          "DELETE FROM pod_groups WHERE state <> 'unsatisfiable'; "
          "DELETE FROM groups_provisional; DELETE FROM pods_provisional");
    run_.SetNow(run_.now() + std::chrono::seconds(1));
    return waits > 300;
  });
  EXPECT_EQ(run_("get groups -A --until-done"), ExitCode::kOk);
  EXPECT_LT(waits, 100);
  EXPECT_THAT(run_.out(), HasSubstr("Done: 1 unsatisfiable, 1 failed."));
  EXPECT_THAT(run_.out(),
              HasSubstr("1 group with 1 pod took 50.000s in all; from "
                        "submitted to bound p50 10.000s, p95 10.000s."));
}

TEST_F(GetWatch, UntilDoneWaitsForAsManyGroupsAsAreToCome) {
  AddExampleGroups();
  database_.Execute(
      "DELETE FROM pod_groups; DELETE FROM groups_provisional; "
      "DELETE FROM pods_provisional");
  int waits = 0;
  run_.OnWait([&] {
    run_.SetNow(run_.now() + std::chrono::seconds(1));
    if (++waits == 50)
      database_.Execute(
          "INSERT INTO pod_groups (id, namespace, group_name, group_size, "
          "queue, priority, shape, state, phase, submitted_at, promoted_at) "
          "VALUES (99, 'a', 'late', 1, 'default', 0, 1, 'unsatisfiable', NULL, "
          "now(), now())");
    return waits > 300;
  });
  EXPECT_EQ(run_("get groups -A --until-done --at-least 2"), ExitCode::kOk);
  EXPECT_GE(waits, 50);
  EXPECT_LT(waits, 300);
  EXPECT_THAT(run_.out(), HasSubstr("Done: 1 unsatisfiable, 1 failed."));
}

TEST_F(GetWatch, WhoEndsAWatchUntilDoneHasInterruptedIt) {
  AddExampleGroups();
  run_.OnWait([] { return true; });
  EXPECT_EQ(run_("get groups -A --until-done"), ExitCode::kInterrupted);
  EXPECT_EQ(run_("get groups -A -w"), ExitCode::kOk);
}

TEST_F(GetWatch, WatchOutlivesADatabaseThatIsAway) {
  AddExampleGroups();
  std::string connection = database_.options().connection;
  connection += connection.find("://") == std::string::npos ? " "
                : connection.find('?') == std::string::npos ? "?"
                                                            : "&";
  run_.Set("FLUXNETES_DATABASE", connection + "application_name=watches");
  int waits = 0;
  int ended = 0;
  run_.OnWait([&] {
    if (++waits == 2)
      ended = std::stoi(database_.Ask(
          "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 30000)) "
          "FROM pg_stat_activity WHERE application_name = 'watches' AND "
          "datname = current_database()"));
    return waits > 200;
  });
  EXPECT_EQ(run_("get groups -A -w"), ExitCode::kOk) << run_.err();
  EXPECT_GE(ended, 1);
}

}  // namespace
}  // namespace fluxnetes::services
