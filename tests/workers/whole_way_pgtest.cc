#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
