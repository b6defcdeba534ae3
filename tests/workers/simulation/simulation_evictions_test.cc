// Evicted groups in a simulation, and elastic groups that shrink.
#include <gtest/gtest.h>

#include "tests/workers/schedule_reference/simulated_groups.h"
#include "workers/simulation/simulation_summary.h"

namespace fluxnetes::workers {
namespace {

using State = GroupCourse::State;

Scenario WithUrgentQueue() {
  Scenario scenario = OnNodes({4});
  scenario.queues.push_back(
      {.name = "urgent", .preemption = Preemption::kLowerPriority});
  return scenario;
}

void AddUrgent(Scenario& scenario, const Times& times) {
  Scenario::Group& group = AddGroup(scenario, 1, 4, times);
  group.queue = 1;
  group.priority = 10;
}

TEST(SimulatedEvictions, AGroupThatIsEvictedStartsAnewFromNothing) {
  Scenario scenario = WithUrgentQueue();
  AddGroup(scenario, 1, 4, {0, 1'000, 500}).grace = 20;
  AddUrgent(scenario, {100, 60, 50});
  SimulationOptions options;
  options.keep_nodes = true;
  const Course course = Simulate(scenario, options);
  EXPECT_EQ(course.groups[1].start, 120);
  EXPECT_EQ(course.groups[1].end, 170);
  EXPECT_EQ(course.groups[1].restarts, 0);
  EXPECT_EQ(course.groups[0].submit, 0);
  EXPECT_EQ(course.groups[0].start, 170);
  EXPECT_EQ(course.groups[0].end, 670);
  EXPECT_EQ(course.groups[0].restarts, 1);
  EXPECT_EQ(course.groups[0].nodes, 1);
  EXPECT_EQ(course.groups[0].state, State::kEnded);
  EXPECT_EQ(course.end, 670);
  EXPECT_EQ(Summarize(scenario, course).evictions, 1U);
}

TEST(SimulatedEvictions, AGroupWithoutEndIsEvictedToo) {
  Scenario scenario = WithUrgentQueue();
  AddGroup(scenario, 1, 4, {0});
  AddUrgent(scenario, {100, 60, 50});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].start, 130);
  EXPECT_EQ(course.groups[0].start, 180);
  EXPECT_EQ(course.groups[0].restarts, 1);
  EXPECT_EQ(course.groups[0].state, State::kRunning);
}

TEST(SimulatedEvictions, WhoIsDoneWithinItsGraceHasEnded) {
  Scenario scenario = WithUrgentQueue();
  AddGroup(scenario, 1, 4, {0, 1'000, 110});
  AddUrgent(scenario, {100, 60, 50});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].start, 110);
  EXPECT_EQ(course.groups[0].end, 110);
  EXPECT_EQ(course.groups[0].restarts, 0);
  EXPECT_EQ(course.groups[0].state, State::kEnded);
}

// A group of two pods that has grown by three.
Scenario WithElastic() {
  Scenario scenario = OnNodes({5});
  AddGroup(scenario, 2, 1, {0, 100, 100});
  for (int i = 0; i < 3; ++i) AddGroup(scenario, 1, 1, {0, 100, 100}).grows = 0;
  return scenario;
}

TEST(SimulatedEvictions, ElasticGroupGrowsBehindAllOthersAndShrinksForThem) {
  Scenario scenario = WithElastic();
  AddGroup(scenario, 1, 1, {0, 10, 10});
  AddGroup(scenario, 1, 2, {40, 10, 10});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[0].start, 0);
  EXPECT_EQ(course.groups[1].start, 0);
  // Submitted later, but first in the pending order.
  EXPECT_EQ(course.groups[4].start, 0);
  // The third pod of its growth comes when that group has ended; it and the
  // second are evicted for the last group.
  EXPECT_EQ(course.groups[5].start, 70);
  EXPECT_EQ(course.groups[2].start, 80);
  EXPECT_EQ(course.groups[3].start, 80);
  EXPECT_EQ(course.groups[0].end, 100);
  EXPECT_EQ(course.groups[0].restarts, 0);
  EXPECT_EQ(Summarize(scenario, course).preempted, 2U);
  for (int i = 1; i < 4; ++i)
    EXPECT_EQ(course.groups[static_cast<std::size_t>(i)].state, State::kEnded);
}

TEST(SimulatedEvictions, WhatAnElasticGroupHasGrownByLeavesWithIt) {
  Scenario scenario = WithElastic();
  scenario.queues.push_back(
      {.name = "urgent", .preemption = Preemption::kLowerPriority});
  AddGroup(scenario, 1, 5, {10, 20, 20}).priority = 10;
  scenario.groups.back().queue = 1;
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[4].start, 40);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(course.groups[i].restarts, 1) << i;
    EXPECT_EQ(course.groups[i].start, 60) << i;
  }
}

}  // namespace
}  // namespace fluxnetes::workers
