#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "matcher/gangs/node_graph.h"
#include "matcher/nodes/room_log.h"
#include "matcher/nodes/shortfall.h"
#include "tests/matcher/random/node_picture.h"

namespace fluxnetes::matcher {
namespace {

Shortfall Of(std::initializer_list<Shortfall::Part> parts) {
  Shortfall shortfall;
  for (const auto& [from, tasks] : parts) shortfall.Note(from, tasks);
  return shortfall;
}

std::string Show(const Shortfall& shortfall) {
  std::string text;
  for (const auto& [from, tasks] : shortfall.parts())
    text += fmt::format(" {}:{}", from, tasks);
  return text;
}

class FreedRoom : public ::testing::Test {
 protected:
  // Until 100, node0 has 2 free, node1 nothing, and node2 all of its 2.
  void SetUp() override {
    graph_.Allocate(1, Tasks("1x cpu=2 for 100"), Policy::kLonode, 0);
    graph_.Restore(2, 0, 100, std::vector<NodeIndex>{1},
                   std::vector<std::vector<std::int64_t>>{{4}});
  }

  void Free(std::vector<NodeIndex> nodes, Time from, Time end,
            std::vector<std::int64_t> amounts = {}) {
    log_.Add({std::move(nodes), from, end, std::move(amounts)});
  }
  void Take(std::vector<NodeIndex> nodes, Time from, Time end,
            std::vector<std::int64_t> amounts) {
    log_.Add({std::move(nodes), from, end, std::move(amounts), true});
  }

  // Returns "enough", or else what is still missing.
  std::string Ask(const Placement& own, Shortfall shortfall) {
    return graph_.MayStartEarlier(gang_, own, log_, since_, 1, shortfall)
               ? "enough"
               : Show(shortfall);
  }

