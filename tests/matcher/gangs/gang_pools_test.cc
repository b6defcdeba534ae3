// Pools of the whole cluster, of which gangs take amounts.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/nodes/room_log.h"
#include "matcher/nodes/shortfall.h"
#include "tests/matcher/random/node_picture.h"

namespace fluxnetes::matcher {
namespace {

Gang Needing(const char* tasks, std::vector<PoolNeed> pools) {
  Gang gang = Tasks(tasks);
  gang.pools = std::move(pools);
  return gang;
}

std::string PlaceIn(NodeGraph& graph, JobId job, const Gang& gang, Time now) {
  return Show(graph, graph.Allocate(job, gang, Policy::kLonode, now), now);
}

std::string ReserveIn(NodeGraph& graph, JobId job, const Gang& gang, Time now) {
  return Show(graph, graph.AllocateOrReserve(job, gang, Policy::kLonode, now),
              now);
}

TEST(GangPools, GangTakesOfAPoolOnceHoweverManyTasksItHas) {
  NodeGraph graph = Nodes("node0 cpu=16");
  const NodeIndex pool = graph.AddPool("pool/licences", 10);
  EXPECT_EQ(PlaceIn(graph, 1, Needing("3x cpu=1", {{pool, 6}}), 0),
            "node0 node0 node0");
  EXPECT_EQ(PlaceIn(graph, 2, Needing("1x cpu=1", {{pool, 5}}), 0), "not now");
  EXPECT_EQ(PlaceIn(graph, 2, Needing("1x cpu=1", {{pool, 4}}), 0), "node0");
  EXPECT_EQ(PlaceIn(graph, 3, Tasks("1x cpu=1"), 0), "node0");
  EXPECT_EQ(PlaceIn(graph, 4, Needing("1x cpu=1", {{pool, 11}}), 0), "never");
}

TEST(GangPools, AreHeldUntilTheLastTaskIsReleased) {
  NodeGraph graph = Nodes("node0 cpu=16");
  const NodeIndex pool = graph.AddPool("pool/licences", 1);
  const Gang one = Needing("1x cpu=1", {{pool, 1}});
  PlaceIn(graph, 1, Needing("2x cpu=1", {{pool, 1}}), 0);
  EXPECT_TRUE(graph.Release(1, 0));
  EXPECT_EQ(PlaceIn(graph, 2, one, 0), "not now");
  // More tasks of the job, as a replacement is placed, take no more of it.
  EXPECT_EQ(PlaceIn(graph, 1, Tasks("1x cpu=1"), 0), "node0");
  EXPECT_TRUE(graph.Release(1, 1));
  EXPECT_EQ(PlaceIn(graph, 2, one, 0), "not now");
  EXPECT_TRUE(graph.Release(1, 2));
  EXPECT_EQ(PlaceIn(graph, 2, one, 0), "node0");
  EXPECT_TRUE(graph.Cancel(2));
  EXPECT_EQ(graph.Free(pool, 0).at(graph.ResourceOfPool(pool)), 1);
}

TEST(GangPools, AreReservedOverTimeAndBackfilledAround) {
  NodeGraph graph = Nodes("node0 cpu=16");
  const NodeIndex pool = graph.AddPool("pool/licences", 3);
  PlaceIn(graph, 1, Needing("1x cpu=1 for 10", {{pool, 2}}), 0);
  EXPECT_EQ(ReserveIn(graph, 2, Needing("1x cpu=1 for 10", {{pool, 3}}), 0),
            "at 10: node0");
  // One is free until then.
  EXPECT_EQ(PlaceIn(graph, 3, Needing("1x cpu=1 for 11", {{pool, 1}}), 0),
            "not now");
  EXPECT_EQ(PlaceIn(graph, 3, Needing("1x cpu=1 for 10", {{pool, 1}}), 0),
            "node0");
  EXPECT_EQ(ReserveIn(graph, 4, Needing("1x cpu=1 for 5", {{pool, 1}}), 0),
            "at 20: node0");
  EXPECT_EQ(PlaceIn(graph, 5, Tasks("1x cpu=1 for 99"), 0), "node0");
}

TEST(GangPools, SeveralAreTakenTogetherOrNotAtAll) {
  NodeGraph graph = Nodes("node0 cpu=4");
  const NodeIndex a = graph.AddPool("pool/a", 2);
  const NodeIndex b = graph.AddPool("pool/b", 2);
  PlaceIn(graph, 1, Needing("1x cpu=1 for 10", {{a, 1}, {b, 2}}), 0);
  EXPECT_EQ(ReserveIn(graph, 2, Needing("1x cpu=1 for 5", {{a, 1}, {b, 1}}), 0),
            "at 10: node0");
  EXPECT_EQ(PlaceIn(graph, 3, Needing("1x cpu=1 for 10", {{a, 1}}), 0),
            "node0");
}

TEST(GangPools, AreNoMatterOfTopologyAndWholeNodes) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4)");
  graph.SetLabels(*graph.Find("node0"), {{"rack", "a"}});
  graph.SetLabels(*graph.Find("node1"), {{"rack", "b"}});
  const NodeIndex pool = graph.AddPool("pool/licences", 9);
  Gang together = Needing("2x cpu=2", {{pool, 1}});
  together.together = {"rack"};
  together.together_required = true;
  EXPECT_EQ(PlaceIn(graph, 1, together, 0), "node0 node0");
  Gang whole = Needing("1x cpu=1", {{pool, 1}});
  whole.whole_nodes = true;
  EXPECT_EQ(PlaceIn(graph, 2, whole, 0), "node1");
  EXPECT_EQ(PlaceIn(graph, 3, whole, 0), "not now");
  graph.Cancel(1);
  EXPECT_EQ(PlaceIn(graph, 3, whole, 0), "node0");
  graph.Cancel(3);
  Gang per_node = Needing("2x cpu=1", {{pool, 1}});
  per_node.per_node = {2, false};
  EXPECT_EQ(PlaceIn(graph, 4, per_node, 0), "node0 node0");
  graph.Cancel(4);
  Gang levels = Needing("2x cpu=1", {{pool, 1}});
  levels.levels = {{"rack", 2}};
  levels.required = 1;
  EXPECT_EQ(PlaceIn(graph, 5, levels, 0), "node0 node0");
  EXPECT_EQ(graph.Free(pool, 0).at(graph.ResourceOfPool(pool)), 7);
}

