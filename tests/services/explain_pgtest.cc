// `fluxnetes explain group`: of each state, and of a group that waits for
// nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Explain : public CommandDatabase {
 protected:
  // n0 and n1 of 4 cpu; a/runs holds 3 cpu of each for another 1,000 s; a/first
  // needs both and is promised them then; a/asked needs 1 cpu, without end.
  void AddWaitingGroup() {
    using std::chrono::seconds;
    const std::string before = At(seconds(-100));
    database_.Execute(
        "INSERT INTO nodes (node_name, cpu_milli, memory_bytes, pods, labels,"
        "  seen_at) VALUES ('n0', 4000, 1000, 110, '{}', now()),"
        " ('n1', 4000, 1000, 110, '{}', now()),"
        " ('small', 500, 1000, 110, '{}', now());"
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
        "  priority, state, phase, shape, duration_seconds, submitted_at,"
        "  promoted_at, allocated_at, bound_at) VALUES"
        " (1, 'a', 'runs', 2, 'default', 0, 'bound', NULL, 1, 1100, " +
        before + "," + before + "," + before + "," + before +
        "), (2, 'a', 'first', 2, 'default', 0, 'pending', 'reserved', 2, 500," +
        before + "," + before +
        ", NULL, NULL), (3, 'a', 'asked', 1, 'default', 0, 'pending',"
        "  'queued', 3, NULL, " +
        At(seconds(-10)) + "," + At(seconds(-10)) +
        ", NULL, NULL);"
        "INSERT INTO allocations (fluxion_job, group_id, queue, nodes, term,"
        "  starts_at, ends_at) VALUES (1, 1, 'default', '{n0,n1}', 1, " +
        before + "," + At(seconds(1'000)) +
        ");"
        "INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli,"
        "  memory_bytes) VALUES (1, 'r0', 'n0', 3000, 0),"
        "  (1, 'r1', 'n1', 3000, 0);"
        "INSERT INTO reservations (group_id, queue, kind, starts_at, nodes,"
        "  made_at) VALUES (2, 'default', 'reservation', " +
        At(seconds(1'000)) +
        ", '{n0,n1}', now());"
        "INSERT INTO wait_reasons VALUES ('default', 3, 'needs 1 × (1 cpu)',"
        "  now(), 'order');"
        "INSERT INTO estimates (group_id, starts_at, approximate, rests_on,"
        "  made_at) VALUES (3, " +
        At(seconds(1'500)) + ", false, 'a/first ends as planned', now())");
    AddPod("f0", 2, "4");
    AddPod("f1", 2, "4");
    AddPod("k0", 3, "1");
  }

  void AddPod(const std::string& uid, int group, const std::string& cpu) {
    database_.Execute(
        "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name,"
        "  resource_version, created_at, request) VALUES ('" +
        uid + "', " + std::to_string(group) + ", 'a', '" + uid + "', '" + uid +
        "', '1', now(), '{\"resources\": {\"cpu\": \"" + cpu +
        "\", \"pods\": \"1\"}}')");
  }

  std::string Of(const std::string& group) {
    EXPECT_EQ(run_("explain group " + group), ExitCode::kOk) << run_.err();
    return run_.out();
  }
};

TEST_F(Explain, WaitingGroupIsToldWhatIsBeforeItAndWhichNodesItCannotUse) {
  AddWaitingGroup();
  const std::string text = Of("a/asked");
  EXPECT_THAT(text, HasSubstr("a/asked has waited 10s, number 2 in line of "
                              "queue default.\n"));
  EXPECT_THAT(text, HasSubstr("Why:          needs 1 × (1 cpu)\n"));
  EXPECT_THAT(text, HasSubstr("(in 25m), if it goes as planned: a/first ends "
                              "as planned\n"));
  EXPECT_THAT(text, HasSubstr("Before it:    1 group of its queue\n"));
  EXPECT_THAT(text, ContainsRegex("1  a/first +2  reserved +in 16m\n"));
  EXPECT_THAT(text, HasSubstr("On its nodes: 1 group, 0 of them without end"));
  EXPECT_THAT(text, ContainsRegex("a/runs +in 16m\n"));
  EXPECT_THAT(text, HasSubstr("Nodes for 1 pod of (1 cpu):\n"));
  EXPECT_THAT(text, ContainsRegex("2  room, but kept for what is before it: "
                                  "a/first +n0,n1\n"));
  EXPECT_THAT(text, ContainsRegex("1  too small: cpu +small\n"));
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
