// What is read of a component, and what is not read again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/invariants/behaviour/manifests.h"
#include "tests/support/whole_system.h"
#include "workers/store/component_snapshot.h"

namespace fluxnetes::testing {
namespace {

using workers::ComponentSnapshot;

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() {
    system.Submit(GangOf("runs", 2, {.cpu = "4", .limit = 100}));
    system.Settle();
    system.Submit(GangOf("waits", 2, {.cpu = "4"}));
    system.Settle();
  }

  std::shared_ptr<const ComponentSnapshot> Read() {
    sql::Transaction transaction(system.process->pool,
                                 sql::Isolation::kRepeatableRead);
    reader.Read(transaction);
    return reader.snapshot();
  }

  WholeSystem system{"nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]"};
  workers::SnapshotReader reader{{"default"}};
};

TEST_F(SnapshotTest, HasWhatTheMatchWorkerWouldLoad) {
  const auto snapshot = Read();
  ASSERT_EQ(snapshot->holders.size(), 1U);
  const auto& holder = snapshot->holders.begin()->second;
  EXPECT_EQ(holder.name, "default/runs");
  EXPECT_EQ(*holder.held.end - holder.held.start, 100);
  ASSERT_EQ(holder.held.members.size(), 2U);
  EXPECT_EQ(holder.held.members[0].request->resources.cpu_milli, 4'000);
  ASSERT_EQ(snapshot->waiting.size(), 1U);
  EXPECT_EQ(snapshot->waiting.begin()->second.members.size(), 2U);
  EXPECT_EQ(snapshot->nodes.size(), 2U);
  ASSERT_EQ(snapshot->promised.size(), 1U);
  EXPECT_EQ(snapshot->promised[0].start, holder.held.end);
}

TEST_F(SnapshotTest, WhatIsKeptOfItIsNotChangedByTheNextRead) {
  const auto before = Read();
  system.Submit(GangOf("more", 1, {.cpu = "4"}));
  system.Settle();
  const auto after = Read();
  EXPECT_EQ(before->waiting.size(), 1U);
  EXPECT_EQ(after->waiting.size(), 2U);
}

TEST_F(SnapshotTest, KnowsWhoIsEvictedOrMayNoMoreBe) {
  const auto held = [&] { return Read()->holders.begin()->second.held; };
  EXPECT_TRUE(held().evictable);
  const std::string cancel =
      "UPDATE pod_groups SET cancel_reason = 'x' WHERE group_name = 'runs'";
  system.database.Execute(cancel);
  EXPECT_FALSE(held().evictable);
  EXPECT_EQ(held().evicted_for, 0);
  system.database.Execute(
      "UPDATE pod_groups SET preempted_for = 7 WHERE group_name = 'runs'");
  EXPECT_EQ(held().evicted_for, 7);
}

TEST_F(SnapshotTest, MembersAreReadAgainOnlyIfTheirGroupHasChanged) {
  Read();
  const std::string members =
      "UPDATE pods SET uid = uid || '-new' WHERE state = 'waiting'";
  const std::string placed =
      "UPDATE placements SET node_name = 'elsewhere' WHERE node_name = 'node0'";
  system.database.Execute(members);
  EXPECT_FALSE(Read()->waiting.begin()->second.members[0].uid.ends_with("new"));
  system.database.Execute(
      "UPDATE pod_groups SET revision = revision + 1 WHERE state = 'pending'");
  EXPECT_TRUE(Read()->waiting.begin()->second.members[0].uid.ends_with("new"));
  const auto elsewhere = [&] {
    int count = 0;
    for (const auto& member : Read()->holders.begin()->second.held.members)
      count += member.node == "elsewhere" ? 1 : 0;
    return count;
  };
  EXPECT_EQ(elsewhere(), 0);
  system.database.Execute(placed);
  EXPECT_EQ(elsewhere(), 1);
}

// Describes the waiting groups, to show differences to people.
std::vector<std::string> Describe(const ComponentSnapshot& snapshot) {
  std::vector<std::string> groups;
  for (const auto& [id, group] : snapshot.waiting) {
    std::string text = fmt::format(
        "{} {}/{} in {} of '{}' priority {} first {} revision {} held {} after "
        "{} by {} unsatisfiable {} pressing {} because '{}':",
        id, group.namespace_name, group.name, group.queue, group.account,
        group.priority, group.first_in_line, group.revision, group.held,
        group.start_after.value_or(0), group.start_by.value_or(0),
        group.unsatisfiable, group.pressing, group.reason);
    for (const auto& member : group.members)
      text += fmt::format(" {} {}", member.uid,
                          member.request->resources.cpu_milli);
    groups.push_back(text);
  }
  return groups;
}

TEST_F(SnapshotTest, AfterEachChangeIsThatWhichIsReadAnew) {
  system.Submit(GangOf("also", 1, {.cpu = "4"}));
  system.Settle();
  system.database.Execute(
      "INSERT INTO external_groups (group_id, request, reserve) SELECT "
      "p.group_id, p.request, true FROM pods AS p INNER JOIN pod_groups AS g "
      "ON "
      "g.id = p.group_id WHERE g.group_name = 'also'");
  Read();
  for (
      const std::string change : {
          "UPDATE pod_groups SET priority = 7 WHERE group_name = 'waits'",
          "UPDATE pod_groups SET phase = 'held' WHERE group_name = 'also'",
          "UPDATE pod_groups SET reason = 'x' WHERE group_name = 'waits'",
          "UPDATE external_groups SET promised = true",
          "UPDATE pod_groups SET start_by = now() WHERE group_name = 'waits'",
          "UPDATE pods SET node_name = 'node0' WHERE uid IN (SELECT min(p.uid)"
          " FROM pods AS p INNER JOIN pod_groups AS g ON g.id = p.group_id"
          " WHERE g.group_name = 'waits')",
          "UPDATE pod_groups SET revision = revision + 1, first_in_line = true",
          "UPDATE pod_groups SET cancel_reason = 'x' WHERE group_name = 'also'",
          "UPDATE pod_groups SET cancel_reason = NULL",
      }) {
    const auto before = Describe(*Read());
    system.database.Execute(change);
    const auto after = Describe(*Read());
    EXPECT_NE(after, before) << change;
    reader.Forget();
    EXPECT_EQ(Describe(*Read()), after) << change;
  }
}

}  // namespace
}  // namespace fluxnetes::testing
