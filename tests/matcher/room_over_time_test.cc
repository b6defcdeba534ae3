#include "matcher/room_over_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace fluxnetes::matcher {
namespace {

struct Booked {
  Time start = 0;
  Time end = 0;
  std::int64_t amount = 0;
};

// The same by looking at every second.
std::optional<Time> Plain(const std::vector<Booked>& all, std::int64_t total,
                          Time now, std::int64_t amount, Time duration,
                          Time before, const Booked& own) {
  constexpr Time kHorizon = 400;
  const auto enough = [&](Time time) {
    if (time >= own.start && time < own.end) return true;
    std::int64_t free = total;
    for (const Booked& each : all) {
      const Time end =
          each.start <= now ? std::max(each.end, now + 1) : each.end;
      if (each.start <= time && time < end) free -= each.amount;
    }
    return free >= amount;
  };
  for (Time start = now; start < std::min(before, kHorizon); ++start) {
    bool all_of_it = true;
    for (Time time = start; time < start + duration && all_of_it; ++time)
      all_of_it = enough(time);
    if (all_of_it) return start;
  }
  return std::nullopt;
}

TEST(RoomOverTime, FindsWhatLookingAtEverySecondFinds) {
  std::mt19937 engine(1);
  const auto up = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine);
  };
  for (int run = 0; run < 60; ++run) {
    NodeGraph graph({"cpu"});
    const Time now = 10;
    const NodeIndex node =
        graph.AddNode("node0", 0, std::vector<std::int64_t>{1'000});
    graph.AddNode("closed", 1, std::vector<std::int64_t>{5'000});
    graph.SetOpen(1, false);
    std::vector<Booked> booked;
    const auto draw = [&] {
      const Time start = up(0, 250);
      return Booked{start, start + up(1, 60), up(1, 8)};
    };
    const auto spans = up(0, 150);
    for (JobId job = 1; job <= spans; ++job) {
      const Booked each = draw();
      booked.push_back(each);
      const std::vector<std::vector<std::int64_t>> amounts = {{each.amount}};
      graph.Restore(job, each.start, each.end, std::vector<NodeIndex>{node},
                    amounts);
    }
    RoomOverTime room = graph.Room(now);
    for (int ask = 0; ask < 20; ++ask) {
      const std::int64_t amount = up(900, 1'001);
      Booked own = draw();
      own.start += now;
      own.end += now;
      own.amount = amount;
      room.Take(own.start, own.end, {amount});
      const Time duration = up(1, 80);
      const Time before = up(11, 350);
      EXPECT_EQ(room.Find({amount}, duration, before, own.start, own.end),
                Plain(booked, 1'000, now, amount, duration, before, own));
      room.Add(own.start, own.end, {amount});
      // Of what is booked later it is told.
      Booked more = draw();
      more.start += now;
      more.end += now;
      room.Take(more.start, more.end, {more.amount});
      booked.push_back(more);
      if (ask % 3 != 0) continue;
      room.Add(more.start, more.end, {more.amount});
      booked.pop_back();
    }
  }
}

TEST(RoomOverTime, NodeWithLessThanNothingTakesNothingFromOthers) {
  NodeGraph graph({"cpu"});
  graph.AddNode("node0", 0, std::vector<std::int64_t>{4});
  graph.AddNode("node1", 1, std::vector<std::int64_t>{4});
  const std::vector<std::vector<std::int64_t>> amounts = {{9}};
  graph.Restore(1, 0, 100, std::vector<NodeIndex>{0}, amounts);
  EXPECT_EQ(graph.Room(0).Find({4}, 10, kForever, 0, 0), 0);
}

TEST(RoomOverTime, SumsWhatAGangAsksFor) {
  Gang gang;
  gang.groups = {{{2, 3}, nullptr, 4}, {{1}, nullptr, 5}};
  EXPECT_TRUE(SumOf(gang, 2) == (std::vector<RoomOverTime::Sum>{13, 12}));
}

}  // namespace
}  // namespace fluxnetes::matcher
