// The simulation: the same starts as by the schedule alone and by the plain
// definition of the policies, and groups that do not end as planned.
#include "workers/simulation/simulation.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "tests/workers/schedule_reference/lublin_workload.h"
#include "tests/workers/schedule_reference/simulated_groups.h"
#include "workers/simulation/simulation_summary.h"
#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::workers {
namespace {

using State = GroupCourse::State;
using Starts = std::map<GroupId, std::int64_t>;

// "10: 3 on node0": when each group started.
Starts StartsIn(const std::string& log) {
  Starts starts;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::int64_t time = 0;
    GroupId group = 0;
    char colon = 0;
    std::string what;
    words >> time >> colon >> group >> what;
    if (what == "on") starts.emplace(group, time);
  }
  return starts;
}

Starts StartsIn(const Course& course) {
  Starts starts;
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    if (course.groups[i].start >= 0)
      starts[static_cast<GroupId>(i) + 1] = course.groups[i].start;
  }
  return starts;
}

Scenario Of(const Workload& workload, QueuePolicy policy) {
  Scenario scenario = OnNodes(workload.cpus, policy);
  for (const TimedGroup& group : workload.groups) {
    AddGroup(scenario, group.pods, group.cpu,
             {group.comes, group.duration, group.runs})
        .priority = group.priority;
  }
  return scenario;
}

// `all_fit`: on empty nodes, as the plain definition assumes.
Workload RandomGroups(unsigned seed, bool all_fit) {
  std::mt19937 engine(seed);
  const auto up = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(engine);
  };
  Workload workload;
  const int least = all_fit ? 4 : 1;
  for (int i = up(least, 6); i > 0; --i) workload.cpus.push_back(up(least, 8));
  std::int64_t now = 0;
  for (int i = 1; i <= 60; ++i) {
    now += up(0, 12);
    TimedGroup group;
    group.id = i;
    group.comes = now;
    group.priority = up(0, 4) == 0 ? up(1, 3) : 0;
    group.pods = up(1, 4);
    group.cpu = up(1, 4);
    group.duration = up(1, 60);
    group.runs = up(1, static_cast<int>(*group.duration));
    workload.groups.push_back(group);
  }
  return workload;
}

class OfSimulation : public ::testing::TestWithParam<QueuePolicy> {};

TEST_P(OfSimulation, StartsRandomGroupsAsTheScheduleAndTheDefinitionDo) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const bool all_fit = seed % 3 != 0;
    const Workload workload = RandomGroups(seed, all_fit);
    const Starts starts = StartsIn(Simulate(Of(workload, GetParam())));
    EXPECT_EQ(starts, StartsIn(RunSchedule(workload, GetParam()))) << seed;
    if (!all_fit) continue;
    EXPECT_EQ(starts.size(), workload.groups.size()) << seed;
    EXPECT_EQ(starts, StartsIn(RunReference(workload, GetParam()))) << seed;
  }
}

TEST_P(OfSimulation, StartsLublinsJobsAsTheScheduleAndTheDefinitionDo) {
  const LublinOptions options{.seed = 3, .jobs = 300, .longest_estimate = 2};
  const Workload workload = LublinWorkload(options);
  const Starts expected = StartsIn(RunReference(workload, GetParam()));
  ASSERT_EQ(expected.size(), 300U);
  EXPECT_EQ(StartsIn(Simulate(Of(workload, GetParam()))), expected);
  EXPECT_EQ(StartsIn(RunSchedule(workload, GetParam())), expected);
  const Scenario of_trace =
      ScenarioOf(LublinJobs(options), NodesOfCpus(options.nodes, 1), 1,
                 {.queue_policy = GetParam()});
  EXPECT_EQ(StartsIn(Simulate(of_trace)), expected);
}

INSTANTIATE_TEST_SUITE_P(Policies, OfSimulation,
                         ::testing::Values(QueuePolicy::kFcfs,
                                           QueuePolicy::kEasy),
                         [](const auto& instance) {
                           return instance.param == QueuePolicy::kFcfs ? "fcfs"
                                                                       : "easy";
                         });

TEST(Simulation, GroupThatOutlivesItsDurationIsEndedThen) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 4, {0, 10, 100});
  AddGroup(scenario, 1, 4, {0, 10, 10});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[0].state, State::kTimedOut);
  EXPECT_EQ(course.groups[0].end, 10);
  EXPECT_EQ(course.groups[1].state, State::kEnded);
  EXPECT_EQ(course.groups[1].start, 10);
  EXPECT_EQ(course.groups[1].promised, 10);
  EXPECT_EQ(course.groups[1].promised_at, 0);
  EXPECT_EQ(course.end, 20);
}

