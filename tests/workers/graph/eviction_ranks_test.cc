#include "workers/graph/eviction_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Held Group(GroupId group, std::int32_t priority, GroupId evicted_for = 0) {
  Held held;
  held.group = group;
  held.priority = priority;
  held.evicted_for = evicted_for;
  return held;
}

TEST(EvictionRanks, GroupsBelowAPriorityComeFromTheLowestOn) {
  EvictionRanks ranks;
  ranks.Add(Group(1, 5));
  ranks.Add(Group(2, 3));
  ranks.Add(Group(3, 7));
  EXPECT_THAT(ranks.Below(7), ElementsAre(2, 1));
  EXPECT_FALSE(ranks.AnyBelow(3));
  EXPECT_TRUE(ranks.AnyBelow(4));
  ranks.Remove(Group(2, 3));
  EXPECT_FALSE(ranks.AnyBelow(4));
}

TEST(EvictionRanks, EvictedGroupsAreKnownUntilTheyHoldNothing) {
  EvictionRanks ranks;
  ranks.Add(Group(1, 0, 9));
  ranks.Add(Group(2, 0));
  ranks.NoteEvicted(2, 9);
  EXPECT_THAT(ranks.EvictedFor(9), ElementsAre(1, 2));
  ranks.Remove(Group(1, 0, 9));
  EXPECT_THAT(ranks.EvictedFor(9), ElementsAre(2));
  EXPECT_THAT(ranks.EvictedFor(8), IsEmpty());
}

TEST(EvictionRanks, OnlyAGroupOfLowerPriorityThatCameHelpsASearch) {
  EvictionRanks ranks;
  const auto low = ranks.Version(1), high = ranks.Version(9);
  ranks.Add(Group(1, 5));
  EXPECT_EQ(ranks.Version(1), low);
  EXPECT_NE(ranks.Version(9), high);
}

TEST(EvictionRanks, EndOfAGroupHelpsASearchThatCouldNotHaveEvictedIt) {
  EvictionRanks ranks;
  ranks.Add(Group(1, 5));
  const auto low = ranks.Version(5), high = ranks.Version(6);
  ranks.NoteLess(Group(1, 5), true);
  EXPECT_NE(ranks.Version(5), low);
  EXPECT_EQ(ranks.Version(6), high);
}

TEST(EvictionRanks, EndThatNoSearchHadCountedOnHelpsAll) {
  EvictionRanks ranks;
  ranks.Add(Group(1, 5));
  const auto low = ranks.Version(1), high = ranks.Version(9);
  ranks.NoteLess(Group(1, 5), false);
  EXPECT_NE(ranks.Version(1), low);
  EXPECT_NE(ranks.Version(9), high);
}

TEST(EvictionRanks, GroupIsSparedUntilItHoldsNothing) {
  EvictionRanks ranks;
  ranks.Add(Group(1, 5));
  EXPECT_FALSE(ranks.WasSpared(1));
  ranks.NoteSpared(1);
  EXPECT_TRUE(ranks.WasSpared(1));
  ranks.Remove(Group(1, 5));
  EXPECT_FALSE(ranks.WasSpared(1));
}

}  // namespace
}  // namespace fluxnetes::workers