  NodeGraph graph_ = Nodes(R"(
      node0 cpu=4
      node1 cpu=4
      node2 cpu=2)");
  Gang gang_ = Tasks("8x cpu=2 for 10");
  RoomLog log_;
  std::uint64_t since_ = 0;
};

TEST_F(FreedRoom, IsWhatIsFreeNowOfWhatWasFreed) {
  Free({0, 2}, 0, kForever);
  Free({2}, 0, 50);
  EXPECT_EQ(Ask({90, {}}, Of({{0, 2}})), "enough");  // one each
  EXPECT_EQ(Ask({90, {}}, Of({{0, 3}})), " 0:1");
  EXPECT_EQ(Ask({90, {}}, {}), "enough");  // nothing is known, so one will do
  EXPECT_EQ(Ask({1, {}}, Of({{0, 1}})), " 0:1");    // no earlier time
  EXPECT_EQ(Ask({500, {}}, Of({{0, 4}})), " 0:1");  // two after 100
  since_ = log_.end();
  EXPECT_EQ(Ask({90, {}}, {}), "");
}

TEST_F(FreedRoom, CountsForStartsThatItIsFreeFor) {
  Free({0, 1, 2}, 0, 50);
  EXPECT_EQ(Ask({90, {}}, Of({{0, 9}, {50, 2}})), " 0:7 50:2");
  log_ = {};
  Free({0, 1, 2}, 50, kForever);
  EXPECT_EQ(Ask({90, {}}, Of({{0, 1}, {41, 3}})), " 0:1 41:1");
  EXPECT_EQ(Ask({90, {}}, Of({{0, 1}, {41, 2}})), "enough");
  EXPECT_EQ(Ask({90, {}}, Of({{0, 1}, {60, 9}})), "enough");
}

TEST_F(FreedRoom, LeavesOutWhatHadRoomBefore) {
  Free({0, 2}, 0, kForever, {1, 1});
  // one each: room for 2 was room for 1
  EXPECT_EQ(Ask({90, {}}, Of({{0, 3}})), " 0:1");
  log_ = {};
  Free({2}, 0, kForever, {0});
  EXPECT_EQ(Ask({90, {}}, Of({{0, 1}})), " 0:1");
  log_ = {};
  Free({0}, 0, kForever, {2});
  Take({0}, 0, kForever, {2});
  EXPECT_EQ(Ask({90, {}}, Of({{0, 1}})), " 0:1");  // all of it was taken again
  Free({0}, 0, 80, {1});
  EXPECT_EQ(Ask({90, {}}, Of({{0, 1}})), "enough");
}

TEST(NodeGraph, CountsWhatIsFreeWithoutTheTasksThatWouldMove) {
  NodeGraph graph = Nodes("node0 cpu=4");
  graph.Allocate(1, Tasks("1x cpu=2 for 100"), Policy::kLonode, 0);
  const Gang gang = Tasks("2x cpu=1 for 50");
  graph.Restore(2, 20, 70, std::vector<NodeIndex>{0, 0},
                std::vector<std::vector<std::int64_t>>{{1}, {1}});
  RoomLog log;
  log.Add({{0}, 0, kForever});
  const auto left = [&](const Placement& own) {
    Shortfall shortfall = Of({{0, 3}});
    EXPECT_FALSE(graph.MayStartEarlier(gang, own, log, 0, 1, shortfall));
    return shortfall.parts()[0].tasks;
  };
  EXPECT_EQ(left({20, {0, 0}}), 1);
  EXPECT_EQ(left({20, {0}}), 2);
  EXPECT_EQ(left({20, {}}), 3);
}

TEST(NodeGraph, SaysHowManyTasksFindNoPlaceBeforeTheStart) {
  NodeGraph graph = Nodes(R"(
      node0 cpu=1
      node1 cpu=1
      node2 cpu=1)");
  graph.Allocate(1, Tasks("1x cpu=1 for 50"), Policy::kLonode, 0);
  graph.Allocate(2, Tasks("2x cpu=1 for 100"), Policy::kLonode, 0);
  Shortfall shortfall;
  EXPECT_EQ(Show(graph, graph.AllocateOrReserve(3, Tasks("3x cpu=1 for 10"),
                                                Policy::kLonode, 0, kForever,
                                                &shortfall)),
            "at 100: node0 node1 node2");
  EXPECT_EQ(Show(shortfall), " 0:3 50:2");
  graph.AllocateOrReserve(4, Tasks("3x cpu=1 for 60"), Policy::kLonode, 0, 50,
                          &shortfall);
  EXPECT_EQ(Show(shortfall), " 0:3");
}

// A gang with a reservation, treated as the schedule does: an earlier start is
// only searched where the room that was made may be enough for one. In a second
// graph the gang is placed anew at each step.
class WaitingGang {
 public:
  explicit WaitingGang(unsigned seed) : engine_(seed) {
    const auto nodes = Up(2, 5);
    for (int i = 0; i < nodes; ++i) {
      const std::vector<std::int64_t> totals = {Up(1, 6), Up(3, 8)};
      for (NodeGraph* graph : {&graph_, &anew_})
        graph->AddNode("node" + std::to_string(i), i, totals);
    }
    for (int i = 0; i < 12; ++i) Come();
    gang_ = AnyGang();
    const auto match = graph_.AllocateOrReserve(kJob, gang_, kPolicy, now_,
                                                kForever, &shortfall_);
    if (const auto* placement = std::get_if<Placement>(&match))
      booked_ = *placement;
    anew_.AllocateOrReserve(kJob, gang_, kPolicy, now_);
    looked_ = log_.end();
  }

  bool Waits() const { return !booked_.nodes.empty() && booked_.start > now_; }
  bool AnyLeft() const { return !others_.empty(); }

  void Step() {
    now_ += Up(0, 2);
    if (!Waits()) return;
    Go();
    if (Up(0, 2) == 0) Come();
    const Placement best = PlaceAnew();
    if (Up(0, 2) == 0 && best.start == booked_.start) return;  // later
    const bool may =
        graph_.MayStartEarlier(gang_, booked_, log_, looked_, now_, shortfall_);
    looked_ = log_.end();
    ++(may ? tried : left);
    if (may) Move(best);
    EXPECT_EQ(booked_.start, best.start);
    EXPECT_EQ(booked_.nodes, best.nodes);
  }

  int left = 0;
  int tried = 0;
  int moved = 0;

 private:
  static constexpr Policy kPolicy = Policy::kLonode;
  static constexpr JobId kJob = 99;
  struct Other {
    JobId job = 0;
    RoomChange room;
  };

  std::int64_t Up(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
  }