TEST(Simulation, GroupThatOverrunsBreaksThePromiseToTheOneBehindIt) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 4, {0, 10, 100});
  AddGroup(scenario, 1, 4, {0, 10, 10});
  const Course course = Simulate(scenario, {.overrun = 15});
  EXPECT_EQ(course.groups[0].end, 25);
  EXPECT_EQ(course.groups[1].promised, 10);
  EXPECT_EQ(course.groups[1].start, 25);
}

TEST(Simulation, GroupThatEndsEarlyMakesRoomAtOnce) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 4, {0, 100, 7});
  AddGroup(scenario, 1, 4, {1, 5, 5});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].promised, 100);
  EXPECT_EQ(course.groups[1].start, 7);
}

TEST(Simulation, GroupWithoutEndIsPlannedForeverButMayEnd) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 3, {0, {}, 50});  // ends, unknown to the schedule
  AddGroup(scenario, 1, 4, {0, 10, 10});  // gets a drain set
  AddGroup(scenario, 1, 1, {0, 10, 10});  // must not start in between
  AddGroup(scenario, 1, 4, {90, {}, {}});
  AddGroup(scenario, 1, 4, {91, 10, 10});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].start, 50);
  EXPECT_EQ(course.groups[1].promised_at, -1);
  EXPECT_EQ(course.groups[2].start, 60);
  EXPECT_EQ(course.groups[3].state, State::kRunning);
  EXPECT_EQ(course.groups[3].end, -1);
  EXPECT_EQ(course.groups[4].state, State::kWaiting);
  EXPECT_EQ(course.end, 90);
}

TEST(Simulation, GroupThatCanNeverFitIsUnsatisfiableAndInNobodysWay) {
  Scenario scenario = OnNodes({4, 4}, QueuePolicy::kFcfs);
  AddGroup(scenario, 3, 4, {0, 10, 10});
  AddGroup(scenario, 2, 4, {0, 10, 10});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[0].state, State::kUnsatisfiable);
  EXPECT_EQ(course.groups[0].start, -1);
  EXPECT_EQ(course.groups[1].start, 0);
}

TEST(Simulation, EndsWhenSomethingLastStartedOrEnded) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 2, {0, 10, 10});
  AddGroup(scenario, 3, 4, {500, 10, 10});  // can never fit
  EXPECT_EQ(Simulate(scenario).end, 10);
  AddGroup(scenario, 1, 2, {20, {}, {}});
  EXPECT_EQ(Simulate(scenario).end, 20);
}

TEST(Simulation, QueuesKeepTheirPoliciesAndNodes) {
  Scenario scenario = OnNodes({4, 4});
  scenario.nodes[1].labels["zone"] = "b";
  scenario.queues.push_back({.name = "b",
                             .node_selector = {{"zone", "b"}},
                             .queue_policy = QueuePolicy::kFcfs});
  for (int queue = 0; queue < 2; ++queue) {
    AddGroup(scenario, 1, 4 - queue, {0, 100, 100}).queue = queue;
    AddGroup(scenario, 1, 4, {1, 100, 100}).queue = queue;
    AddGroup(scenario, 1, 1, {2, 5, 5}).queue = queue;
  }
  const Course course = Simulate(scenario, {.keep_nodes = true});
  // The default queue may use both nodes: its second group goes to the other
  // one, for which the queue b then has to wait.
  EXPECT_EQ(course.groups[0].start, 0);
  EXPECT_EQ(course.groups[3].start, 0);
  ASSERT_EQ(course.groups[3].nodes, 1);
  EXPECT_EQ(course.nodes[static_cast<std::size_t>(course.first_node[3])], 1);
  // b has room for its third group, but does not look past its second; easy
  // does.
  EXPECT_EQ(course.groups[2].start, 2);
  EXPECT_GT(course.groups[5].start, 99);
}

