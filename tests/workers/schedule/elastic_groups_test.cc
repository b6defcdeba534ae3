// The growth of elastic groups makes room for all other groups.
#include <gtest/gtest.h>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

class ElasticGroups : public ::testing::Test {
 protected:
  // On two nodes: a group holds half of the first, and has grown by three pods.
  void Grow(QueuePolicy policy = QueuePolicy::kEasy) {
    story.schedule.SetQueue({.queue_policy = policy});
    story.Nodes("node0 cpu=4\nnode1 cpu=4");
    story.Group("1x2");
    for (int i = 0; i < 3; ++i) story.Group("1x2", {.growth = true});
    EXPECT_EQ(story.Decide(0), "1: node0, 2: node0, 3: node1, 4: node1");
  }

  std::string Evicted(matcher::Time now) {
    std::string evicted;
    do {
      story.Decide(now);
      evicted += story.Evicted();
    } while (story.schedule.More());
    return evicted;
  }

  Story story;
};

TEST_F(ElasticGroups, MakeRoomInAnyQueueForAnyPriority) {
  Grow();
  story.Group("1x2", {.priority = -5, .preempts = false});
  EXPECT_EQ(Evicted(1), "4 until 31 for 5");
  story.End(4);
  EXPECT_EQ(story.Decide(2), "5: node1");
}

TEST_F(ElasticGroups, MakeNoMoreRoomThanIsNeeded) {
  Grow();
  story.Group("1x4");
  EXPECT_EQ(Evicted(1), "4 until 31 for 5, 3 until 31 for 5");
}

TEST_F(ElasticGroups, KeepTheirMinimum) {
  Grow();
  story.Group("2x4");
  EXPECT_EQ(Evicted(1), "");
}

TEST_F(ElasticGroups, MakeRoomBeforeOthersAreEvicted) {
  story.schedule.SetQueue({.preemption = Preemption::kLowerPriority});
  story.Nodes("node0 cpu=4\nnode1 cpu=4");
  story.Group("1x4");
  story.Group("1x2", {.growth = true});
  story.Group("1x2", {.growth = true});
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1, 3: node1");
  // Evicting one whole group would be enough; of the growth it takes two pods.
  story.Group("1x4", {.priority = 10});
  EXPECT_EQ(Evicted(1), "3 until 31 for 4, 2 until 31 for 4");
}

TEST_F(ElasticGroups, DoNotGrowWhereOthersWait) {
  Grow();
  story.End(1);
  story.Group("1x2", {.growth = true});
  story.Group("1x2");
  EXPECT_EQ(story.Decide(1), "6: node0");
  EXPECT_EQ(Evicted(1), "");
}

TEST_F(ElasticGroups, DoNotMakeRoomForOneAnother) {
  Grow();
  story.Group("1x2", {.growth = true});
  EXPECT_EQ(Evicted(1), "");
}

TEST_F(ElasticGroups, KeepTheRoomForTheFirstOfAQueueThatGoesInOrder) {
  Grow(QueuePolicy::kFcfs);
  story.Group("1x4");
  EXPECT_EQ(Evicted(1), "4 until 31 for 5, 3 until 31 for 5");
  story.End(3);
  story.Group("1x2");
  EXPECT_EQ(story.Decide(2), "");
  story.End(4);
  EXPECT_EQ(story.Decide(3), "5: node1");
}

}  // namespace
}  // namespace fluxnetes::workers
