// Gangs whose tasks take something inside of their nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/inside/node_interior.h"
#include "matcher/inside/parts_text.h"
#include "matcher/inside/short_structure.h"
#include "matcher/nodes/room_log.h"
#include "matcher/nodes/shortfall.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {
namespace {

constexpr Policy kInsidePolicy = Policy::kLonode;

InsideRequest AlignedTo(Align align, std::int64_t cpus, std::int64_t gpus,
                        bool required = true) {
  InsideWish wish;
  wish.align = align;
  wish.align_required = required;
  wish.cpus = cpus;
  wish.gpus = gpus;
  return RequestOf(wish);
}

// A graph of nodes with 16 cpus and 8 gpus on 2 sockets.
class InsideCluster {
 public:
  explicit InsideCluster(int nodes) {
    for (int i = 0; i < nodes; ++i) {
      const NodeIndex node = graph.AddNode("node" + std::to_string(i), i,
                                           std::vector<std::int64_t>{16, 8});
      graph.SetInside(
          node, ReadShortStructure(
                    "sockets: 2, numa: 4, islands: 2, cores: 16, gpus: 8"));
    }
  }

  TaskGroup Group(int count, std::int64_t cpus, std::int64_t gpus, Align align,
                  bool required = true) {
    TaskGroup group;
    group.amounts = {cpus, gpus};
    group.count = count;
    group.inside = graph.TakeInside(AlignedTo(align, cpus, gpus, required));
    return group;
  }

  std::optional<Placement> Place(JobId job, const Gang& gang, Time now = 0) {
    return graph.TryAllocate(job, gang, kInsidePolicy, now);
  }

  NodeGraph graph{{"cpu", "gpu"}};
};

TEST(GangInside, ATaskGoesWhereItsPlaceIsNotOnlyItsAmounts) {
  InsideCluster cluster(2);
  // node0 has 6 gpus free, but only 3 on each island.
  const TaskGroup one = cluster.Group(1, 1, 1, Align::kIsland);
  ASSERT_TRUE(cluster.Place(1, {{one}}));
  const std::vector<std::vector<std::int64_t>> amounts = {{1, 1}};
  const std::vector<NodeIndex> first = {0};
  const std::vector<std::string> parts = {"gpu4"};
  cluster.graph.Restore(2, 0, kForever, first, amounts, {}, {}, parts);

  const Gang gang = {{cluster.Group(2, 2, 4, Align::kIsland)}};
  const auto placed = cluster.Place(3, gang);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->nodes, (std::vector<NodeIndex>{1, 1}));
  EXPECT_EQ(placed->parts,
            (std::vector<std::string>{
                "socket0/island0/numa0/core[0-1] socket0/island0/numa0/gpu[0-1]"
                " socket0/island0/numa1/gpu[2-3]",
                "socket1/island1/numa2/core[8-9] socket1/island1/numa2/gpu[4-5]"
                " socket1/island1/numa3/gpu[6-7]"}));
  EXPECT_FALSE(cluster.Place(4, gang));
  EXPECT_TRUE(cluster.graph.Satisfiable(gang));

  const Explanation why = cluster.graph.Explain(gang, kInsidePolicy, 0);
  ASSERT_EQ(why.groups[0].exclusions.size(), 2U);
  EXPECT_EQ(why.groups[0].exclusions[1].obstacle, Obstacle::kInside);
  EXPECT_EQ(why.groups[0].exclusions[1].alone, 1);

  EXPECT_TRUE(cluster.graph.Release(3, 1));
  const Gang single = {{cluster.Group(1, 2, 4, Align::kIsland)}};
  EXPECT_TRUE(cluster.Place(5, single));
  EXPECT_TRUE(cluster.graph.Cancel(3));
  EXPECT_TRUE(cluster.graph.Cancel(5));
  EXPECT_TRUE(cluster.Place(6, gang));
}

TEST(GangInside, IsNeverFitIfTheStructureHasNoSuchPlace) {
  InsideCluster cluster(3);
  const Gang gang = {{cluster.Group(1, 1, 5, Align::kIsland)}};
  const MatchResult result = cluster.graph.Allocate(1, gang, kInsidePolicy, 0);
  EXPECT_EQ(std::get<NoFit>(result), NoFit::kNever);
  cluster.graph.UnsetInside(1);
  const Explanation why = cluster.graph.Explain(gang, kInsidePolicy, 0);
  ASSERT_EQ(why.groups[0].exclusions.size(), 2U);
  EXPECT_EQ(why.groups[0].exclusions[0].obstacle, Obstacle::kUnknownInside);
  EXPECT_EQ(why.groups[0].exclusions[0].first, 1);
  EXPECT_EQ(why.groups[0].exclusions[1].obstacle, Obstacle::kInside);
  EXPECT_EQ(why.groups[0].exclusions[1].first, 2);
  const Gang preferred = {{cluster.Group(1, 1, 5, Align::kIsland, false)}};
  EXPECT_TRUE(cluster.graph.Satisfiable(preferred));
}