TEST(Simulation, WhatRunsAtTheBeginningHoldsItsNodes) {
  Scenario scenario = OnNodes({4, 4});
  scenario.begin = 1'000;
  AddGroup(scenario, 2, 2, {900, 200, 150});
  AddGroup(scenario, 1, 4, {950, 10, 10});
  AddGroup(scenario, 2, 4, {960, 10, 10});
  scenario.running = {{0, 910, {"node1", "node1"}}};
  const Course course = Simulate(scenario, {.keep_nodes = true});
  EXPECT_EQ(course.groups[0].end, 1'060);
  EXPECT_EQ(course.groups[0].nodes, 1);
  ASSERT_EQ(course.resources.front(), "cpu");
  EXPECT_EQ(course.node_amounts[0], 4'000);
  EXPECT_EQ(course.groups[1].start, 1'000);
  EXPECT_EQ(course.groups[2].promised, 1'110);
  EXPECT_EQ(course.groups[2].start, 1'060);
}

TEST(Simulation, GroupMayComeWhenAnotherHasEnded) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 4, {0, 20, 10});
  AddGroup(scenario, 1, 4, {0, 10, 10}).after = 0;
  AddGroup(scenario, 1, 4, {5, 10, 10});
  AddGroup(scenario, 5, 4, {0, 10, 10});
  AddGroup(scenario, 1, 4, {0, 10, 10}).after = 3;  // that group never ends
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].submit, 10);
  EXPECT_EQ(course.groups[1].start, 20);  // behind the group that came before
  EXPECT_EQ(course.groups[2].start, 10);
  EXPECT_EQ(course.groups[4].submit, -1);
  EXPECT_EQ(course.groups[4].state, State::kWaiting);
}

TEST(Simulation, StopsWhenItIsToldTo) {
  Scenario scenario = OnNodes({1});
  for (int i = 0; i < 2'000; ++i) AddGroup(scenario, 1, 1, {2 * i, 1, 1});
  SimulationOptions options;
  options.progress = [](const SimulationProgress& progress) {
    return progress.over < 100;
  };
  const Course course = Simulate(scenario, options);
  EXPECT_TRUE(course.stopped);
  EXPECT_LT(StartsIn(course).size(), 1'000U);
}

TEST(Simulation, RefusesWhatIsNotThere) {
  Scenario scenario = OnNodes({1});
  AddGroup(scenario, 1, 1, {0, 1, 1}).queue = 1;
  EXPECT_THROW(Simulate(scenario), std::invalid_argument);
  scenario.groups[0].queue = 0;
  scenario.groups[0].shape = 7;
  EXPECT_THROW(Simulate(scenario), std::invalid_argument);
  scenario.groups[0].shape = 0;
  scenario.groups[0].user = 1;
  EXPECT_THROW(Simulate(scenario), std::invalid_argument);
  scenario.groups[0].user = 0;
  scenario.running = {{0, 0, {"node0", "node0"}}};
  EXPECT_THROW(Simulate(scenario), std::invalid_argument);
}

TEST(TraceScenario, JobsFillNodesAndTheLastPodIsSmaller) {
  cluster::SwfJob small{.number = 1, .processors = 3};
  cluster::SwfJob exact{.number = 2, .processors = 16, .user = 7};
  cluster::SwfJob odd{.number = 3, .processors = 17, .user = 7};
  const Scenario scenario =
      ScenarioOf({small, exact, odd, small}, NodesOfCpus(3, 8), 8, {});
  const auto pods = [&](int group) {
    std::string text;
    const auto shape = static_cast<std::size_t>(
        scenario.groups[static_cast<std::size_t>(group)].shape);
    for (const Scenario::Pods& each : scenario.shapes[shape]) {
      text += std::to_string(each.count) + "x" +
              std::to_string(
                  scenario.requests[static_cast<std::size_t>(each.request)]
                      .request.resources.cpu_milli) +
              " ";
    }
    return text;
  };
  EXPECT_EQ(pods(0), "1x3000 ");
  EXPECT_EQ(pods(1), "2x8000 ");
  EXPECT_EQ(pods(2), "2x8000 1x1000 ");
  EXPECT_EQ(scenario.shapes.size(), 3U);
  EXPECT_EQ(scenario.users, (std::vector<std::string>{"unknown", "7"}));
  EXPECT_EQ(scenario.groups[2].user, 1);
}

TEST(Simulation, OfEquallyOldGroupsTheFirstOfTheScenarioGoesFirst) {
  Scenario scenario = OnNodes({1});
  for (int i = 0; i < 12; ++i) AddGroup(scenario, 1, 1, {0, 10, 10});
  std::int64_t start = 0;
  for (const GroupCourse& group : Simulate(scenario).groups) {
    EXPECT_EQ(group.start, start);
    start += 10;
  }
}

TEST(Simulation, GroupThatMayNotStartBeforeATimeComesThenAsOldAsItIs) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 4, {0, 100, 100});
  AddGroup(scenario, 1, 4, {20, 10, 10});
  AddGroup(scenario, 1, 4, {10, 10, 10}).start_after = 50;
  AddGroup(scenario, 1, 4, {10, 10, 10}).start_after = 105;
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[2].submit, 50);
  EXPECT_EQ(course.groups[2].start, 100);
  EXPECT_EQ(course.groups[3].start, 110);
  EXPECT_EQ(course.groups[1].start, 120);
}

