// Gangs with levels of the topology, and with a number of tasks on each node.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"
#include "tests/matcher/random/node_picture.h"

namespace fluxnetes::matcher {
namespace {

// "a0 a0 a0 b1": the nodes of a block and a rack each, each with that cpu.
NodeGraph Racks(const std::string& places, std::int64_t cpu = 4) {
  NodeGraph graph({"cpu"});
  for (std::size_t at = 0, number = 0; at < places.size(); at += 3, ++number) {
    const std::vector<std::int64_t> totals = {cpu};
    const NodeIndex node =
        graph.AddNode("n" + std::to_string(number),
                      static_cast<std::int64_t>(number), totals);
    const std::string block = places.substr(at, 1);
    graph.SetLabels(
        node, {{"block", block}, {"rack", block + places.substr(at + 1, 1)}});
  }
  return graph;
}

Gang Pods(int count, std::vector<TopologyLevel> levels,
          TasksPerNode per_node = {}) {
  Gang gang{{{{1}, nullptr, count}}};
  gang.required = static_cast<int>(levels.size());
  gang.levels = std::move(levels);
  gang.per_node = per_node;
  return gang;
}

std::string Put(NodeGraph& graph, JobId job, const Gang& gang) {
  return Show(graph, graph.Allocate(job, gang, Policy::kLonode, 0));
}

void Fill(NodeGraph& graph, NodeIndex node, std::int64_t cpu) {
  const std::vector<std::int64_t> amounts = {cpu};
  graph.SetUnmanaged(node, amounts);
}

TEST(Levels, SoManyTasksGoToARack) {
  NodeGraph graph = Racks("a0 a0 a1 a1 b2 b2");
  Fill(graph, 0, 1);  // rack a0 has room for seven
  EXPECT_EQ(Put(graph, 1, Pods(8, {{"rack", 4}})), "n2 n2 n2 n2 n3 n3 n3 n3");
  EXPECT_EQ(Put(graph, 2, Pods(8, {{"rack", 4}})), "n4 n4 n4 n4 n5 n5 n5 n5");
  EXPECT_EQ(Put(graph, 3, Pods(8, {{"rack", 4}})), "not now");
  EXPECT_EQ(Put(graph, 3, Pods(4, {{"rack", 4}})), "n0 n0 n0 n1");
}

TEST(Levels, FewestRacksAreUsedAndTheLastIsTheTightest) {
  NodeGraph graph = Racks("a0 a1 a1 a2 a2 a2 b3 b3");
  EXPECT_EQ(Put(graph, 1, Pods(16, {{"rack", 4}})),
            "n0 n0 n0 n0 n3 n3 n3 n3 n4 n4 n4 n4 n5 n5 n5 n5");
}

TEST(Levels, AreNested) {
  NodeGraph graph = Racks("a0 a1 a2 b3 b4 b5 b6");
  // Four to a rack, eight to a block, all in one block.
  EXPECT_EQ(Put(graph, 1, Pods(8, {{"rack", 4}, {"block", 8}})),
            "n0 n0 n0 n0 n1 n1 n1 n1");
  EXPECT_EQ(Put(graph, 2, Pods(16, {{"rack", 4}, {"block", 0}})),
            "n3 n3 n3 n3 n4 n4 n4 n4 n5 n5 n5 n5 n6 n6 n6 n6");
  EXPECT_EQ(Put(graph, 3, Pods(8, {{"rack", 4}, {"block", 8}})), "not now");
  EXPECT_EQ(Put(graph, 3, Pods(28, {{"rack", 4}, {"block", 8}})), "never");
  EXPECT_TRUE(graph.Cancel(2));
  EXPECT_EQ(Put(graph, 3, Pods(16, {{"rack", 4}, {"block", 8}})),
            "n3 n3 n3 n3 n4 n4 n4 n4 n5 n5 n5 n5 n6 n6 n6 n6");
}

TEST(Levels, PreferredOnesAreLeftOutOneByOne) {
  NodeGraph graph = Racks("a0 a0 a1 a1");
  Fill(graph, 0, 3);
  Fill(graph, 2, 3);
  Gang gang = Pods(6, {{"rack", 3}, {"block", 0}});
  gang.required = 1;
  // Three in a rack each.
  EXPECT_EQ(Put(graph, 1, gang), "n0 n1 n1 n2 n3 n3");
  EXPECT_EQ(Put(graph, 2, gang), "not now");
  gang.groups[0].count = 3;
  // Two are left in each rack.
  EXPECT_EQ(Put(graph, 2, gang), "n1 n1 n3");
}

TEST(Levels, NodesHaveExactlySoManyTasks) {
  NodeGraph graph = Racks("a0 a0 a0 a0");
  Fill(graph, 1, 3);
  EXPECT_EQ(Put(graph, 1, Pods(4, {}, {2})), "n0 n0 n2 n2");
  EXPECT_EQ(Put(graph, 2, Pods(6, {}, {3})), "not now");
  EXPECT_EQ(Put(graph, 2, Pods(3, {}, {3})), "n3 n3 n3");
}

TEST(Levels, NodesHaveAtMostSoManyTasks) {
  NodeGraph graph = Racks("a0 a0 a0");
  EXPECT_EQ(Put(graph, 1, Pods(5, {}, {2, true})), "n0 n0 n1 n1 n2");
  EXPECT_EQ(Put(graph, 2, Pods(7, {}, {2, true})), "never");
}

TEST(Levels, NodeIsFilledWithTasksOfDifferentShapes) {
  NodeGraph graph = Racks("a0 a0 a0");
  Gang gang = Pods(1, {}, {2});
  gang.groups.push_back({{3}, nullptr, 3});
  gang.groups.push_back({{1}, nullptr, 2});
  EXPECT_EQ(Put(graph, 1, gang), "n0 n0 n1 n2 n1 n2");
}

TEST(Levels, RackAndNodeTogether) {
  NodeGraph graph = Racks("a0 a0 a1 a1 a1");
  Fill(graph, 2, 3);
  EXPECT_EQ(Put(graph, 1, Pods(8, {{"rack", 4}}, {2})),
            "n0 n0 n1 n1 n3 n3 n4 n4");
}

TEST(Levels, ReplacementsFillWhatLacksTasks) {
  NodeGraph graph = Racks("a0 a0 a1 a1 b2 b2");
  Gang gang = Pods(3, {{"rack", 4}});
  // Two tasks are in rack a0, three in a1.
  gang.beside = {0, 0, 2, 2, 2};
  EXPECT_EQ(Put(graph, 1, gang), "n2 n0 n0");
  // What lacks tasks gets them first, and whole numbers stay near if they can.
  Gang more = Pods(6, {{"rack", 4}});
  more.beside = {0, 0};
  EXPECT_EQ(Put(graph, 2, more), "n0 n0 n1 n1 n1 n1");
  Fill(graph, 2, 4);
  Fill(graph, 3, 4);
  Gang none = Pods(1, {{"rack", 4}});
  none.beside = {2, 2, 2};
  EXPECT_EQ(Put(graph, 3, none), "never");
}

TEST(Levels, ReplacementsFillTheNodesThatLackTasks) {
  NodeGraph graph = Racks("a0 a0 a0");
  Gang gang = Pods(1, {}, {2});
  gang.beside = {1, 2, 2};
  EXPECT_EQ(Put(graph, 1, gang), "n1");
  Fill(graph, 1, 4);
  EXPECT_EQ(Put(graph, 2, gang), "never");
}

TEST(Levels, LastTasksOfAGrowingGangMayBeFewer) {
  NodeGraph graph = Racks("a0 a0 a0");
  Gang gang = Pods(1, {}, {2});
  gang.beside = {1, 1};
  EXPECT_EQ(Put(graph, 1, gang), "n0");
  gang = Pods(1, {{"rack", 4}});
  gang.beside = {1, 1, 1, 1};
  EXPECT_EQ(Put(graph, 2, gang), "n0");
}

TEST(Levels, HoldAtALaterTimeToo) {
  NodeGraph graph = Racks("a0 a0 a1 a1");
  Gang small{{{{3}, nullptr, 1}}, 10};
  EXPECT_EQ(Put(graph, 1, small), "n0");
  small.duration = 20;
  EXPECT_EQ(Put(graph, 2, small), "n1");
  small.duration = 30;
  EXPECT_EQ(Put(graph, 3, small), "n2");
  const auto reserve = [&](JobId job, Gang gang) {
    gang.duration = 5;
    return Show(graph, graph.AllocateOrReserve(job, gang, Policy::kLonode, 0));
  };
  EXPECT_EQ(reserve(4, Pods(8, {{"rack", 8}})),
            "at 20: n0 n0 n0 n0 n1 n1 n1 n1");
  EXPECT_EQ(reserve(5, Pods(8, {}, {4})), "at 10: n0 n0 n0 n0 n3 n3 n3 n3");
}

TEST(Levels, ReplacementsRestoreTheNumbers) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    NodeGraph graph = Racks("a0 a0 a1 a1 a2 b3 b3 b4 b4 b5 b5 b5", 6);
    const int per = pick(0, 1) * 2;
    const Gang gang =
        Pods(8 * pick(1, per == 0 ? 3 : 2), {{"rack", 4}, {"block", 8}}, {per});
    const auto match = graph.Allocate(1, gang, Policy::kLonode, 0);
    std::vector<NodeIndex> nodes = std::get<Placement>(match).nodes;
    Gang again = gang;
    again.groups[0].count = 0;
    again.beside.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (pick(0, 2) == 0 || i == 0) {
        EXPECT_TRUE(graph.Release(1, static_cast<int>(i)));
        ++again.groups[0].count;
      } else {
        again.beside.push_back(nodes[i]);
      }
    }
    const auto placed = graph.Allocate(1, again, Policy::kLonode, 0);
    ASSERT_TRUE(std::holds_alternative<Placement>(placed));
    nodes = std::get<Placement>(placed).nodes;
    nodes.insert(nodes.end(), again.beside.begin(), again.beside.end());
    const std::string racks = "001123344555";
    std::map<char, int> by_rack, by_block;
    std::map<NodeIndex, int> by_node;
    for (const NodeIndex node : nodes) {
      ++by_rack[racks[node]];
      ++by_block[racks[node] < '3' ? 'a' : 'b'];
      ++by_node[node];
    }
    for (const auto& [rack, number] : by_rack) EXPECT_EQ(number % 4, 0);
    for (const auto& [block, number] : by_block) EXPECT_EQ(number % 8, 0);
    for (const auto& [node, number] : by_node) {
      if (per > 0) {
        EXPECT_EQ(number, per);
      }
    }
  }
}