TEST(GangInside, GroupsShareANodeInTheOrderOfThePlan) {
  InsideCluster cluster(1);
  // In the given order the first group would break both islands up.
  const Gang gang = {{cluster.Group(4, 1, 1, Align::kIsland),
                      cluster.Group(1, 1, 4, Align::kIsland)}};
  const auto placed = cluster.Place(1, gang);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->parts.size(), 5U);
  for (int task = 0; task < 5; ++task) {
    EXPECT_EQ(cluster.graph.interior().PartsOf(1, task), placed->parts[task]);
  }
}

TEST(GangInside, ReservesWhenThePlaceIsFree) {
  InsideCluster cluster(1);
  Gang half = {{cluster.Group(1, 1, 3, Align::kIsland)}};
  half.duration = 50;
  ASSERT_TRUE(cluster.Place(1, half));
  half.duration = 90;
  ASSERT_TRUE(cluster.Place(2, half));
  // Two gpus are free now, one on each island.
  Gang pair = {{cluster.Group(1, 1, 2, Align::kIsland)}};
  pair.duration = 10;
  const auto reserved = std::get<Placement>(
      cluster.graph.AllocateOrReserve(3, pair, kInsidePolicy, 0));
  EXPECT_EQ(reserved.start, 50);
  EXPECT_FALSE(reserved.parts[0].empty());

  // It does not stand in its own way when it moves earlier.
  Gang whole = {{cluster.Group(1, 1, 4, Align::kIsland)}};
  whole.duration = 100;
  const auto later = std::get<Placement>(
      cluster.graph.AllocateOrReserve(4, whole, kInsidePolicy, 0));
  EXPECT_EQ(later.start, 60);
  cluster.graph.Cancel(3);
  Shortfall shortfall;
  const auto earlier =
      cluster.graph.MoveEarlier(4, whole, later, kInsidePolicy, 0, shortfall);
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->start, 50);
  EXPECT_EQ(cluster.graph.interior().PartsOf(4, 0), earlier->parts[0]);
}

TEST(GangInside, RoomIsOnlyWhereThePartsAreFreeToo) {
  InsideCluster cluster(1);
  Gang gang = {{cluster.Group(1, 2, 0, Align::kNuma)}};
  gang.duration = 50;
  const auto placed = cluster.Place(1, gang);
  ASSERT_TRUE(placed);
  const std::vector<std::vector<std::int64_t>> amounts = {{2, 0}};
  const std::vector<std::string> other = {"socket0/numa0/core[2-3]"};
  const std::vector<std::string> unknown = {"socket0/numa0/core99"};
  const auto room = [&](Time start, std::span<const std::string> parts) {
    return cluster.graph.HasRoom(start, start + 10, placed->nodes, amounts, 0,
                                 {}, parts);
  };
  EXPECT_FALSE(room(0, placed->parts));
  EXPECT_FALSE(room(49, placed->parts));
  EXPECT_TRUE(room(50, placed->parts));
  EXPECT_TRUE(room(0, other));
  EXPECT_TRUE(room(0, {}));
  EXPECT_FALSE(room(0, unknown));
}

TEST(GangInside, TasksOfTheRemovedNodeKeepTheirParts) {
  InsideCluster cluster(1);
  const Gang gang = {{cluster.Group(1, 2, 0, Align::kNuma)}};
  const auto placed = cluster.Place(1, gang);
  cluster.graph.RemoveNode(0);
  EXPECT_EQ(cluster.graph.interior().PartsOf(1, 0), placed->parts[0]);
  EXPECT_FALSE(cluster.Place(2, gang));
}

TEST(GangInside, RefusesInsidesThatWereNotTaken) {
  InsideCluster cluster(1);
  Gang gang = {{cluster.Group(1, 1, 0, Align::kNuma)}};
  cluster.graph.GiveInside(gang.groups[0].inside);
  EXPECT_THROW(cluster.Place(1, gang), std::invalid_argument);
  const std::vector<NodeIndex> nodes = {0};
  const std::vector<std::vector<std::int64_t>> amounts = {{1, 0}};
  const std::vector<std::string> parts = {"core0//"};
  EXPECT_THROW(cluster.graph.Restore(1, 0, 9, nodes, amounts, {}, {}, parts),
               PartsError);
  EXPECT_EQ(cluster.graph.Describe().find("inside"), std::string::npos);
}

// Random gangs on a few nodes, now and reserved. The graph asserts that what is
// planned can be booked.
class InsideGangs {
 public:
  explicit InsideGangs(unsigned seed) : random_(seed), cluster_(3) {}

