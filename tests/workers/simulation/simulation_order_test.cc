// The pending order in a simulation: by ageing, by shares, and within quotas.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "tests/workers/schedule_reference/simulated_groups.h"
#include "workers/simulation/simulation_summary.h"

namespace fluxnetes::workers {
namespace {

// The starts of jobs of one cpu on a single cpu: whenever it is free, the job
// with the greatest age by `ageing` starts.
std::vector<std::int64_t> StartsOfShortest(const Scenario& scenario,
                                           double ageing) {
  std::vector<std::int64_t> starts(scenario.groups.size(), -1);
  std::int64_t now = 0;
  for (std::size_t done = 0; done < starts.size(); ++done) {
    std::optional<std::pair<std::int64_t, std::size_t>> first;
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    const auto look = [&] {
      for (std::size_t i = 0; i < starts.size(); ++i) {
        const Scenario::Group& group = scenario.groups[i];
        if (starts[i] >= 0) continue;
        next = std::min(next, group.submit);
        const std::pair counts_from{
            group.submit + static_cast<std::int64_t>(
                               ageing * static_cast<double>(*group.duration)),
            i};
        if (group.submit <= now && (!first || counts_from < *first))
          first = counts_from;
      }
    };
    look();
    if (!first) {
      now = next;
      look();
    }
    starts[first->second] = now;
    now += *scenario.groups[first->second].duration;
  }
  return starts;
}

TEST(SimulatedOrder, ShortestFirstWithAgeingStartsJobByJobAsItsRuleSays) {
  std::mt19937 engine(1);
  Scenario scenario = OnNodes({1}, QueuePolicy::kFcfs);
  std::int64_t submit = 0;
  for (int i = 0; i < 200; ++i) {
    submit += std::uniform_int_distribution<int>(0, 40)(engine);
    const std::int64_t takes =
        std::uniform_int_distribution<int>(1, 60)(engine);
    AddGroup(scenario, 1, 1, {submit, takes, takes});
  }
  std::set<std::vector<std::int64_t>> different;
  for (const double ageing : {0.0, 0.5, 2.0, 10.0, 1e6}) {
    scenario.queues[0].queue_order = QueueOrder::kShortest;
    scenario.queues[0].ageing = ageing;
    const Course course = Simulate(scenario);
    std::vector<std::int64_t> starts;
    for (const GroupCourse& group : course.groups)
      starts.push_back(group.start);
    EXPECT_EQ(starts, StartsOfShortest(scenario, ageing)) << ageing;
    different.insert(starts);
  }
  EXPECT_EQ(different.size(), 5U);  // so that each of them can be wrong
}

// Cpu seconds that a user's groups had used by `until`, with `cpus` each.
std::int64_t UsedUntil(std::int64_t until, const Scenario& scenario,
                       const Course& course, int user, std::int64_t cpus) {
  std::int64_t used = 0;
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    if (scenario.groups[i].user == user && group.start < until)
      used += cpus * (std::min(group.end, until) - group.start);
  }
  return used;
}

TEST(SimulatedOrder, UsersOfUnequalDemandUseTheSameUnderFairShare) {
  Scenario scenario = OnNodes({4, 4});
  scenario.users = {"greedy", "modest"};
  // The greedy user asks for three times as much, in gangs of four cpus, first.
  for (int i = 0; i < 100; ++i) AddGroup(scenario, 2, 2, {0, 30, 30});
  for (int i = 0; i < 200; ++i) AddGroup(scenario, 1, 1, {1, 20, 20}).user = 1;
  const auto greedy_per_modest = [&](QueueOrder order) {
    scenario.queues[0].queue_order = order;
    const Course course = Simulate(scenario);
    // Until the modest user has all that it asked for.
    std::int64_t until = 0;
    for (std::size_t i = 0; i < course.groups.size(); ++i) {
      if (scenario.groups[i].user == 1)
        until = std::max(until, course.groups[i].start);
    }
    return static_cast<double>(UsedUntil(until, scenario, course, 0, 4)) /
           static_cast<double>(UsedUntil(until, scenario, course, 1, 1));
  };
  EXPECT_NEAR(greedy_per_modest(QueueOrder::kFairShare), 1, 0.1);
  EXPECT_GT(greedy_per_modest(QueueOrder::kArrival), 2);
}

TEST(SimulatedOrder, WhatRunsAtTheBeginningCountsForItsUser) {
  Scenario scenario = OnNodes({4});
  scenario.queues[0].queue_order = QueueOrder::kFairShare;
  scenario.users = {"has", "has not"};
  AddGroup(scenario, 1, 4, {0, 100, 100});
  AddGroup(scenario, 1, 4, {1, 100, 100});
  AddGroup(scenario, 1, 4, {2, 100, 100}).user = 1;
  scenario.running = {{0, 0, {"node0"}}};
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[2].start, 100);
  EXPECT_EQ(course.groups[1].start, 200);
}

TEST(SimulatedOrder, QuotasHoldByTheLabelOfGroups) {
  Scenario scenario = OnNodes({4});
  scenario.users = {"space"};
  scenario.labels = {"physics"};
  scenario.accounts = {
      {.name = "team", .label = "physics", .quota = {{"cpu", 2'000}}}};
  for (int i = 0; i < 3; ++i) AddGroup(scenario, 1, 1, {i, 100, 100});
  scenario.groups[0].label = scenario.groups[1].label =
      scenario.groups[2].label = 0;
  AddGroup(scenario, 1, 2, {3, 10, 10});  // no account
  scenario.running = {{0, 0, {"node0"}}};
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].start, 1);
  EXPECT_EQ(course.groups[2].start, 100);
  EXPECT_EQ(course.groups[3].start, 3);
  scenario.groups[3].label = 1;
  EXPECT_THROW(Simulate(scenario), std::invalid_argument);
}

TEST(SimulatedOrder, WhatWasUsedBeforeItBeginsCountsByWeight) {
  Scenario scenario = OnNodes({4});
  scenario.queues[0].queue_order = QueueOrder::kFairShare;
  scenario.users = {"heavy", "light"};
  AddGroup(scenario, 1, 4, {0, 100, 100});
  AddGroup(scenario, 1, 4, {0, 100, 100}).user = 1;
  scenario.used.uses = {{{"default", "heavy", ""}, 3'000},
                        {{"default", "light", ""}, 1'000}};
  EXPECT_EQ(Simulate(scenario).groups[1].start, 0);
  scenario.accounts = {{.name = "h", .namespace_name = "heavy", .weight = 9},
                       {.name = "l", .namespace_name = "light", .weight = 1}};
  EXPECT_EQ(Simulate(scenario).groups[0].start, 0);
}

}  // namespace
}  // namespace fluxnetes::workers