TEST(Levels, ExplanationCountsTheValuesWithRoom) {
  NodeGraph graph = Racks("a0 a0 a1 a1 b2 b2");
  Fill(graph, 0, 4);
  Fill(graph, 2, 1);
  const Gang gang = Pods(16, {{"rack", 8}, {"block", 16}});
  const Explanation found = graph.Explain(gang, Policy::kLonode, 0);
  EXPECT_EQ(found.fit, 0);
  ASSERT_EQ(found.values.size(), 2u);
  EXPECT_EQ(found.values[0], 1);  // rack b2
  EXPECT_EQ(found.values[1], 0);
}

// Those that are preferred are left out if need be, so none of them is lacking.
TEST(Levels, ExplanationCountsOfRequiredLevelsAlone) {
  NodeGraph graph = Racks("a0 a0 a1");
  Gang gang = Pods(16, {{"rack", 4}, {"block", 16}});
  gang.required = 0;
  EXPECT_TRUE(graph.Explain(gang, Policy::kLonode, 0).values.empty());
  gang.required = 1;
  EXPECT_EQ(graph.Explain(gang, Policy::kLonode, 0).values,
            std::vector<int>{0});
  Gang fits = Pods(8, {{"rack", 4}, {"block", 8}});
  fits.required = 1;
  EXPECT_TRUE(graph.Explain(fits, Policy::kLonode, 0).values.empty());
}

