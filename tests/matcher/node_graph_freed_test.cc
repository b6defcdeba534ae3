#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "matcher/gang.h"
#include "tests/matcher/node_picture.h"

namespace fluxnetes::matcher {
namespace {

TEST(NodeGraph, CountsTheTasksForWhichRoomWasFreed) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=4
      node1 cpu=4
      node2 cpu=2)");
  const Gang gang = Tasks("8x cpu=2 for 10");
  graph.Allocate(1, Tasks("1x cpu=2 for 100"), Policy::kLonode, 0);
  graph.AllocateOrReserve(2, Tasks("2x cpu=4 for 100"), Policy::kLonode, 0);
  const std::vector<Freed> freed = {{{0, 2}, 0, kForever}, {{2}, 0, 50}};
  const auto count = [&](const Placement& own, int enough) {
    return graph.CountFreed(gang, own, freed, 1, enough);
  };
  EXPECT_EQ(count({90, {}}, 8), 2);   // one each
  EXPECT_EQ(count({90, {}}, 1), 1);   // that is enough
  EXPECT_EQ(count({1, {}}, 8), 0);    // no time is before
  EXPECT_EQ(count({500, {}}, 8), 3);  // two when all others have gone
  EXPECT_EQ(graph.CountFreed(gang, {90, {}}, {}, 1, 8), 0);
}

TEST(NodeGraph, CountsWhatIsFreeWithoutTheTasksThatWouldMove) {
  NodeGraph graph = Nodes("node0 cpu=4");
  graph.Allocate(1, Tasks("1x cpu=2 for 100"), Policy::kLonode, 0);
  const Gang gang = Tasks("2x cpu=1 for 50");
  graph.Restore(2, 20, 70, std::vector<NodeIndex>{0, 0},
                std::vector<std::vector<std::int64_t>>{{1}, {1}});
  const std::vector<Freed> freed = {{{0}, 0, kForever}};
  EXPECT_EQ(graph.CountFreed(gang, {20, {0, 0}}, freed, 1, 8), 2);
  EXPECT_EQ(graph.CountFreed(gang, {20, {0}}, freed, 1, 8), 1);
  EXPECT_EQ(graph.CountFreed(gang, {20, {}}, freed, 1, 8), 0);
}

TEST(NodeGraph, SaysHowManyTasksFindNoPlaceBeforeTheStart) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=1
      node1 cpu=1
      node2 cpu=1)");
  graph.Allocate(1, Tasks("1x cpu=1 for 50"), Policy::kLonode, 0);
  graph.Allocate(2, Tasks("2x cpu=1 for 100"), Policy::kLonode, 0);
  int missing = -1;
  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(3, Tasks("3x cpu=1 for 10"),
                                                Policy::kLonode, 0, kForever,
                                                &missing)),
            "at 100: node0 node1 node2");
  EXPECT_EQ(missing, 2);
  graph.AllocateOrReserve(4, Tasks("3x cpu=1 for 60"), Policy::kLonode, 0, 50,
                          &missing);
  EXPECT_EQ(missing, 3);
}

// A gang that waits for its time, as the schedule looks after it: it is placed
// anew only when as many places have come free as it is missing.
class WaitingGang {
 public:
  explicit WaitingGang(unsigned seed) : engine_(seed) {
    const auto nodes = Up(2, 5);
    for (int i = 0; i < nodes; ++i)
      graph_.AddNode("node" + std::to_string(i), i,
                     std::vector<std::int64_t>{Up(1, 6)});
    for (JobId job = 1; job <= 12; ++job) {
      const auto match =
          graph_.AllocateOrReserve(job, AnyGang(), kPolicy, now_);
      if (const auto* placement = std::get_if<Placement>(&match))
        others_.push_back({job, *placement, length_});
    }
    gang_ = AnyGang();
    const auto match = graph_.AllocateOrReserve(kJob, gang_, kPolicy, now_,
                                                kForever, &missing_);
    if (const auto* placement = std::get_if<Placement>(&match))
      booked_ = *placement;
  }

  bool Waits() const { return !booked_.nodes.empty() && booked_.start > now_; }
  bool AnyLeft() const { return !others_.empty(); }

  void Step() {
    now_ += Up(0, 2);
    if (!Waits()) return;
    const auto which = others_.begin() + Up(0, std::ssize(others_) - 1);
    const auto& [job, placement, length] = *which;
    graph_.Cancel(job);
    // What runs may outlive its end.
    const Time end =
        placement.start <= now_ ? kForever : placement.start + length;
    const std::vector<Freed> freed = {{placement.nodes, placement.start, end}};
    others_.erase(which);
    const int enough = std::max(missing_, 1);
    const int come = graph_.CountFreed(gang_, booked_, freed, now_, enough);
    graph_.Cancel(kJob);
    int missing = 0;
    const auto match = graph_.AllocateOrReserve(kJob, gang_, kPolicy, now_,
                                                booked_.start, &missing);
    if (come < enough) {
      missing_ -= come;
      ++left;
    } else {
      missing_ = missing;
    }
    if (const auto* placement = std::get_if<Placement>(&match)) {
      EXPECT_GE(come, enough);
      booked_ = *placement;
      ++moved;
    } else {
      graph_.Restore(
          kJob, booked_.start, booked_.start + gang_.duration, booked_.nodes,
          std::vector(booked_.nodes.size(), gang_.groups[0].amounts));
    }
  }

  int left = 0;
  int moved = 0;

 private:
  static constexpr Policy kPolicy = Policy::kLonode;
  static constexpr JobId kJob = 99;
  struct Other {
    JobId job = 0;
    Placement placement;
    Time length = 0;
  };

  std::int64_t Up(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
  }

  Gang AnyGang() {
    length_ = Up(1, 20);
    return {{{{Up(1, 3)}, nullptr, static_cast<int>(Up(1, 6))}}, length_};
  }

  std::mt19937 engine_;
  NodeGraph graph_{{"cpu"}};
  Time now_ = 10;
  Time length_ = 0;
  std::vector<Other> others_;
  Gang gang_;
  Placement booked_;
  int missing_ = 0;
};

TEST(NodeGraph, GangCanStartEarlierOnlyIfAsMuchWasFreedAsItIsMissing) {
  int left = 0;
  int moved = 0;
  for (unsigned seed = 1; seed <= 3'000; ++seed) {
    WaitingGang gang(seed);
    while (gang.Waits() && gang.AnyLeft()) gang.Step();
    left += gang.left;
    moved += gang.moved;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(left, 1'000);
  EXPECT_GT(moved, 1'000);
}

}  // namespace
}  // namespace fluxnetes::matcher
