#include "matcher/nodes/start_bounds.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace fluxnetes::matcher {
namespace {

const std::vector<Need> kNeeds = {{0, 2}};

// Nodes on which a task fits from some time on, if it runs no longer than a
// day.
class StartBoundsTest : public ::testing::Test {
 protected:
  void Set(NodeIndex node, Time time) {
    times_[node] = time;
    bounds_.Changed(node);
  }

  const std::vector<Time>& Of(Time duration,
                              const std::vector<Need>& needs = kNeeds) {
    return bounds_.Of(needs, duration, 3, [&](NodeIndex node, Time shorter) {
      ++asked_[node];
      durations_.insert(shorter);
      return shorter > 86'400 ? kForever : times_[node];
    });
  }

  std::map<NodeIndex, Time> times_;
  std::map<NodeIndex, int> asked_;
  std::set<Time> durations_;
  StartBounds bounds_;
};

TEST_F(StartBoundsTest, OnlyNodesThatChangedAreLookedAtAgain) {
  Set(0, 10);
  Set(1, 20);
  EXPECT_EQ(Of(600), (std::vector<Time>{10, 20, 0}));
  Set(1, 30);
  Set(1, 40);
  EXPECT_EQ(Of(600), (std::vector<Time>{10, 40, 0}));
  EXPECT_EQ(asked_, (std::map<NodeIndex, int>{{0, 1}, {1, 2}, {2, 1}}));
}

TEST_F(StartBoundsTest, BoundsAreOfTheShortestOfTheDurationsThatShareThem) {
  Of(600);
  Of(1'023);
  EXPECT_EQ(durations_, std::set<Time>{512});
  EXPECT_EQ(asked_[0], 1);
  Of(1'024);
  Of(kForever);
  EXPECT_EQ(durations_, (std::set<Time>{512, 1'024, kForever}));
}

TEST_F(StartBoundsTest, OtherNeedsHaveBoundsOfTheirOwn) {
  Of(600);
  Set(0, 10);
  EXPECT_EQ(Of(600, {{1, 2}})[0], 10);
  EXPECT_EQ(Of(600)[0], 10);
}

TEST_F(StartBoundsTest, NothingIsKnownAfterTimeWentBack) {
  Set(0, 10);
  Of(600);
  times_[0] = 5;
  bounds_.Clear();
  EXPECT_EQ(Of(600)[0], 5);
}

TEST_F(StartBoundsTest, NoChangeIsMissedHoweverManyThereAre) {
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    const int changes = static_cast<int>(random() % 200);
    for (int i = 0; i < changes; ++i)
      Set(static_cast<NodeIndex>(random() % 3),
          static_cast<Time>(random() % 1'000));
    const Time duration = Time{1} << (random() % 4);
    const std::vector<Time>& bounds = Of(duration);
    for (NodeIndex node = 0; node < 3; ++node)
      ASSERT_EQ(bounds[node], times_[node]) << "round " << round;
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
