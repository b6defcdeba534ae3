#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using Describe = CommandDatabase;

TEST_F(Describe, WaitingGroupSaysWhyAndWhenItStarts) {
  AddExampleGroups();
  ASSERT_EQ(run_("describe group a/first"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("State:            reserved\n"));
  EXPECT_THAT(run_.out(), HasSubstr("Reason:           waits for n1\n"));
  EXPECT_THAT(run_.out(), HasSubstr("Position:         1\n"));
  EXPECT_THAT(run_.out(), ContainsRegex("Estimated start: +[-0-9]+ [:0-9]+ UTC "
                                        "\\(in 5m\\)"));
  EXPECT_THAT(run_.out(), HasSubstr("Reserved nodes:   n1\n"));
  EXPECT_THAT(run_.out(), HasSubstr("Duration:         60s\n"));
  EXPECT_THAT(run_.out(), HasSubstr("is to start (reserved)"));
  EXPECT_THAT(run_.out(), HasSubstr("whole: all 8 pods have arrived"));
}

TEST_F(Describe, RunningGroupShowsMembersAndNodes) {
  AddExampleGroups();
  run_("describe group runs -n a");
  EXPECT_THAT(run_.out(), HasSubstr("Nodes:            n1,n2\n"));
  EXPECT_THAT(run_.out(), ContainsRegex("runs-0 +bound +n1 +1 cpu +Job/runs"));
  EXPECT_THAT(run_.out(), ContainsRegex("runs-1 +succeeded +n2"));
  EXPECT_THAT(run_.out(), HasSubstr("bound: its last pod has its node"));
  EXPECT_THAT(run_.out(), HasSubstr("without end"));
}

TEST_F(Describe, DevicesOfBoundPodsAreShownWithTheirRequests) {
  AddExampleGroups();
  run_("describe group a/runs");
  EXPECT_THAT(run_.out(), Not(HasSubstr("DEVICE")));
  AddDevices();
  run_("describe group a/runs");
  EXPECT_THAT(
      run_.out(),
      ContainsRegex("POD +CLAIM +REQUEST +DRIVER +POOL +DEVICE\n"
                    " *runs-0 +gpus +gpu +gpu.example.com +n1 +gpu-3\n"
                    " *runs-0 +nic +port +nic.example.com +rack +eth-1"));
  run_("describe group a/runs -o json");
  const auto members = nlohmann::json::parse(run_.out())["members"];
  EXPECT_EQ(members[0]["devices"][1]["device"], "eth-1");
  EXPECT_TRUE(members[1]["devices"].empty());
}

TEST_F(Describe, EndedPodsNameTheDevicesThatTheyHad) {
  AddExampleGroups();
  const std::string devices =
      R"([{"claim":"gpus","request":"gpu","driver":"gpu.example.com",)"
      R"("pool":"n2","device":"gpu-7"}])";
  database_.Execute("UPDATE pods SET devices = '" + devices +
                    "' WHERE uid = 'u2';"
                    "UPDATE group_history SET pods = jsonb_set(pods, "
                    "'{0,devices}', '" +
                    devices + "')");
  run_("describe group a/runs");
  EXPECT_THAT(run_.out(), ContainsRegex("runs-1 +gpus +gpu +gpu.example.com "
                                        "+n2 +gpu-7"));
  run_("describe group b/over");
  EXPECT_THAT(run_.out(), ContainsRegex("over-0 +gpus +gpu +gpu.example.com "
                                        "+n2 +gpu-7"));
}

TEST_F(Describe, WhatHappenedKeepsItsOrderWhereClocksDiffer) {
  AddExampleGroups();
  database_.Execute(
      "UPDATE pod_groups SET promoted_at = submitted_at - interval '2s' "
      "WHERE group_name = 'runs'");
  run_("describe group runs -n a");
  EXPECT_LT(run_.out().find("submitted: its first pod was created"),
            run_.out().find("whole: all "));
}

// allocated_at is that of the last nodes, bound_at that of the first time.
TEST_F(Describe, GroupThatWentBackKeepsTheTimeWhenItWasBound) {
  AddExampleGroups();
  using std::chrono::minutes;
  database_.Execute(
      "UPDATE pod_groups SET state = 'allocated', first_in_line = true,"
      "  submitted_at = " +
      At(minutes(-60)) + ", promoted_at = " + At(minutes(-60)) +
      ", bound_at = " + At(minutes(-50)) +
      ", went_back_at = " + At(minutes(-20)) +
      ", allocated_at = " + At(minutes(-10)) + " WHERE id = 1");
  run_("describe group a/runs");
  EXPECT_THAT(
      run_.out(),
      ContainsRegex("50m ago +bound: its last pod has its node\n.*"
                    "20m ago +went back: pods of it must be placed again\n.*"
                    "10m ago +given nodes again\n"));
}

TEST_F(Describe, TopologyOfAGroupIsShown) {
  AddExampleGroups();
  run_("describe group a/first");
  EXPECT_THAT(run_.out(), Not(HasSubstr("Topology:")));
  database_.Execute(
      "UPDATE pods SET request = '{\"resources\": {}, \"topology\": "
      "{\"required\": \"topology.kubernetes.io/zone\", \"preferred\": "
      "\"example.com/block\"}}' WHERE pod_name = 'first-0'");
  run_("describe group a/first");
  EXPECT_THAT(run_.out(),
              HasSubstr("Topology:         in one zone "
                        "(topology.kubernetes.io/zone), preferably in one "
                        "value of the label example.com/block\n"));
  run_("describe group a/first -o json");
  EXPECT_EQ(nlohmann::json::parse(run_.out())["topology"]["preferred"],
            "example.com/block");
}

TEST_F(Describe, GroupThatFillsSaysHowManyHaveArrivedAndWhoIsRefused) {
  AddExampleGroups();
  run_("describe group a/fills");
  EXPECT_THAT(run_.out(), HasSubstr("2 of 8 pods have arrived"));
  EXPECT_THAT(run_.out(), ContainsRegex("fills-0 +arrived"));
  EXPECT_THAT(run_.out(),
              ContainsRegex("fills-1 +refused .*group-size 9, the others"));
}

TEST_F(Describe, FinishedGroupIsReadFromTheHistory) {
  AddExampleGroups();
  run_("describe group b/over");
  EXPECT_THAT(run_.out(), HasSubstr("State:            failed\n"));
  EXPECT_THAT(run_.out(), ContainsRegex("over-0 +failed +n1"));
  EXPECT_THAT(run_.out(), ContainsRegex("10s ago +failed"));
}

TEST_F(Describe, UnfinishedGenerationGoesBeforeFinishedOnes) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO group_history SELECT 90 + i, 'a', 'first', 1, 'default', 0,"
      " 'succeeded', NULL, '{}', '[]', now(), NULL, NULL, NULL, now(), now()"
      " FROM generate_series(1, 3) AS i");
  run_("describe group a/first -o json");
  const auto group = nlohmann::json::parse(run_.out());
  EXPECT_EQ(group["id"], 2);
  ASSERT_EQ(group["earlier"].size(), 3);
  EXPECT_EQ(group["earlier"][0]["id"], 93);
  run_("describe group a/first --generation 92");
  EXPECT_THAT(run_.out(), HasSubstr("Generation:       92\n"));
}

