// `fluxnetes explain group` in each state, and for a group that waits for
// nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/waiting_group_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Explain : public WaitingGroupDatabase {
 protected:
  std::string Of(const std::string& group) {
    EXPECT_EQ(run_("explain group " + group), ExitCode::kOk) << run_.err();
    return run_.out();
  }
};

TEST_F(Explain, WaitingGroupIsToldWhatIsBeforeItAndWhichNodesItCannotUse) {
  AddWaitingGroup();
  const std::string text = Of("a/asked");
  EXPECT_THAT(text, HasSubstr("a/asked has waited 10s, position 2 in queue "
                              "default.\n"));
  EXPECT_THAT(text, HasSubstr("Why:          needs 1 × (1 cpu)\n"));
  EXPECT_THAT(text, HasSubstr("(in 25m), if it goes as planned: a/first ends "
                              "as planned\n"));
  EXPECT_THAT(text, HasSubstr("Before it:    1 group of its queue\n"));
  EXPECT_THAT(text, ContainsRegex("STATE +START\n +1  a/first +2  reserved +in "
                                  "16m\n"));
  EXPECT_THAT(text, HasSubstr("On its nodes: 1 group, 0 of them without end"));
  EXPECT_THAT(text, ContainsRegex("a/runs +in 16m\n"));
  EXPECT_THAT(text, HasSubstr("Nodes for 1 pod of (1 cpu):\n"));
  EXPECT_THAT(text, ContainsRegex("2  room, but kept for what is before it: "
                                  "a/first +n0,n1\n"));
  EXPECT_THAT(text, ContainsRegex("1  too small: cpu +small\n"));
}

// Of a gang of two that ran, one pod failed on a node that is cordoned now.
TEST_F(Explain, OfGroupBoundInPartThePodsThatWaitAreExplained) {
  AddWaitingGroup();
  database_.Execute(
      "UPDATE pod_groups SET state = 'pending', phase = 'queued',"
      "  first_in_line = true, went_back_at = now() WHERE id = 1;"
      "UPDATE nodes SET labels = '{\"pool\": \"k\"}' WHERE node_name <> "
      "'small';"
      "UPDATE nodes SET unschedulable = 'cordoned' WHERE node_name = 'n1';"
      "DELETE FROM placements WHERE pod_uid = 'r1'");
  AddPod("r0", 1, "3");
  AddPod("r2", 1, "3");
  database_.Execute(
      "UPDATE pods SET state = 'bound', node_name = 'n0' WHERE uid = 'r0';"
      "UPDATE pods SET request = request || '{\"nodeSelector\": {\"pool\":"
      "  \"k\"}}' WHERE group_id = 1");
  const std::string text = Of("a/runs");
  EXPECT_THAT(
      text, HasSubstr("a/runs runs with 1 of its 2 pods, and 1 waits, "
                      "position 1 in queue default.\nWhy:          queued\n"));
  EXPECT_THAT(text, HasSubstr("Start:        not planned yet\n"));
  EXPECT_THAT(text, HasSubstr("Nodes for 1 pod of (3 cpu):\n"));
  EXPECT_THAT(text,
              ContainsRegex("1  not as the node selector or affinity asks "
                            "+small\n"));
  EXPECT_THAT(text, ContainsRegex("1  cordoned +n1\n"));
  EXPECT_THAT(text, ContainsRegex("1  too little cpu free +n0\n"));
  for (const char* const wrong :
       {"does not wait", "at once", "room for one", "On its nodes"})
    EXPECT_THAT(text, Not(HasSubstr(wrong)));
}

TEST_F(Explain, GroupThatCanNeverFitStandsBeforeNobody) {
  AddWaitingGroup();
  database_.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, state, phase, shape, submitted_at, promoted_at) VALUES"
      " (4, 'a', 'huge', 1, 'default', 9, 'unsatisfiable', NULL, 4, " +
      At(std::chrono::seconds(-100)) + ", now())");
  const std::string text = Of("a/asked");
  EXPECT_THAT(text, HasSubstr("Before it:    1 group of its queue\n"));
  EXPECT_THAT(text, Not(HasSubstr("a/huge")));
}