TEST(GangPools, TakeNoTask) {
  NodeGraph graph = Nodes("node0 cpu=4");
  graph.AddPool("pool/licences", 9);
  EXPECT_EQ(PlaceIn(graph, 1, Tasks("3x"), 0), "node0 node0 node0");
  graph.RemoveNode(*graph.Find("node0"));
  EXPECT_EQ(PlaceIn(graph, 2, Tasks("1x"), 0), "never");
  const Explanation explanation =
      graph.Explain(Tasks("1x"), Policy::kLonode, 0);
  EXPECT_TRUE(explanation.groups.at(0).exclusions.empty());
}

TEST(GangPools, LessThanIsHeldKeepsTheHoldersAndStartsNothing) {
  NodeGraph graph = Nodes("node0 cpu=4");
  const NodeIndex pool = graph.AddPool("pool/licences", 4);
  PlaceIn(graph, 1, Needing("1x cpu=1 for 10", {{pool, 3}}), 0);
  graph.SetPool(pool, 2);
  EXPECT_EQ(graph.Free(pool, 0).at(graph.ResourceOfPool(pool)), -1);
  EXPECT_EQ(ReserveIn(graph, 2, Needing("1x cpu=1", {{pool, 1}}), 0),
            "at 10: node0");
  EXPECT_FALSE(graph.Satisfiable(Needing("1x cpu=1", {{pool, 3}})));
  graph.SetPool(pool, 3);
  EXPECT_TRUE(graph.Satisfiable(Needing("1x cpu=1", {{pool, 3}})));
}