TEST(Levels, ThatDoNotDivideEachOtherAreRefused) {
  NodeGraph graph = Racks("a0");
  EXPECT_THROW(Put(graph, 1, Pods(6, {{"rack", 4}, {"block", 6}})),
               std::invalid_argument);
  EXPECT_THROW(Put(graph, 1, Pods(6, {{"rack", -1}})), std::invalid_argument);
  EXPECT_THROW(Put(graph, 1, Pods(6, {}, {-1})), std::invalid_argument);
}

// The same once more, in the plainest way, for gangs of one shape: how many
// parts of the inner level there is room for is counted.
class PlainLevels {
 public:
  PlainLevels(const std::vector<int>& racks, const std::vector<int>& free)
      : racks_(racks), free_(free) {}

  // The most tasks in a rack, `per` to a node, in multiples of `inner`.
  int RackRoom(int rack, int per, bool at_most, int inner) const {
    int room = 0;
    for (std::size_t n = 0; n < racks_.size(); ++n) {
      if (racks_[n] != rack) continue;
      const int there = per == 0          ? free_[n]
                        : at_most         ? std::min(free_[n], per)
                        : free_[n] >= per ? per
                                          : 0;
      room += there;
    }
    return room / inner * inner;
  }

  // Two racks are a block.
  bool Fits(int tasks, int per, bool at_most, int inner, int outer) const {
    int room = 0;
    for (int block = 0; block < 3; ++block) {
      const int here = RackRoom(2 * block, per, at_most, inner) +
                       RackRoom(2 * block + 1, per, at_most, inner);
      room += here / outer * outer;
    }
    return room >= tasks;
  }

