// The forecast: the same starts as in the simulator if everything goes as
// planned, and its reasons where no time is known.
#include "workers/forecast/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/workers/support/forecast_story.h"
#include "workers/simulation/lublin_model.h"
#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

Scenario RandomScenario(unsigned seed, QueuePolicy policy) {
  std::mt19937 engine(seed);
  const auto up = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(engine);
  };
  std::vector<std::int64_t> cpus;
  for (int i = up(2, 6); i > 0; --i) cpus.push_back(up(2, 8));
  Scenario scenario = OnTheseNodes(cpus, policy);
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    if (up(0, 1) == 0) continue;
    // Some are past their planned end.
    AddRunning(scenario, {"node" + std::to_string(i)}, up(1, 2),
               up(0, 9) == 0 ? std::nullopt : std::optional(up(101, 200)));
  }
  for (int i = up(10, 80); i > 0; --i) {
    AddWaiting(scenario, up(1, 4), up(1, 4),
               up(0, 19) == 0 ? std::nullopt : std::optional(up(1, 60)));
    if (up(0, 4) == 0) scenario.groups.back().priority = up(1, 3);
    if (up(0, 20) == 0) scenario.groups.back().first_in_line = true;
  }
  if (up(0, 2) > 0) return scenario;
  scenario.queues.push_back({.name = "other"});  // on the same nodes
  for (auto& group : scenario.groups) group.queue = up(0, 1);
  return scenario;
}

class OfForecast : public ::testing::TestWithParam<QueuePolicy> {};

TEST_P(OfForecast, OfRandomGroupsIsWhatTheSimulatorThenDoes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Scenario scenario = RandomScenario(seed, GetParam());
    EXPECT_EQ(ExactStarts(ForecastOf(scenario)), SimulatedStarts(scenario))
        << "seed " << seed;
  }
}

TEST_P(OfForecast, OfGroupsThatNeedPoolsIsWhatTheSimulatorThenDoes) {
  int later = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Scenario scenario = RandomScenario(seed, GetParam());
    const Starts without = SimulatedStarts(scenario);
    std::mt19937 engine(seed);
    for (Scenario::Request& each : scenario.requests) {
      const auto amount = static_cast<std::int64_t>(engine() % 4);
      if (amount > 0)
        each.request.rules.Own().topology.pools = {{"matlab", amount}};
    }
    scenario.pools = {{"matlab", 5}};
    scenario.pools_elsewhere = {{9'999, 0, 1'050, {{"matlab", 1}}}};
    const Starts starts = SimulatedStarts(scenario);
    EXPECT_EQ(ExactStarts(ForecastOf(scenario)), starts) << "seed " << seed;
    later += starts != without ? 1 : 0;
  }
  EXPECT_GT(later, 20);  // pools matter to them
}

TEST_P(OfForecast, OfLublinsJobsIsWhatTheSimulatorThenDoes) {
  const auto jobs = LublinJobs({.seed = 5, .jobs = 400});
  Scenario scenario =
      ScenarioOf(jobs, NodesOfCpus(32, 4), 4, {.queue_policy = GetParam()});
  for (auto& group : scenario.groups) {
    scenario.begin = std::max(scenario.begin, group.submit);
    group.runs = group.duration;
  }
  const Starts expected = SimulatedStarts(scenario);
  ASSERT_EQ(expected.size(), 400U);
  EXPECT_EQ(ExactStarts(ForecastOf(scenario)), expected);
}

TEST_P(OfForecast, IsExactForTheFirstInLineAndApproximateBehind) {
  const auto jobs = LublinJobs({.seed = 7, .jobs = 600});
  Scenario scenario =
      ScenarioOf(jobs, NodesOfCpus(32, 4), 4, {.queue_policy = GetParam()});
  for (auto& group : scenario.groups) {
    scenario.begin = std::max(scenario.begin, group.submit);
    group.runs = group.duration;
  }
  const Starts expected = SimulatedStarts(scenario);
  const Forecast forecast = ForecastOf(scenario, 100);
  ASSERT_EQ(forecast.estimates.size(), 600U);
  int approximate = 0;
  for (const Estimate& estimate : forecast.estimates) {
    ASSERT_TRUE(estimate.start) << estimate.rests_on;
    if (estimate.approximate) {
      ++approximate;
      EXPECT_GT(estimate.group, 100);
      EXPECT_GE(*estimate.start, forecast.until);
    } else {
      EXPECT_EQ(*estimate.start, expected.at(estimate.group));
    }
  }
  EXPECT_GT(approximate, 50);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, OfForecast,
    ::testing::Values(QueuePolicy::kFcfs, QueuePolicy::kEasy,
                      QueuePolicy::kConservative, QueuePolicy::kHybrid),
    [](const auto& instance) { return std::string(ToString(instance.param)); });