TEST_F(Describe, WorkThatIsLeftIsShownWithItsLastError) {
  AddExampleGroups();
  database_.Execute(R"(
      INSERT INTO jobs (kind, queue, state, attempt, args, errors)
      VALUES ('bind', 'bind', 'retryable', 2, '{"group": 1}',
              '[{"message": "n2 does not answer"}]'),
             ('bind', 'bind', 'available', 0, '{"group": 11}', '[]'))");
  run_("describe group a/runs");
  EXPECT_THAT(run_.out(), ContainsRegex("1 +bind +bind +retryable +2/25 +n2 "
                                        "does not answer"));
  EXPECT_THAT(run_.out(), Not(HasSubstr("available")));
}

TEST_F(Describe, JsonHasTheMembers) {
  AddExampleGroups();
  run_("describe group a/runs -o json");
  const auto group = nlohmann::json::parse(run_.out());
  EXPECT_EQ(group["kind"], "Group");
  EXPECT_EQ(group["members"][0]["node"], "n1");
  EXPECT_EQ(group["members"][0]["owner"], "Job/runs");
  EXPECT_EQ(group["jobs"].size(), 0);
}

TEST_F(Describe, GroupThatIsNotThereIsNotFound) {
  EXPECT_EQ(run_("describe group a/first"), ExitCode::kNotFound);
  EXPECT_THAT(run_.err(), HasSubstr("error: no group named \"a/first\"\n"));
  AddExampleGroups();
  EXPECT_EQ(run_("describe group a/first --generation 7"), ExitCode::kNotFound);
}

}  // namespace
}  // namespace fluxnetes::services