TEST(GangPools, WhatAnotherGangKeepsIsNotTaken) {
  NodeGraph graph = Nodes("node0 cpu=4");
  const NodeIndex pool = graph.AddPool("pool/licences", 4);
  EXPECT_EQ(ReserveIn(graph, 1, Needing("1x cpu=1", {{pool, 1, true}}), 0),
            "never");
  EXPECT_TRUE(graph.HasRoom(0, 9, {}, {}, 0, {}, {}, {{{pool, 4}}}));
  EXPECT_FALSE(graph.HasRoom(0, 9, {}, {}, 0, {}, {}, {{{pool, 5}}}));
  EXPECT_FALSE(graph.HasRoom(0, 9, {}, {}, 0, {}, {}, {{{pool, 1, true}}}));
}

TEST(GangPools, ReservationMovesEarlierWhenThePoolComesFree) {
  NodeGraph graph = Nodes("node0 cpu=4");
  const NodeIndex pool = graph.AddPool("pool/licences", 1);
  const Gang gang = Needing("1x cpu=1 for 5", {{pool, 1}});
  PlaceIn(graph, 1, Needing("1x cpu=1 for 10", {{pool, 1}}), 0);
  PlaceIn(graph, 2, Tasks("1x cpu=4 for 3"), 20);
  Shortfall shortfall;
  const auto match = graph.AllocateOrReserve(3, gang, Policy::kLonode, 0,
                                             kForever, &shortfall);
  const auto& own = std::get<Placement>(match);
  EXPECT_EQ(own.start, 10);
  RoomLog log;
  EXPECT_FALSE(graph.MayStartEarlier(gang, own, log, log.end(), 0, shortfall));
  graph.Cancel(1);
  log.Add({{pool}, 0, 10});
  EXPECT_TRUE(graph.MayStartEarlier(gang, own, log, 0, 0, shortfall));
  const auto moved =
      graph.MoveEarlier(3, gang, own, Policy::kLonode, 0, shortfall);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->start, 0);
}

TEST(GangPools, JobWithoutTasksHoldsItsPoolsUntilItIsCancelled) {
  NodeGraph graph = Nodes("node0 cpu=4");
  const NodeIndex pool = graph.AddPool("pool/licences", 4);
  const std::vector<PoolNeed> held = {{pool, 4}};
  graph.Restore(7, 0, 30, {}, {}, {}, {}, {}, held);
  EXPECT_EQ(ReserveIn(graph, 2, Needing("1x cpu=1", {{pool, 1}}), 0),
            "at 30: node0");
  graph.Cancel(2);
  EXPECT_TRUE(graph.Cancel(7));
  EXPECT_EQ(PlaceIn(graph, 2, Needing("1x cpu=1", {{pool, 1}}), 0), "node0");
}

TEST(GangPools, MisuseIsRefused) {
  NodeGraph graph = Nodes("node0 cpu=4");
  const NodeIndex pool = graph.AddPool("pool/licences", 4);
  const NodeIndex node = *graph.Find("node0");
  EXPECT_THROW(graph.Satisfiable(Needing("1x cpu=1", {{node, 1}})),
               std::invalid_argument);
  EXPECT_THROW(graph.Satisfiable(Needing("1x cpu=1", {{pool, 0}})),
               std::invalid_argument);
  EXPECT_THROW(graph.AddPool("pool/licences", 4), std::invalid_argument);
}

// A second implementation, as plain as can be: what each job holds, and a look
// at every moment.
class PlainPools {
 public:
  struct Use {
    JobId job;
    Time start, end;
    int column;  // nodes, then pools
    std::int64_t amount;
  };

  explicit PlainPools(std::vector<std::int64_t> totals)
      : totals_(std::move(totals)) {}

  std::int64_t LeastFree(int column, Time from, Time to, Time now) const {
    std::int64_t least = totals_[column] - Held(column, from, now);
    for (const Use& use : uses_)
      if (use.start > from && use.start < to)
        least = std::min(least, totals_[column] - Held(column, use.start, now));
    return least;
  }

  // Whether so many tasks of a cpu each fit, with the pools.
  bool Fits(int nodes, const Gang& gang, const std::vector<std::int64_t>& pools,
            Time at, Time now) const {
    const Time to = EndOf(at, gang.duration);
    std::int64_t places = 0;
    for (int n = 0; n < nodes; ++n)
      places += std::max<std::int64_t>(0, LeastFree(n, at, to, now)) /
                gang.groups[0].amounts[0];
    for (std::size_t p = 0; p < pools.size(); ++p) {
      const int column = nodes + static_cast<int>(p);
      if (pools[p] > 0 && LeastFree(column, at, to, now) < pools[p])
        return false;
    }
    return places >= gang.groups[0].count;
  }

