#include "workers/gates/hold_gate.h"

#include <gtest/gtest.h>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

class HoldGateTest : public ::testing::Test {
 protected:
  // Puts a group of one pod that starts after the time; its pod is in the
  // cache.
  void PutDeferred(GroupId id, matcher::Time after) {
    PendingGroup group = story_.MakeGroup(id, "1x1", {});
    group.start_after = after;
    cluster::Pod pod;
    pod.namespace_name = "default";
    pod.name = "pod-" + std::to_string(id);
    pod.uid = group.members[0].uid;
    const cluster::WatchEvent event{
        cluster::WatchEvent::Kind::kChanged,
        std::make_shared<const cluster::Pod>(std::move(pod))};
    cache_.Apply({&event, 1});
    ASSERT_FALSE(gate_.Put(group, 0));
  }

  std::size_t TakeDue(matcher::Time now, int limit) {
    return gate_.TakeDue(story_.schedule, now, limit).size();
  }

  cluster::ClusterCache cache_;
  Story story_;
  HoldGate gate_{cache_};
};

TEST_F(HoldGateTest, ThoseThatBecomeDueAtOnceAreTakenInBatches) {
  for (GroupId id = 1; id <= 5; ++id) PutDeferred(id, 10);
  EXPECT_EQ(TakeDue(9, 2), 0U);
  EXPECT_FALSE(gate_.More());
  EXPECT_EQ(TakeDue(10, 2), 2U);
  EXPECT_TRUE(gate_.More());
  EXPECT_EQ(TakeDue(10, 2), 2U);
  EXPECT_TRUE(gate_.More());
  EXPECT_EQ(TakeDue(10, 2), 1U);
  EXPECT_FALSE(gate_.More());
}

// A pod may be missing from the cache for long: its group waits for an event.
TEST_F(HoldGateTest, WhatCouldNotBeTakenIsNotDueNext) {
  PendingGroup unseen = story_.MakeGroup(1, "1x1", {});
  unseen.start_after = 10;
  ASSERT_FALSE(gate_.Put(unseen, 0));
  PutDeferred(2, 20);
  EXPECT_EQ(gate_.NextDue(0), 10);
  EXPECT_EQ(TakeDue(10, 2), 0U);
  EXPECT_EQ(gate_.NextDue(10), 20);
  EXPECT_EQ(gate_.NextDue(20), std::nullopt);
}

TEST(OwnVerdicts, GoBeforeWhatTheDecisionSaysIfTheyHaveAReason) {
  Decision decision;
  decision.verdicts = {{3, 1, true, "no room", ""}, {1, 1, true, "huge", ""}};
  PutFirst({{1, {1, 1, false, "later", ""}},
            {2, {2, 1, false, "", ""}},
            {3, {3, 1, false, "", ""}}},
           decision);
  std::string said;
  for (const Verdict& verdict : decision.verdicts)
    said += std::to_string(verdict.group) + ":" + verdict.reason + " ";
  EXPECT_EQ(said, "3:no room 1:later 2: ");
}

}  // namespace
}  // namespace fluxnetes::workers
