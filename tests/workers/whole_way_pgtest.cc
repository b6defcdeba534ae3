#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/invariants/behaviour/manifests.h"
#include "tests/support/whole_system.h"

namespace fluxnetes::testing {
namespace {

constexpr const char* kGang = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    metadata:
      labels: {fluxnetes.group-name: train, fluxnetes.group-size: "4"}
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      containers:
      - name: work
        image: busybox
        command: [sleep, "60"]
        resources: {requests: {cpu: 2, memory: 1Gi}}
)";

TEST(WholeWay, GangIsBoundWholeRunsAndLeavesNothingBehind) {
  WholeSystem system("nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]");
  system.Submit(kGang);
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT state FROM pod_groups"), "bound");
  EXPECT_EQ(system.Ask("SELECT nodes FROM running"), "{node0,node1}");
  EXPECT_EQ(system.cluster.Bindings().size(), 4U);

  system.RunToEnd();
  EXPECT_EQ(system.Ask("SELECT result FROM group_history"), "succeeded");
  for (const char* table :
       {"pods_provisional", "groups_provisional", "pods", "pod_groups",
        "allocations", "placements", "reservations", "match_inbox"}) {
    EXPECT_EQ(system.Ask(std::string("SELECT count(*) FROM ") + table), "0")
        << table;
  }
  EXPECT_EQ(system.Ask("SELECT count(*) FROM jobs"), "0");
}

TEST(WholeWay, SecondGangFollowsWhenTheFirstHasEnded) {
  WholeSystem system("nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]");
  system.Submit(kGang);
  system.Advance(std::chrono::seconds(1));
  std::string second = kGang;
  for (std::size_t at; (at = second.find("train")) != second.npos;) {
    second.replace(at, 5, "tests");
  }
  system.Submit(second);
  system.Settle();
  EXPECT_EQ(system.cluster.Bindings().size(), 4U);
  EXPECT_EQ(system.Ask("SELECT group_name FROM pending"), "tests");
  system.RunToEnd();
  EXPECT_EQ(system.cluster.Bindings().size(), 8U);
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history WHERE result = "
                       "'succeeded'"),
            "2");
}

// The queues share no node, so they are two components.
TEST(WholeWay, GroupsOfTwoComponentsShareAPool) {
  WholeSystem system("nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]");
  system.database.Execute(
      "UPDATE queues SET node_selector = '{\"part\": \"grey\"}';"
      "INSERT INTO queues (name, node_selector) VALUES "
      "('red', '{\"part\": \"red\"}'), ('blue', '{\"part\": \"blue\"}');"
      "INSERT INTO pools (name, total) VALUES ('matlab', 3)");
  for (const auto& [name, part] :
       {std::pair("node0", "red"), std::pair("node1", "blue")}) {
    cluster::Node node = *system.cluster.GetNode(name);
    node.labels["part"] = part;
    system.cluster.UpdateNode(node);
  }
  const auto submit = [&](const char* name, const char* queue) {
    system.Submit(GangOf(name, 2,
                         {.cpu = "1",
                          .limit = 600,
                          .queue = queue,
                          .more_labels = "fluxnetes.pool/matlab: '2'"}));
  };
  submit("train", "red");
  system.Settle();
  submit("tests", "blue");
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT group_name FROM running"), "train");
  EXPECT_EQ(system.Ask("SELECT held || ' of ' || total FROM pool_use"),
            "2 of 3");
  EXPECT_THAT(
      system.Ask("SELECT reason FROM wait_reasons"),
      ::testing::HasSubstr("1 of 3 of pool matlab is free, it needs 2"));
  system.RunToEnd();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history WHERE result = "
                       "'succeeded' AND pools = '{\"matlab\": 2}'"),
            "2");
  EXPECT_EQ(system.Ask("SELECT held FROM pool_use"), "0");
}

TEST(WholeWay, PodsOfAGroupThatDisagreeAboutAPoolAreRefused) {
  WholeSystem system("nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]");
  system.database.Execute("INSERT INTO pools (name, total) VALUES ('a', 3)");
  system.Submit(
      PodOf("first", "train", 2, {.more_labels = "fluxnetes.pool/a: '2'"}));
  system.Settle();
  system.Submit(
      PodOf("second", "train", 2, {.more_labels = "fluxnetes.pool/a: '1'"}));
  system.Settle();
  EXPECT_THAT(
      system.Ask("SELECT refused FROM pods_provisional WHERE pod_name = "
                 "'second'"),
      ::testing::HasSubstr("asks for pools {\"a\": 1} (fluxnetes.pool/NAME), "
                           "but group default/train for {\"a\": 2}"));
}

TEST(WholeWay, GroupWithoutItsPoolStartsOnceThePoolIsThere) {
  WholeSystem system("nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]");
  system.Submit(
      GangOf("train", 2, {.more_labels = "fluxnetes.pool/matlab: '2'"}));
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT state FROM pod_groups"), "unsatisfiable");
  EXPECT_THAT(system.Ask("SELECT reason FROM pod_groups"),
              ::testing::HasSubstr("there is no pool matlab"));
  system.database.Execute(
      "INSERT INTO pools (name, total) VALUES ('matlab', 2)");
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT state FROM pod_groups"), "bound");
}

TEST(WholeWay, CrashBetweenAnyTwoSettlingsLosesNothing) {
  WholeSystem system("nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]");
  system.Submit(kGang);
  system.process->intake.RunOnce(system.cluster.Now());
  system.CrashAndRestart();
  system.Settle();
  system.CrashAndRestart();
  system.RunToEnd();
  EXPECT_EQ(system.cluster.Bindings().size(), 4U);
  EXPECT_EQ(system.Ask("SELECT result FROM group_history"), "succeeded");
}

}  // namespace
}  // namespace fluxnetes::testing
