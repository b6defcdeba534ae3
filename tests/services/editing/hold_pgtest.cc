#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

using HoldCommand = CommandDatabase;

TEST_F(HoldCommand, WaitingGroupIsHeldAndReleased) {
  AddExampleGroups();
  EXPECT_EQ(run_("hold group a/first --reason", {"disk is full"}),
            ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(run_.out(), "group/a/first held\n");
  run_("get groups a/first");
  EXPECT_THAT(run_.out(), HasSubstr("held: disk is full"));
  EXPECT_THAT(run_.out(), HasSubstr(" held "));
  run_("describe group a/first");
  EXPECT_THAT(run_.out(), HasSubstr("State:            held\n"));
  EXPECT_THAT(run_.out(), HasSubstr("fluxnetes release group"));
  EXPECT_EQ(database_.Ask("SELECT phase FROM pending WHERE group_id = "
                          "2"),
            "held");
  EXPECT_EQ(run_("release group -n a first"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "group/a/first released\n");
  EXPECT_EQ(run_("release group -n a first"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "group/a/first is not held\n");
}

TEST_F(HoldCommand, UnsatisfiableAndFillingGroupsAreHeldToo) {
  AddExampleGroups();
  EXPECT_EQ(run_("hold group -n a huge fills"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "group/a/huge held\ngroup/a/fills held\n");
  EXPECT_EQ(database_.Ask("SELECT state || phase FROM pod_groups WHERE id = 4"),
            "pendingheld");
  run_("get groups a/fills");
  EXPECT_THAT(run_.out(), HasSubstr("held; 2 of 8 pods have arrived"));
}

TEST_F(HoldCommand, GroupThatRunsIsAnErrorAndTheOthersAreHeld) {
  AddExampleGroups();
  EXPECT_EQ(run_("hold group a/runs a/first"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("\"a/runs\" runs already"));
  EXPECT_EQ(run_.out(), "group/a/first held\n");
  EXPECT_EQ(run_("release group a/runs"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "group/a/runs is not held\n");
}

TEST_F(HoldCommand, GroupThatIsNotThereIsNotFound) {
  AddExampleGroups();
  for (const char* verb : {"hold", "release"}) {
    EXPECT_EQ(run_(std::string(verb) + " group a/nothing b/over a/first"),
              ExitCode::kNotFound);
    EXPECT_THAT(run_.err(),
                HasSubstr("no unfinished group named \"a/nothing\""));
    EXPECT_THAT(run_.err(), HasSubstr("\"b/over\""));
    EXPECT_THAT(run_.out(), HasSubstr("group/a/first"));
  }
}

TEST_F(HoldCommand, SlipsAreUsageErrors) {
  for (const char* arguments :
       {"hold", "hold group", "hold queue default", "release group",
        "release group a/first --reason x", "hold group a/first --until x"})
    EXPECT_EQ(run_(arguments), ExitCode::kUsage) << arguments;
}

TEST_F(HoldCommand, WhoMayNotStartStandsInNoLine) {
  AddExampleGroups();
  for (const char* keep : {"phase = 'deferred'", "held_at = now()"}) {
    database_.Execute(
        "UPDATE pod_groups SET phase = 'reserved', held_at = "
        "NULL WHERE id = 2");
    database_.Execute(std::string("UPDATE pod_groups SET ") + keep +
                      " WHERE id = 2");
    EXPECT_EQ(database_.AskAll("SELECT group_id, position FROM pending WHERE "
                               "state = 'pending' ORDER BY group_id"),
              "2|NULL\n3|1");
    run_("get groups -A --state pending");
    EXPECT_EQ(Columns(run_.out(), {1, 5}), "NAME POSITION\nfirst -\nsecond 1\n")
        << run_.out();
  }
}

TEST_F(HoldCommand, TimesToStartAreShown) {
  AddExampleGroups();
  database_.Execute("UPDATE pod_groups SET phase = 'deferred', start_after = " +
                    At(std::chrono::seconds(600)) + ", start_by = " +
                    At(std::chrono::seconds(6'000)) + " WHERE id = 3");
  run_("describe group b/second");
  EXPECT_THAT(run_.out(), HasSubstr("State:            deferred\n"));
  EXPECT_THAT(run_.out(), HasSubstr("not before "));
  EXPECT_THAT(run_.out(), HasSubstr("may start (fluxnetes.start-after)"));
  EXPECT_THAT(run_.out(), HasSubstr("is given up without a place"));
}

}  // namespace
}  // namespace fluxnetes::services