  int FewestRacks(int tasks, int inner) const {
    std::vector<int> rooms;
    for (int rack = 0; rack < 6; ++rack)
      rooms.push_back(RackRoom(rack, 0, false, inner));
    std::sort(rooms.rbegin(), rooms.rend());
    int racks = 0;
    for (int left = tasks; left > 0; left -= rooms[racks++]) {
    }
    return racks;
  }

 private:
  const std::vector<int>& racks_;
  const std::vector<int>& free_;
};

// Each rack and block has whole parts of the gang, each node what it has free
// and what the gang's pods per node allow.
void ExpectWholeParts(const std::vector<NodeIndex>& nodes, const Gang& gang,
                      const std::vector<int>& racks,
                      const std::vector<int>& free) {
  std::map<int, int> by_rack, by_block, by_node;
  for (const NodeIndex node : nodes) {
    ++by_rack[racks[node]];
    ++by_block[racks[node] / 2];
    ++by_node[node];
  }
  for (const auto& [rack, number] : by_rack)
    EXPECT_EQ(number % gang.levels[0].tasks, 0);
  for (const auto& [block, number] : by_block)
    EXPECT_EQ(number % gang.levels[1].tasks, 0);
  const auto [per, at_most] = gang.per_node;
  for (const auto& [node, number] : by_node) {
    EXPECT_LE(number, free[node]);
    if (per > 0) {
      EXPECT_TRUE(at_most ? number <= per : number == per);
    }
  }
}