  Gang AnyGang() {
    Gang gang{{}, Up(1, 20)};
    for (auto groups = Up(1, 2); groups > 0; --groups)
      gang.groups.push_back(
          {{Up(1, 3), Up(0, 2)}, nullptr, static_cast<int>(Up(1, 4))});
    return gang;
  }

  // Another gang comes, and takes room.
  void Come() {
    const Gang gang = AnyGang();
    const auto match = graph_.AllocateOrReserve(++last_, gang, kPolicy, now_);
    const auto* placement = std::get_if<Placement>(&match);
    if (placement == nullptr) return;
    std::vector<std::vector<std::int64_t>> amounts;
    for (const TaskGroup& group : gang.groups)
      amounts.insert(amounts.end(), group.count, group.amounts);
    const Time end = placement->start + gang.duration;
    anew_.Restore(last_, placement->start, end, placement->nodes, amounts);
    std::map<NodeIndex, std::array<std::int64_t, 2>> sums;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      auto& sum = sums[placement->nodes[i]];
      for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += amounts[i][r];
    }
    RoomChange room{{}, placement->start, end};
    for (const auto& [node, sum] : sums) {
      room.nodes.push_back(node);
      room.amounts.insert(room.amounts.end(), sum.begin(), sum.end());
    }
    others_.push_back({last_, room});
    room.taken = true;
    if (Up(0, 1) == 0) log_.Add(std::move(room));
  }

  // One of the other gangs goes; its amounts are not always known.
  void Go() {
    const auto which = others_.begin() + Up(0, std::ssize(others_) - 1);
    for (NodeGraph* graph : {&graph_, &anew_}) graph->Cancel(which->job);
    RoomChange& room = which->room;
    if (room.from <= now_) room.end = kForever;  // it may outlive its end
    if (Up(0, 3) == 0) room.amounts.clear();
    log_.Add(std::move(room));
    others_.erase(which);
  }

  Placement PlaceAnew() {
    anew_.Cancel(kJob);
    const auto match =
        anew_.AllocateOrReserve(kJob, gang_, kPolicy, now_, booked_.start);
    if (const auto* placement = std::get_if<Placement>(&match))
      return *placement;
    std::vector<std::vector<std::int64_t>> amounts;
    for (const TaskGroup& group : gang_.groups)
      amounts.insert(amounts.end(), group.count, group.amounts);
    anew_.Restore(kJob, booked_.start, booked_.start + gang_.duration,
                  booked_.nodes, amounts);
    return booked_;
  }

  void Move(const Placement& best) {
    const auto moves =
        graph_.MoveEarlier(kJob, gang_, booked_, kPolicy, now_, shortfall_);
    if (!moves) return;
    ++moved;
    booked_ = *moves;
    if (moves->start != now_) return;
    // MoveEarlier() leaves the booking as it was.
    EXPECT_TRUE(moves->nodes.empty());
    EXPECT_TRUE(graph_.Cancel(kJob));
    const auto match = graph_.Allocate(kJob, gang_, kPolicy, now_);
    ASSERT_TRUE(std::holds_alternative<Placement>(match));
    booked_ = std::get<Placement>(match);
    EXPECT_EQ(booked_.start, best.start);
  }

  std::mt19937 engine_;
  NodeGraph graph_{{"cpu", "pods"}};
  NodeGraph anew_{{"cpu", "pods"}};
  Time now_ = 10;
  JobId last_ = 100;
  std::vector<Other> others_;
  RoomLog log_;
  std::uint64_t looked_ = 0;
  Gang gang_;
  Placement booked_;
  Shortfall shortfall_;
};

TEST(NodeGraph, GangStartsEarlierOnlyWhereItsShortfallSaysThatItMay) {
  int left = 0;
  int tried = 0;
  int moved = 0;
  for (unsigned seed = 1; seed <= 5'000; ++seed) {
    WaitingGang gang(seed);
    for (int steps = 0; gang.Waits() && gang.AnyLeft() && steps < 40; ++steps)
      gang.Step();
    left += gang.left;
    tried += gang.tried;
    moved += gang.moved;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(left, 1'000);
  EXPECT_GT(moved, 1'000);
  EXPECT_LT(tried, 3 * moved);
}

}  // namespace
}  // namespace fluxnetes::matcher