TEST_F(Explain, WhatWouldHelpIsFoundByRunningAhead) {
  AddWaitingGroup();
  EXPECT_THAT(Of("a/asked"),
              HasSubstr("  with a duration of 10m (activeDeadlineSeconds: "
                        "600): it would start now\n"));
  database_.Execute("UPDATE estimates SET starts_at = " +
                    At(std::chrono::hours(9)));
  EXPECT_THAT(Of("a/asked"),
              AllOf(HasSubstr("What would help is not known: the records do "
                              "not tell"),
                    Not(HasSubstr("with a duration"))));
}

TEST_F(Explain, TaintsOfNodesCount) {
  AddWaitingGroup();
  database_.Execute(
      "UPDATE nodes SET taints = '[{\"key\": \"team\", \"value\": \"red\","
      " \"effect\": \"NoSchedule\"}]'");
  EXPECT_THAT(Of("a/asked"),
              ContainsRegex("3  taints that are not tolerated +n0,n1,small\n"));
}

TEST_F(Explain, EachStateIsToldInASentence) {
  AddExampleGroups();
  database_.Execute(
      "UPDATE pods SET request = '{\"resources\": {}}' WHERE request = '{}'");
  EXPECT_THAT(Of("a/runs"),
              HasSubstr("a/runs does not wait: bound 30s ago.\n"));
  EXPECT_THAT(Of("b/over"), HasSubstr("b/over is over: failed 10s ago.\n"));
  EXPECT_THAT(Of("a/huge"), HasSubstr("a/huge can never fit the cluster as it "
                                      "is, and is tried again"));
  const std::string fills = Of("a/fills");
  EXPECT_THAT(fills, HasSubstr("a/fills has waited 60s for its pods: 2 of 8 "
                               "have arrived.\n"));
  EXPECT_THAT(fills, HasSubstr("6 more pods of the group"));
  EXPECT_THAT(fills, HasSubstr("pod fills-1 made right: group-size 9, the "
                               "others say 8\n"));
  database_.Execute(
      "UPDATE pod_groups SET state = 'allocated', bound_at = NULL WHERE id = "
      "1");
  EXPECT_THAT(Of("a/runs"),
              HasSubstr("it has its nodes.\nWhy:          is being bound\n"));
  database_.Execute(
      "DELETE FROM placements WHERE fluxion_job = 1;"
      "INSERT INTO external_groups VALUES (1, '{\"resources\": {}}', false)");
  EXPECT_THAT(Of("a/runs"), AllOf(HasSubstr("it has its nodes.\n"),
                                  HasSubstr("its caller (gRPC) starts")));
}

TEST_F(Explain, HeldGroupIsReleasedByTheCommandThatIsTold) {
  AddExampleGroups();
  run_("hold group b/second --reason", {"no data yet"});
  const std::string text = Of("b/second");
  EXPECT_THAT(text, HasSubstr("b/second is held"));
  EXPECT_THAT(text, HasSubstr("no data yet"));
  EXPECT_THAT(text, HasSubstr("  `fluxnetes release group b/second`\n"));
  EXPECT_THAT(text, Not(HasSubstr("Nodes for")));
}

TEST_F(Explain, JsonHasAllOfIt) {
  AddWaitingGroup();
  ASSERT_EQ(run_("explain group asked -n a -o json"), ExitCode::kOk);
  const auto json = nlohmann::json::parse(run_.out());
  EXPECT_EQ(json["kind"], "GroupExplanation");
  EXPECT_EQ(json["group"]["name"], "asked");
  EXPECT_EQ(json["before"]["groups"], 1);
  EXPECT_EQ(json["before"]["first"][0]["group"], "a/first");
  EXPECT_EQ(json["holders"]["firstToEnd"][0]["group"], "a/runs");
  EXPECT_EQ(json["nodes"][0]["verdicts"][0]["kind"], "reserved");
  EXPECT_EQ(json["help"]["changes"][0]["kind"], "duration");
  EXPECT_EQ(json["help"]["unknown"], nullptr);
}

TEST_F(Explain, GroupThatIsNotThereIsNotFound) {
  EXPECT_EQ(run_("explain group a/nobody"), ExitCode::kNotFound);
  EXPECT_THAT(run_.err(), HasSubstr("`fluxnetes get groups -A`"));
}

}  // namespace
}  // namespace fluxnetes::services