TEST(ForecastOfGroups, SaysWhoseEndMakesRoom) {
  Scenario scenario = OnTheseNodes({4, 4});
  AddRunning(scenario, {"node0"}, 4, 150);
  AddRunning(scenario, {"node1"}, 4, 170);
  const GroupId wide = AddWaiting(scenario, 2, 4, 10);
  const GroupId next = AddWaiting(scenario, 1, 4, 30);
  const Forecast forecast = ForecastOf(scenario);
  EXPECT_EQ(EstimateOf(forecast, wide),
            (Estimate{wide, 1'070, false, "default/g2 ends by its deadline"}));
  EXPECT_EQ(EstimateOf(forecast, next),
            (Estimate{next, 1'080, false,
                      "default/g3 starts before it and ends as planned"}));
  EXPECT_EQ(forecast.next, 1'050);
}

TEST(ForecastOfGroups, SaysWhoseEndFreesAPool) {
  Scenario scenario = OnTheseNodes({8});
  AddRunning(scenario, {"node0"}, 1, 200);
  AddWaiting(scenario, 1, 2, 50);
  for (Scenario::Request& each : scenario.requests)
    each.request.rules.Own().topology.pools = {{"matlab", 2}};
  scenario.pools = {{"matlab", 3}};
  const Estimate estimate = EstimateOf(ForecastOf(scenario), 2);
  EXPECT_EQ(estimate.start, 1'100);
  EXPECT_EQ(estimate.rests_on, "default/g1 ends by its deadline");
}

TEST(ForecastOfGroups, BehindOnesWithoutEndIsNotKnown) {
  Scenario scenario = OnTheseNodes({4, 4});
  AddRunning(scenario, {"node0"}, 4, {});
  AddRunning(scenario, {"node1"}, 4, 150);
  const GroupId wide = AddWaiting(scenario, 2, 4, 10);
  const Estimate estimate = EstimateOf(ForecastOf(scenario), wide);
  EXPECT_EQ(estimate.start, std::nullopt);
  EXPECT_THAT(estimate.rests_on,
              HasSubstr("groups without a deadline, default/g1 among them"));
}

// One pod of g1 runs without end, another waits for room.
TEST(ForecastOfGroups, OfOneBoundInPartDoesNotNameItself) {
  Scenario scenario = OnTheseNodes({4});
  const GroupId part = AddRunning(scenario, {"node0"}, 4, {});
  const GroupId rest = AddWaiting(scenario, 1, 4, {});
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  auto waits = snapshot.waiting.extract(rest);
  waits.key() = waits.mapped().id = part;
  waits.mapped().first_in_line = true;
  snapshot.waiting.insert(std::move(waits));
  const Estimate estimate =
      EstimateOf(ForecastOf(scenario, std::move(snapshot)), part);
  EXPECT_EQ(estimate.start, std::nullopt);
  EXPECT_EQ(estimate.rests_on, "nothing that is known of makes room for it");
}

TEST(ForecastOfGroups, TakesWhatTheQueueAssumesForAnEnd) {
  Scenario scenario = OnTheseNodes({4});
  scenario.queues[0].assumed_duration = 160;
  AddRunning(scenario, {"node0"}, 4, {});
  const GroupId one = AddWaiting(scenario, 1, 4, {});
  const GroupId two = AddWaiting(scenario, 1, 4, 10);
  const Forecast forecast = ForecastOf(scenario);
  EXPECT_EQ(EstimateOf(forecast, one),
            (Estimate{one, 1'060, false,
                      "default/g1 ends as its queue assumes "
                      "(assumed_duration)"}));
  EXPECT_EQ(EstimateOf(forecast, two).start, 1'220);
}

TEST(ForecastOfGroups, WhatIsLateIsTakenToBeSoForAsLongAgain) {
  Scenario scenario = OnTheseNodes({4});
  AddRunning(scenario, {"node0"}, 4, 80);  // until 980
  const GroupId next = AddWaiting(scenario, 1, 4, 10);
  const Estimate estimate = EstimateOf(ForecastOf(scenario), next);
  EXPECT_EQ(estimate.start, 1'020);
  EXPECT_THAT(estimate.rests_on, HasSubstr("past its deadline"));
}

TEST(ForecastOfGroups, SaysNothingOfThoseThatStandInNoLine) {
  Scenario scenario = OnTheseNodes({4});
  scenario.queues.push_back({.name = "asleep", .paused = true});
  const GroupId held = AddWaiting(scenario, 1, 4, 10);
  const GroupId huge = AddWaiting(scenario, 1, 5, 10);
  const GroupId sleeps = AddWaiting(scenario, 1, 4, 10);
  scenario.groups.back().queue = 1;
  const GroupId starts = AddWaiting(scenario, 1, 4, 10);
  const GroupId behind = AddWaiting(scenario, 1, 4, 10);
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  snapshot.waiting[held].held = true;
  const Forecast forecast = ForecastOf(scenario, snapshot);
  for (const GroupId group : {held, huge, sleeps})
    EXPECT_EQ(EstimateOf(forecast, group), Estimate{.group = group}) << group;
  EXPECT_EQ(EstimateOf(forecast, starts).start, 1'000);
  EXPECT_EQ(EstimateOf(forecast, behind).start, 1'010);
}

TEST(ForecastOfGroups, DeferredStartsWhenItMayAndNotAheadOfThoseInLine) {
  Scenario scenario = OnTheseNodes({4});
  const GroupId later = AddWaiting(scenario, 1, 4, 10);
  const GroupId first = AddWaiting(scenario, 1, 4, 25);
  const GroupId never = AddWaiting(scenario, 1, 4, 10);
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  snapshot.waiting[later].start_after = 1'020;
  snapshot.waiting[later].reason = "starts after 1970-01-01T00:17:00Z";
  snapshot.waiting[never].start_after = 9'000;
  std::vector<cluster::Pod> pods;
  for (const GroupId group : {later, never}) {
    cluster::Pod pod;
    pod.uid = snapshot.waiting[group].members[0].uid;
    pod.name = pod.uid;
    pod.namespace_name = "default";
    pod.request = *snapshot.waiting[group].members[0].request;
    pods.push_back(pod);
  }
  const Forecast forecast = ForecastOf(scenario, snapshot, pods);
  EXPECT_EQ(EstimateOf(forecast, first).start, 1'000);
  // The run ends once all groups in the pending order have started.
  EXPECT_EQ(EstimateOf(forecast, later).start, 1'020);
  EXPECT_TRUE(EstimateOf(forecast, later).approximate);
  EXPECT_EQ(EstimateOf(forecast, never).start, 9'000);
  AddWaiting(scenario, 1, 4, 50);
  ComponentSnapshot more = SnapshotOf(scenario);
  more.waiting[later].start_after = 1'020;
  more.waiting[never].start_after = 9'000;
  const Forecast longer = ForecastOf(scenario, more, pods);
  EXPECT_EQ(EstimateOf(longer, 4).start, 1'035);
  EXPECT_EQ(EstimateOf(longer, later).start, 1'025);
  EXPECT_FALSE(EstimateOf(longer, later).approximate);
}

TEST(ForecastOfGroups, FollowsThoseThatAreFirstInTheOrderOfTheQueue) {
  Scenario scenario = OnTheseNodes({4});
  scenario.queues[0].queue_order = QueueOrder::kShortest;
  for (const std::int64_t duration : {60, 50, 40, 30, 20, 10})
    AddWaiting(scenario, 1, 4, duration);
  const Forecast forecast = ForecastOf(scenario, 2);
  EXPECT_EQ(ExactStarts(forecast),
            (Starts{{6, 1'000}, {5, 1'010}, {4, 1'030}}));
  EXPECT_EQ(EstimateOf(forecast, 5).position, 1);
  EXPECT_EQ(EstimateOf(forecast, 4).position, 2);
  EXPECT_EQ(EstimateOf(forecast, 3).position, std::nullopt);
  // Only their order is known.
  EXPECT_TRUE(EstimateOf(forecast, 2).approximate);
  EXPECT_LT(EstimateOf(forecast, 2).start, EstimateOf(forecast, 1).start);
}

TEST(ForecastOfGroups, KeepsClearOfMaintenance) {
  Scenario scenario = OnTheseNodes({4});
  const GroupId before = AddWaiting(scenario, 1, 4, 40);
  const GroupId after = AddWaiting(scenario, 1, 4, 30);
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  snapshot.maintenance = {{1, {"node0"}, {}, 1'050, 1'200}};
  const Forecast forecast = ForecastOf(scenario, snapshot);
  EXPECT_EQ(EstimateOf(forecast, before).start, 1'000);
  EXPECT_EQ(EstimateOf(forecast, after),
            (Estimate{after, 1'200, false, "maintenance of nodes is over"}));
}

TEST(ForecastOfGroups, GroupThatIsGivenUpBeforeItsTurnIsInNobodysWay) {
  Scenario scenario = OnTheseNodes({4}, QueuePolicy::kFcfs);
  AddRunning(scenario, {"node0"}, 1, 200);
  const GroupId hasty = AddWaiting(scenario, 1, 4, 10);
  const GroupId next = AddWaiting(scenario, 1, 2, 10);
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  snapshot.waiting[hasty].start_by = 1'030;
  const Forecast forecast = ForecastOf(scenario, snapshot);
  EXPECT_EQ(EstimateOf(forecast, hasty).start, std::nullopt);
  EXPECT_THAT(EstimateOf(forecast, hasty).rests_on, HasSubstr("start-by"));
  EXPECT_EQ(EstimateOf(forecast, next).start, 1'030);
}

TEST(ForecastOfGroups, PromisedTimeIsWhatIsSaid) {
  Scenario scenario = OnTheseNodes({4});
  AddRunning(scenario, {"node0"}, 4, 150);
  const GroupId head = AddWaiting(scenario, 1, 4, 10);
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  snapshot.promised = {{head, "default", 1'060, {"node0"}, {0}}};
  EXPECT_EQ(EstimateOf(ForecastOf(scenario, snapshot), head),
            (Estimate{head, 1'060, false, "nodes are reserved for it"}));
}

TEST(ForecastOfGroups, PodsOnTheirNodesDoNotOutliveTheirGroup) {
  Scenario scenario = OnTheseNodes({4});
  AddRunning(scenario, {"node0"}, 4, 150);
  const GroupId next = AddWaiting(scenario, 1, 4, 10);
  const GroupId last = AddWaiting(scenario, 1, 4, 10);
  cluster::Pod pod;
  pod.uid = "g1.0";
  pod.name = "seen";
  pod.namespace_name = "default";
  pod.node_name = "node0";
  pod.phase = cluster::PodPhase::kRunning;
  pod.request.resources.cpu_milli = 4'000;
  const Forecast forecast = ForecastOf(scenario, 1'000, {pod});
  EXPECT_EQ(EstimateOf(forecast, next).start, 1'050);
  EXPECT_EQ(EstimateOf(forecast, last).start, 1'060);
}

// The rate of the starts seen gives the right time if all groups are alike.
TEST(ForecastOfGroups, RateOfStartsTellsWhenThoseBehindStart) {
  Scenario scenario = OnTheseNodes({4});
  for (int i = 0; i < 200; ++i) AddWaiting(scenario, 1, 4, 10);
  const Forecast forecast = ForecastOf(scenario, 100);
  EXPECT_EQ(EstimateOf(forecast, 100).start, 1'990);
  EXPECT_TRUE(EstimateOf(forecast, 200).approximate);
  EXPECT_NEAR(static_cast<double>(*EstimateOf(forecast, 200).start), 2'990, 30);
}

TEST(ForecastOfGroups, SlicesComeToTheSameAndSayWhatIsSeenSoFar) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Scenario scenario = RandomScenario(seed, QueuePolicy::kEasy);
    cluster::ClusterCache cache;
    Show(scenario.nodes, {}, cache);
    const Forecast whole = ForecastOf(scenario);
    Lookahead ahead(std::make_shared<ComponentSnapshot>(SnapshotOf(scenario)),
                    cache, scenario.begin);
    int slices = 0;
    while (!ahead.Go(std::chrono::milliseconds(0))) {
      ++slices;
      const Forecast so_far = ahead.Say();
      for (const auto& [group, start] : ExactStarts(so_far))
        EXPECT_EQ(EstimateOf(whole, group).start, start) << seed;
      for (const Estimate& estimate : so_far.estimates) {
        if (!estimate.approximate) continue;
        EXPECT_GE(*estimate.start, so_far.until) << seed;
      }
    }
    EXPECT_GT(slices, 3) << seed;
    EXPECT_EQ(ahead.Say().estimates, whole.estimates) << seed;
  }
}

TEST(ForecastOfGroups, ThoseThatArePromisedATimeNeedNoRun) {
  Scenario scenario = OnTheseNodes({4}, QueuePolicy::kConservative);
  AddRunning(scenario, {"node0"}, 4, 150);
  const GroupId one = AddWaiting(scenario, 1, 4, 10);
  const GroupId two = AddWaiting(scenario, 1, 4, 10);
  const GroupId behind = AddWaiting(scenario, 1, 4, 10);
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  snapshot.promised = {{one, "default", 1'050, {"node0"}, {0}},
                       {two, "default", 1'060, {"node0"}, {0}}};
  const Forecast forecast = ForecastOf(scenario, snapshot, {}, 2);
  EXPECT_EQ(forecast.cycles, 0);
  EXPECT_EQ(EstimateOf(forecast, two).start, 1'060);
  EXPECT_TRUE(EstimateOf(forecast, behind).approximate);
  EXPECT_GE(EstimateOf(forecast, behind).start, 1'060);
}

TEST(Forecast, WhoIsEvictedEndsAfterItsGrace) {
  Scenario scenario = OnTheseNodes({4, 4});
  scenario.queues[0].preemption = Preemption::kLowerPriority;
  AddRunning(scenario, {"node0"}, 4, std::nullopt);
  AddRunning(scenario, {"node1"}, 4, 200);  // until 1,100
  const GroupId urgent = AddWaiting(scenario, 1, 4, 500);
  const GroupId behind = AddWaiting(scenario, 1, 4, 10);
  scenario.groups[urgent - 1].priority = 10;
  const Forecast forecast = ForecastOf(scenario);
  const Estimate estimate = EstimateOf(forecast, urgent);
  EXPECT_EQ(estimate.start, 1'030);
  EXPECT_FALSE(estimate.approximate);
  EXPECT_THAT(estimate.rests_on, HasSubstr("is evicted"));
  // A victim that was to end later does not end twice.
  EXPECT_EQ(EstimateOf(forecast, behind).start,
            estimate.rests_on.find("g1") != std::string::npos ? 1'100 : 1'530);
}

// A node of two NUMA domains with 4 cpus each. Its kubelet says that these many
// are left, and places pods by domains.
Scenario OnDomains(std::int64_t left_of_first, std::int64_t left_of_second) {
  Scenario scenario = OnTheseNodes({8});
  cluster::Node& node = scenario.nodes[0];
  node.structure.Own() = "numa: 2, cores: 8";
  node.topology_policy = cluster::TopologyPolicy::kSingleNumaNode;
  std::vector<cluster::NumaZone> zones(2);
  zones[1].number = 1;
  for (cluster::NumaZone& zone : zones) zone.allocatable.cpu_milli = 4'000;
  zones[0].available.cpu_milli = 1'000 * left_of_first;
  zones[1].available.cpu_milli = 1'000 * left_of_second;
  node.zones = zones;
  return scenario;
}

// Of groups of one pod; those that run have these parts, and were admitted.
Forecast ForecastOn(Scenario scenario, const std::vector<std::string>& parts) {
  for (Scenario::Request& each : scenario.requests)
    each.request.guaranteed = true;
  ComponentSnapshot snapshot = SnapshotOf(scenario);
  std::vector<cluster::Pod> pods;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PlacedMember& member =
        snapshot.holders.at(static_cast<GroupId>(i) + 1).held.members[0];
    member.parts = parts[i];
    cluster::Pod& pod = pods.emplace_back();
    pod.namespace_name = "default";
    pod.name = pod.uid = member.uid;
    pod.node_name = member.node;
    pod.phase = cluster::PodPhase::kRunning;
    pod.request = scenario.requests[i].request;
  }
  return ForecastOf(scenario, std::move(snapshot), pods);
}

TEST(Forecast, BeginsWithWhatKubeletsHaveGivenAway) {
  // The pod was planned in the first domain, and is in the second.
  Scenario scenario = OnDomains(4, 1);
  AddRunning(scenario, {"node0"}, 3, 200);
  AddWaiting(scenario, 1, 4, 50);
  EXPECT_EQ(ExactStarts(ForecastOn(scenario, {"socket0/numa0/core[0-2]"})),
            (Starts{{2, 1'100}}));
  // Others have 3 cpus of the first domain, and keep them.
  scenario = OnDomains(1, 4);
  AddWaiting(scenario, 1, 4, 50);
  AddWaiting(scenario, 1, 4, 50);
  EXPECT_EQ(ExactStarts(ForecastOn(scenario, {})),
            (Starts{{1, 1'000}, {2, 1'050}}));
}

// The last one would have to wait until the kubelet has admitted the two before
// it, which takes less than a second.
TEST(Forecast, TakesPodsThatItPlacesToBeAdmittedAtOnce) {
  Scenario scenario = OnDomains(0, 0);
  AddRunning(scenario, {"node0"}, 3, 200);
  AddRunning(scenario, {"node0"}, 4, 200);
  for (const std::int64_t cpus : {3, 3, 1}) AddWaiting(scenario, 1, cpus, 50);
  EXPECT_EQ(ExactStarts(ForecastOn(scenario, {"socket0/numa0/core[0-2]",
                                              "socket0/numa1/core[4-7]"})),
            (Starts{{3, 1'100}, {4, 1'100}, {5, 1'100}}));
}

}  // namespace
}  // namespace fluxnetes::workers