  std::vector<Time> Moments(Time now) const {
    std::vector<Time> moments = {now};
    for (const Use& use : uses_) moments.push_back(std::max(use.end, now + 1));
    std::ranges::sort(moments);
    return moments;
  }

  void Add(const Use& use) { uses_.push_back(use); }
  void Drop(JobId job) {
    std::erase_if(uses_, [&](const Use& use) { return use.job == job; });
  }
  void SetTotal(int column, std::int64_t total) { totals_[column] = total; }
  std::int64_t Held(int column, Time at, Time now) const {
    std::int64_t sum = 0;
    for (const Use& use : uses_) {
      const Time end = use.start <= now ? std::max(use.end, now + 1) : use.end;
      if (use.column == column && use.start <= at && at < end)
        sum += use.amount;
    }
    return sum;
  }

 private:
  std::vector<std::int64_t> totals_;
  std::vector<Use> uses_;
};

std::optional<Time> FirstStart(const PlainPools& twin, const Gang& gang,
                               const std::vector<std::int64_t>& needs,
                               Time now) {
  for (const Time at : twin.Moments(now)) {
    if (at >= now && twin.Fits(3, gang, needs, at, now)) return at;
  }
  return std::nullopt;
}

TEST(GangPools, StartsAreThoseOfThePlainTwin) {
  for (int seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(random);
    };
    NodeGraph graph = Nodes(R"(
        node0 cpu=4
        node1 cpu=3
        node2 cpu=5)");
    const std::vector<NodeIndex> pools = {graph.AddPool("pool/a", 6),
                                          graph.AddPool("pool/b", 3)};
    PlainPools twin({4, 3, 5, 6, 3});
    std::vector<JobId> jobs;
    Time now = 0;
    for (JobId job = 1; job <= 120; ++job) {
      now += pick(0, 2);
      if (!jobs.empty() && pick(0, 2) == 0) {
        const auto one = jobs.begin() + pick(0, std::ssize(jobs) - 1);
        EXPECT_TRUE(graph.Cancel(*one));
        twin.Drop(*one);
        jobs.erase(one);
      }
      if (pick(0, 19) == 0) {
        const int p = pick(0, 1);
        const int total = pick(1, 7);
        graph.SetPool(pools[p], total);
        twin.SetTotal(3 + p, total);
      }
      Gang gang;
      gang.groups.push_back({{pick(1, 2)}, nullptr, pick(1, 5)});
      gang.duration = pick(1, 20);
      gang.whole_nodes = false;
      std::vector<std::int64_t> needs = {pick(0, 4), pick(0, 2)};
      for (int p = 0; p < 2; ++p)
        if (needs[p] > 0) gang.pools.push_back({pools[p], needs[p]});
      const std::optional<Time> expected = FirstStart(twin, gang, needs, now);
      const auto match =
          graph.AllocateOrReserve(job, gang, Policy::kLonode, now);
      const auto* placement = std::get_if<Placement>(&match);
      ASSERT_EQ(placement != nullptr, expected.has_value()) << job;
      if (placement == nullptr) continue;
      ASSERT_EQ(placement->start, *expected) << job;
      ASSERT_EQ(std::ssize(placement->nodes), gang.groups[0].count);
      const Time end = EndOf(placement->start, gang.duration);
      for (const NodeIndex node : placement->nodes)
        twin.Add({job, placement->start, end, node, gang.groups[0].amounts[0]});
      for (int p = 0; p < 2; ++p)
        if (needs[p] > 0)
          twin.Add({job, placement->start, end, 3 + p, needs[p]});
      jobs.push_back(job);
      for (int p = 0; p < 2; ++p)
        ASSERT_EQ(graph.Free(pools[p], now).at(graph.ResourceOfPool(pools[p])),
                  twin.LeastFree(3 + p, now, now, now));
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
