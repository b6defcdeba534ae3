#include "workers/bind/event_recorder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/workers/support/scripted_cluster.h"

namespace fluxnetes::workers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr cluster::Time kMidday{std::chrono::hours(12)};

class EventRecorderTest : public ::testing::Test {
 protected:
  void Put(int count, cluster::Time now = kMidday) {
    std::vector<cluster::PodEvent> events;
    for (int i = 0; i < count; ++i) {
      cluster::PodEvent& event = events.emplace_back();
      event.pod_name = "p" + std::to_string(next_++);
    }
    event_recorder.Put(std::move(events), now);
  }

  ScriptedCluster door;
  BindingLedger bindings;
  EventRecorder event_recorder{door,
                               bindings,
                               {.batch = 2,
                                .capacity = 5,
                                .pause = milliseconds(100),
                                .patience = seconds(30)}};

 private:
  int next_ = 0;
};

TEST_F(EventRecorderTest, TellsInOrderAfterAPauseWithoutBindings) {
  Put(3);
  EXPECT_FALSE(event_recorder.RunOnce(kMidday + milliseconds(99)));
  EXPECT_TRUE(door.events.empty());
  while (event_recorder.RunOnce(kMidday + milliseconds(100))) {
  }
  ASSERT_EQ(door.events.size(), 3U);
  EXPECT_EQ(door.events[0].pod_name, "p0");
  EXPECT_EQ(door.events[2].pod_name, "p2");
}

TEST_F(EventRecorderTest, WaitsWhileABindingIsUnderWayButNotForever) {
  Put(2);
  bindings.Begin({"uid"});
  event_recorder.RunOnce(kMidday + milliseconds(29'999));
  EXPECT_TRUE(door.events.empty());
  while (event_recorder.RunOnce(kMidday + seconds(30))) {
  }
  EXPECT_EQ(door.events.size(), 2U);
}

TEST_F(EventRecorderTest, FewAreToldOneByOneSoThatABindingFindsTheServerFree) {
  Put(3);
  EXPECT_TRUE(event_recorder.RunOnce(kMidday + seconds(1)));
  EXPECT_EQ(door.events.size(), 1U);
  bindings.Begin({"uid"});
  EXPECT_FALSE(event_recorder.RunOnce(kMidday + seconds(1)));
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(EventRecorderTest, ManyAreToldTogether) {
  EventRecorder many{door, bindings, {.batch = 2}};
  many.Put(std::vector<cluster::PodEvent>(100), kMidday);
  EXPECT_TRUE(many.RunOnce(kMidday + seconds(1)));
  EXPECT_EQ(door.events.size(), 2U);
}

TEST_F(EventRecorderTest, WhatCouldNotBeToldIsToldLater) {
  Put(1);
  door.reachable = false;
  EXPECT_THROW(event_recorder.RunOnce(kMidday + seconds(1)),
               cluster::Unreachable);
  door.reachable = true;
  event_recorder.RunOnce(kMidday + seconds(1));
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(EventRecorderTest, KeepsNoMoreThanItsCapacityAndCountsTheRest) {
  Put(7);
  EXPECT_EQ(event_recorder.dropped(), 2);
  EXPECT_EQ(event_recorder.Flush(10), 0U);
  EXPECT_EQ(door.events.size(), 5U);
}

TEST_F(EventRecorderTest, FlushLeavesWhatIsMoreThanItMaySend) {
  Put(3);
  EXPECT_EQ(event_recorder.Flush(2), 1U);
  EXPECT_EQ(door.events.size(), 2U);
}

}  // namespace
}  // namespace fluxnetes::workers