TEST(Simulation, GroupWithoutAPlaceByItsTimeIsGivenUp) {
  Scenario scenario = OnNodes({4});
  AddGroup(scenario, 1, 4, {0, 100, 100});
  AddGroup(scenario, 1, 4, {10, 10, 10}).start_by = 100;
  AddGroup(scenario, 1, 4, {20, 10, 10}).start_by = 101;
  AddGroup(scenario, 9, 4, {30, 10, 10}).start_by = 500;  // never fits
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].state, State::kGivenUp);
  EXPECT_EQ(course.groups[1].start, -1);
  EXPECT_EQ(course.groups[2].start, 100);
  EXPECT_EQ(course.groups[3].state, State::kGivenUp);
  EXPECT_EQ(Summarize(scenario, course).given_up, 2U);
}

TEST(Simulation, GroupIsOverWhenItsJobIs) {
  Scenario scenario = OnNodes({4});
  for (int i = 0; i < 3; ++i) {
    AddGroup(scenario, 1, 4, {0, {}, 60}).gone = 80;
    scenario.groups.back().after = i - 1;
  }
  AddGroup(scenario, 1, 4, {1, 10, 10});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[0].end, 60);
  EXPECT_EQ(course.groups[1].start, 70);
  EXPECT_EQ(course.groups[1].end, 80);
  EXPECT_EQ(course.groups[1].state, State::kTimedOut);
  EXPECT_EQ(course.groups[2].start, -1);
}

TEST(Simulation, NodesOpenAgainAfterMaintenance) {
  Scenario scenario = OnNodes({4, 4});
  scenario.maintenance = {{1, {"node0"}, {}, 50, 200},
                          {2, {"node1"}, {}, 300, {}}};
  AddGroup(scenario, 2, 4, {0, 50, 50});
  AddGroup(scenario, 2, 4, {10, 60, 60});
  AddGroup(scenario, 1, 4, {20, 60, 60});
  AddGroup(scenario, 2, 4, {30, 60, 60});  // not ahead of the second
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[0].start, 0);
  EXPECT_EQ(course.groups[1].start, 200);
  EXPECT_EQ(course.groups[2].start, 50);
  EXPECT_EQ(course.groups[3].start, -1);
}

TEST(Simulation, AlignedGroupWaitsForADomain) {
  Scenario scenario = OnNodes({4});
  scenario.nodes[0].structure.Own() = "sockets: 2, cores: 4";
  AddGroup(scenario, 1, 2, {0, 50, 50});  // runs
  AddGroup(scenario, 1, 2, {1, 10, 10});
  scenario.requests.back().request.rules.Own().inside.align = "socket";
  AddGroup(scenario, 1, 2, {2, 10, 10});
  scenario.running = {{0, 0, {"node0"}, true, {"socket0/core0 socket1/core2"}}};
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[1].start, 50);
  EXPECT_EQ(course.groups[2].start, 2);  // anywhere in the node
  scenario.running[0].parts = {"socket0/core[0-1]"};
  EXPECT_EQ(Simulate(scenario).groups[1].start, 1);
}

// The kubelet keeps the second pod in one domain, where the plan has a cpu of
// each for it: no domain has 3 cpus left for the third.
TEST(Simulation, KubeletsPlacePodsByTheirOwnRule) {
  Scenario scenario = OnNodes({8});
  cluster::Node& node = scenario.nodes[0];
  node.structure.Own() = "numa: 2, cores: 8";
  AddGroup(scenario, 1, 3, {0, 100, 100});
  AddGroup(scenario, 1, 2, {0, 100, 100});
  AddGroup(scenario, 1, 3, {0, 50, 50});
  for (Scenario::Request& each : scenario.requests)
    each.request.guaranteed = true;
  scenario.requests[1].request.rules.Own().inside.cpus = "cores";
  EXPECT_EQ(StartsIn(Simulate(scenario)), (Starts{{1, 0}, {2, 0}, {3, 0}}));
  node.topology_policy = cluster::TopologyPolicy::kSingleNumaNode;
  EXPECT_EQ(StartsIn(Simulate(scenario)), (Starts{{1, 0}, {2, 0}, {3, 100}}));
  // If the second ends sooner, its domain is free.
  scenario.groups[1].runs = 10;
  EXPECT_EQ(StartsIn(Simulate(scenario)), (Starts{{1, 0}, {2, 0}, {3, 10}}));
}

TEST(Simulation, WhatOthersUseOfANodeIsNotFree) {
  Scenario scenario = OnNodes({4, 4});
  scenario.others["node1"].used.cpu_milli = 1'000;
  AddGroup(scenario, 2, 4, {0, 10, 10});
  AddGroup(scenario, 2, 3, {0, 10, 10});
  const Course course = Simulate(scenario);
  EXPECT_EQ(course.groups[0].start, -1);
  EXPECT_EQ(course.groups[1].start, 0);
}

}  // namespace
}  // namespace fluxnetes::workers
