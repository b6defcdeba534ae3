// A story of queues that keep many reservations.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {

class SchedulePromises : public ::testing::Test {
 protected:
  // One group holds node0 until 100; `waiting` others need it for 10 s each.
  void Fill(int waiting) {
    story.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative,
                             .reservation_depth = 4'000});
    story.Nodes("node0 cpu=4\nnode1 cpu=1");
    story.Group("1x4", {.duration = 100});
    story.Decide(0);
    for (int i = 0; i < waiting; ++i) story.Group("1x4", {.duration = 10});
  }

  // Decides until nothing more follows; returns the number of cycles.
  int Settle(matcher::Time now) {
    int cycles = 0;
    do {
      story.Decide(now);
      ++cycles;
      for (const Placed& placed : story.decision.placed)
        started.insert(placed.group);
      for (const Reservation& each : story.decision.reserved)
        if (each.start) promised[each.group] = *each.start;
    } while (story.schedule.More() && cycles < 1'000);
    return cycles;
  }

  Story story;
  std::set<GroupId> started;
  std::map<GroupId, matcher::Time> promised;
};

}  // namespace fluxnetes::workers