TEST(Levels, AgreeWithAPlainCount) {
  int fitted = 0;
  for (unsigned seed = 1; seed <= 4'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::vector<int> racks, free;
    std::string places;
    for (int n = pick(2, 14); n > 0; --n) {
      racks.push_back(pick(0, 5));
      free.push_back(pick(0, 5));
      places += std::string(1, static_cast<char>('a' + racks.back() / 2)) +
                std::to_string(racks.back()) + " ";
    }
    NodeGraph graph = Racks(places, 5);
    for (std::size_t n = 0; n < free.size(); ++n)
      Fill(graph, static_cast<NodeIndex>(n), 5 - free[n]);
    const int per = pick(0, 3);
    const bool at_most = pick(0, 1) == 0;
    // A number to a rack that nodes of that number make up.
    const int inner = (per == 0 || at_most ? 1 : per) * pick(1, 3);
    const int outer = inner * pick(1, 2);
    const int tasks = outer * pick(1, 3);
    const PlainLevels plain(racks, free);
    const Gang gang =
        Pods(tasks, {{"rack", inner}, {"block", outer}}, {per, at_most});
    const auto match = graph.Allocate(1, gang, Policy::kLonode, 0);
    const auto* placed = std::get_if<Placement>(&match);
    ASSERT_EQ(placed != nullptr, plain.Fits(tasks, per, at_most, inner, outer));
    if (placed == nullptr) continue;
    ++fitted;
    ExpectWholeParts(placed->nodes, gang, racks, free);
    if (per == 0 && outer == inner) {
      NodeGraph other = Racks(places, 5);
      for (std::size_t n = 0; n < free.size(); ++n)
        Fill(other, static_cast<NodeIndex>(n), 5 - free[n]);
      const auto by_racks =
          other.Allocate(1, Pods(tasks, {{"rack", inner}}), Policy::kLonode, 0);
      std::set<int> used;
      for (const NodeIndex node : std::get<Placement>(by_racks).nodes)
        used.insert(racks[node]);
      EXPECT_EQ(std::ssize(used), plain.FewestRacks(tasks, inner));
    }
  }
  EXPECT_GT(fitted, 500);
}

// A launcher of one cpu that does not count, and workers that do.
Gang WithLauncher(int workers, std::vector<TopologyLevel> levels,
                  TasksPerNode per_node = {}) {
  Gang gang = Pods(workers, std::move(levels), per_node);
  TaskGroup launcher{{1}, nullptr, 1};
  launcher.uncounted = true;
  gang.groups.push_back(launcher);
  return gang;
}

TEST(Levels, TasksThatDoNotCountGoAnywhereBesideTheOthers) {
  NodeGraph graph = Racks("a0 a0 a1 a1 b2 b2");
  EXPECT_EQ(Put(graph, 1, WithLauncher(8, {{"rack", 8}})),
            "n0 n0 n0 n0 n1 n1 n1 n1 n2");
  EXPECT_EQ(Put(graph, 2, WithLauncher(8, {{"rack", 4}})),
            "n4 n4 n4 n4 n5 n5 n5 n5 n2");
  EXPECT_EQ(Put(graph, 3, WithLauncher(7, {{"rack", 4}})), "not now");
}

// Block a has room for the workers, but for no launcher; block b for both.
TEST(Levels, TasksThatDoNotCountStayWithinTheLevelOfAllTasks) {
  NodeGraph graph = Racks("a0 a1 b2 b2");
  const Gang gang = WithLauncher(4, {{"rack", 2}, {"block", 0}});
  Fill(graph, 0, 2);
  Fill(graph, 1, 2);
  EXPECT_EQ(Put(graph, 1, gang), "n2 n2 n2 n2 n3");
  EXPECT_EQ(Put(graph, 2, gang), "not now");
  EXPECT_EQ(Put(graph, 2, Pods(4, {{"rack", 2}, {"block", 0}})), "n0 n0 n1 n1");
}

TEST(Levels, TasksThatDoNotCountMayShareAFullNode) {
  NodeGraph graph = Racks("a0 a1 b2");
  EXPECT_EQ(Put(graph, 1, WithLauncher(6, {}, {3, false})),
            "n0 n0 n0 n1 n1 n1 n0");
  graph.Cancel(1);
  EXPECT_EQ(Put(graph, 1, Pods(7, {}, {3, false})), "n0 n0 n0 n1 n1 n1 n2");
}

TEST(Levels, LauncherThatIsPlacedAgainStaysWithItsWorkers) {
  NodeGraph graph = Racks("a0 a1 b2 b2");
  Gang gang = WithLauncher(0, {{"rack", 2}, {"block", 0}});
  gang.beside = {2, 2, 3, 3};
  EXPECT_EQ(Put(graph, 1, gang), "n2");
  graph.Cancel(1);
  // Workers that are placed again, with their launcher.
  Gang workers = Pods(4, {{"rack", 2}, {"block", 0}});
  workers.uncounted_beside = {3};
  EXPECT_EQ(Put(graph, 1, workers), "n2 n2 n2 n2");
}

}  // namespace
}  // namespace fluxnetes::matcher