  void Step() {
    now_ += random_.Below(10);
    const int what = random_.Below(10);
    if (what < 6) {
      Ask();
    } else if (!held_.empty()) {
      auto at = held_.begin();
      std::advance(at, random_.Below(static_cast<int>(held_.size())));
      if (what < 8) {
        EXPECT_TRUE(cluster_.graph.Cancel(at->first));
        held_.erase(at);
      } else {
        End(at->first, random_.Below(3));
      }
    }
    CompareRebuilt();
  }

  int placed() const { return placed_; }

 private:
  struct Task {
    NodeIndex node;
    std::vector<std::int64_t> amounts;
    std::string parts;
    Time start;
    Time end;
  };

  void Ask() {
    Gang gang;
    gang.duration = random_.Between(1, 60);
    for (int g = random_.Between(1, 3); g > 0; --g) {
      const auto align = static_cast<Align>(random_.Below(4));
      TaskGroup group =
          cluster_.Group(random_.Between(1, 5), random_.Between(1, 5),
                         random_.Below(4), align, !random_.OneIn(4));
      // Some tasks do without an inside, but then they take no part in it.
      if (random_.OneIn(6)) {
        cluster_.graph.GiveInside(group.inside);
        group.inside = kNoShape;
      }
      gang.groups.push_back(group);
    }
    const JobId job = next_++;
    const Policy policy = random_.OneIn(2) ? Policy::kLonode : Policy::kLow;
    const MatchResult result =
        random_.OneIn(2)
            ? cluster_.graph.Allocate(job, gang, policy, now_)
            : cluster_.graph.AllocateOrReserve(job, gang, policy, now_);
    if (const auto* placement = std::get_if<Placement>(&result)) {
      ++placed_;
      Note(job, gang, *placement);
    }
    for (const TaskGroup& group : gang.groups) {
      if (group.inside != kNoShape) cluster_.graph.GiveInside(group.inside);
    }
  }

  void Note(JobId job, const Gang& gang, const Placement& placement) {
    int task = 0;
    for (const TaskGroup& group : gang.groups) {
      for (int i = 0; i < group.count; ++i, ++task) {
        const std::string parts =
            placement.parts.empty() ? "" : placement.parts[task];
        EXPECT_EQ(parts.empty(), group.inside == kNoShape);
        held_[job][task] = {placement.nodes[task], group.amounts, parts,
                            placement.start, placement.start + gang.duration};
      }
    }
    ExpectNothingIsHeldTwice();
  }

  void End(JobId job, int task) {
    auto& tasks = held_.at(job);
    EXPECT_EQ(cluster_.graph.Release(job, task), tasks.erase(task) > 0);
    if (tasks.empty()) held_.erase(job);
  }

  void ExpectNothingIsHeldTwice() {
    struct Use {
      Time start;
      Time end;
    };
    const ResourceGraph graph = ReadShortStructure(
        "sockets: 2, numa: 4, islands: 2, cores: 16, gpus: 8");
    const NodeStructure structure(graph, 0);
    std::map<std::pair<NodeIndex, VertexIndex>, std::vector<Use>> uses;
    for (const auto& [job, tasks] : held_) {
      for (const auto& [number, task] : tasks) {
        for (const VertexIndex v : ReadParts(task.parts, &structure).vertices) {
          for (const Use& other : uses[{task.node, v}]) {
            EXPECT_TRUE(other.end <= task.start || task.end <= other.start)
                << structure.Path(v);
          }
          uses[{task.node, v}].push_back({task.start, task.end});
        }
      }
    }
  }

  void CompareRebuilt() {
    InsideCluster other(3);
    for (const auto& [job, tasks] : held_) {
      for (const auto& [number, task] : tasks) {
        const std::vector<NodeIndex> nodes = {task.node};
        const std::vector<std::vector<std::int64_t>> amounts = {task.amounts};
        const std::vector<std::string> parts = {task.parts};
        other.graph.Restore(job, task.start, task.end, nodes, amounts, {}, {},
                            parts);
      }
    }
    EXPECT_EQ(other.graph.Describe(), cluster_.graph.Describe());
  }

  Random random_;
  InsideCluster cluster_;
  Time now_ = 0;
  JobId next_ = 1;
  std::map<JobId, std::map<int, Task>> held_;
  int placed_ = 0;
};

TEST(GangInside, RandomGangsGetWhatIsPlannedForThem) {
  int placed = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    InsideGangs gangs(seed);
    for (int step = 0; step < 60; ++step) {
      gangs.Step();
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
    placed += gangs.placed();
  }
  EXPECT_GT(placed, 500);
}

}  // namespace
}  // namespace fluxnetes::matcher
