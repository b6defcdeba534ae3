// Figures of a simulated course, compared with figures worked out by hand.
#include "workers/simulation/simulation_summary.h"

#include <gtest/gtest.h>

#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::workers {
namespace {

using State = GroupCourse::State;

// Jobs of one cpu each on two nodes of one cpu; users take turns.
Scenario OfLoneJobs(int jobs) {
  std::vector<cluster::SwfJob> list;
  for (int i = 0; i < jobs; ++i)
    list.push_back({.number = i, .processors = 1, .user = i % 2});
  return ScenarioOf(list, NodesOfCpus(2, 1), 1, {});
}

GroupCourse Ran(std::int64_t start, std::int64_t end,
                State state = State::kEnded) {
  GroupCourse group;
  group.submit = 0;
  group.start = start;
  group.end = end;
  group.state = state;
  return group;
}

TEST(SimulationSummary, IsAsWorkedOutByHand) {
  const Scenario scenario = OfLoneJobs(4);
  Course course;
  course.groups = {Ran(0, 100), Ran(0, 20), Ran(20, 120, State::kTimedOut),
                   Ran(100, 105)};
  course.groups[2].promised = 20;
  course.groups[2].promised_at = 0;
  course.groups[3].promised = 90;
  course.groups[3].promised_at = 1;
  course.end = 120;
  course.longest_line = 2;
  const SimulationSummary summary = Summarize(scenario, course);
  EXPECT_EQ(summary.groups, 4U);
  EXPECT_EQ(summary.ended, 3U);
  EXPECT_EQ(summary.timed_out, 1U);
  EXPECT_EQ(summary.makespan, 120);
  EXPECT_DOUBLE_EQ(summary.wait_mean, 30);
  EXPECT_EQ(summary.wait_p50, 0);
  EXPECT_EQ(summary.wait_p95, 100);
  EXPECT_EQ(summary.wait_most, 100);
  // The slowdowns are 1, 1, 120 / 100, and 105 / 10.
  EXPECT_DOUBLE_EQ(summary.slowdown, (1 + 1 + 1.2 + 10.5) / 4);
  ASSERT_EQ(summary.utilisation.size(), 1U);
  EXPECT_EQ(summary.utilisation[0].resource, "cpu");
  EXPECT_DOUBLE_EQ(summary.utilisation[0].share, (100 + 20 + 100 + 5) / 240.0);
  // The means of the users are 1.1 and 5.75.
  EXPECT_DOUBLE_EQ(summary.fairness,
                   6.85 * 6.85 / (2 * (1.1 * 1.1 + 5.75 * 5.75)));
  EXPECT_EQ(summary.users, 2U);
  EXPECT_EQ(summary.promised, 2U);
  EXPECT_EQ(summary.promises_kept, 1U);
}

TEST(SimulationSummary, WhatDoesNotEndOrStartIsCountedApart) {
  Scenario scenario = OfLoneJobs(4);
  scenario.begin = 1'000;
  for (Scenario::Group& group : scenario.groups) group.submit = 950;
  Course course;
  course.groups = {Ran(900, 1'010), Ran(1'010, -1, State::kRunning),
                   Ran(-1, -1, State::kUnsatisfiable),
                   Ran(-1, -1, State::kWaiting)};
  for (GroupCourse& group : course.groups) group.submit = 950;
  course.end = 1'020;
  const SimulationSummary summary = Summarize(scenario, course);
  EXPECT_EQ(summary.running, 1U);
  EXPECT_EQ(summary.unsatisfiable, 1U);
  EXPECT_EQ(summary.waiting, 1U);
  EXPECT_EQ(summary.wait_mean, 60);  // of the group that started in the run
  EXPECT_EQ(summary.makespan, 20);
  EXPECT_DOUBLE_EQ(summary.utilisation.at(0).share, (10 + 10) / 40.0);
}

TEST(SimulationSummary, PromiseToWhoNeverStartsIsBrokenOrOpen) {
  const Scenario scenario = OfLoneJobs(2);
  Course course;
  course.groups = {Ran(0, 100), Ran(-1, -1, State::kWaiting)};
  for (GroupCourse& group : course.groups) {
    group.promised = 50;
    group.promised_at = 0;
  }
  course.end = 100;
  EXPECT_EQ(Summarize(scenario, course).promised, 2U);
  EXPECT_EQ(Summarize(scenario, course).promises_kept, 1U);
  course.stopped = true;
  EXPECT_EQ(Summarize(scenario, course).promised, 1U);
}

TEST(SimulationSummary, HowLongWhatRunsStillWasSlowedDownIsNotKnown) {
  const Scenario scenario = OfLoneJobs(3);
  Course course;
  course.groups = {Ran(100, 200), Ran(100, -1, State::kRunning),
                   Ran(100, 1'000)};
  course.end = 200;
  const SimulationSummary summary = Summarize(scenario, course);
  EXPECT_EQ(summary.wait_mean, 100);
  EXPECT_DOUBLE_EQ(summary.slowdown, 2);
  EXPECT_EQ(summary.users, 1U);
  EXPECT_DOUBLE_EQ(summary.fairness, 1);
}

TEST(SimulationSummary, OfNothingIsNothing) {
  const SimulationSummary summary = Summarize({}, {});
  EXPECT_EQ(summary.makespan, 0);
  EXPECT_EQ(summary.wait_p99, 0);
  EXPECT_EQ(summary.slowdown, 0);
  EXPECT_TRUE(summary.utilisation.empty());
  EXPECT_EQ(summary.fairness, 1);
}

TEST(SimulationSummary, UtilisationOverTimeAddsUpToTheWhole) {
  const Scenario scenario = OfLoneJobs(2);
  Course course;
  course.groups = {Ran(0, 100), Ran(30, 60)};
  course.end = 100;
  const std::vector<double> parts =
      UtilisationOverTime(scenario, course, "cpu", 4);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_DOUBLE_EQ(parts[0], 0.5);
  EXPECT_NEAR(parts[1], 0.5 + 0.5 * 20 / 25, 1e-9);
  EXPECT_NEAR(parts[2], 0.5 + 0.5 * 10 / 25, 1e-9);
  EXPECT_DOUBLE_EQ(parts[3], 0.5);
}

std::string UsesText(const Scenario& scenario, const Course& course) {
  std::string text;
  for (const ResourceUse& use : UsesOf(scenario, course))
    text += use.resource + " " + std::to_string(use.share) + "; ";
  return text;
}

TEST(SimulationSummary, ScarcestResourceIsFirst) {
  Scenario scenario = OfLoneJobs(1);
  for (cluster::Node& node : scenario.nodes) {
    node.allocatable.cpu_milli = 64'000;
    node.allocatable.memory_bytes = 1'000;
    node.allocatable.ephemeral_bytes = 1'000;
    node.allocatable.SetExtended("nvidia.com/gpu", 1);
  }
  scenario.requests[0].request.resources = {
      .cpu_milli = 1'000, .memory_bytes = 500, .pods = 1};
  scenario.requests[0].request.resources.SetExtended("nvidia.com/gpu", 1);
  scenario.requests[0].request.resources.SetExtended("example.com/none", 0);
  Course course;
  course.groups = {Ran(0, 100)};
  course.end = 100;
  EXPECT_EQ(UsesText(scenario, course),
            "nvidia.com/gpu 0.500000; memory 0.250000; cpu 0.007812; ");
  for (cluster::Node& node : scenario.nodes) node.allocatable.pods = 1;
  scenario.requests[0].request.resources.extended.clear();
  EXPECT_EQ(UsesText(scenario, course),
            "pods 0.500000; memory 0.250000; cpu 0.007812; ");
}

}  // namespace
}  // namespace fluxnetes::workers
