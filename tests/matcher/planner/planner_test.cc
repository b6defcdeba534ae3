#include "matcher/planner/planner.h"

#include <gtest/gtest.h>

#include <random>

#include "matcher/planner/multi_planner.h"

namespace fluxnetes::matcher {
namespace {

TEST(Planner, SpanTakesItsUnitsWhileItLasts) {
  Planner planner(0, 1'000, 10);
  ASSERT_TRUE(planner.AddSpan(100, 50, 4));
  EXPECT_EQ(planner.LeftAt(99), 10);
  EXPECT_EQ(planner.LeftAt(100), 6);
  EXPECT_EQ(planner.LeftAt(149), 6);
  EXPECT_EQ(planner.LeftAt(150), 10);
  EXPECT_EQ(planner.LeastDuring(0, 1'000), 6);
  EXPECT_EQ(planner.LeastDuring(0, 100), 10);
}

TEST(Planner, SpanThatDoesNotFitIsRefused) {
  Planner planner(10, 1'000, 10);
  EXPECT_FALSE(planner.AddSpan(9, 5, 1));
  EXPECT_FALSE(planner.AddSpan(10, 0, 1));
  EXPECT_FALSE(planner.AddSpan(10, 1'001, 1));
  EXPECT_FALSE(planner.AddSpan(10, 5, 11));
  EXPECT_FALSE(planner.AddSpan(10, 5, -1));
  EXPECT_TRUE(planner.AddSpan(10, 1'000, 8));
  EXPECT_FALSE(planner.AddSpan(500, 5, 3));
  EXPECT_TRUE(planner.AddSpan(500, 5, 2));
}

TEST(Planner, OutcomesSayWhy) {
  Planner planner(0, 100, 10);
  planner.AddSpan(0, 50, 8);
  EXPECT_EQ(planner.AvailableDuring(0, 10, 2), Plan::kFits);
  EXPECT_EQ(planner.AvailableDuring(0, 10, 3), Plan::kBusy);
  EXPECT_EQ(planner.AvailableDuring(0, 10, 11), Plan::kBeyond);
  EXPECT_EQ(planner.AvailableDuring(60, 41, 1), Plan::kBeyond);
  EXPECT_EQ(planner.AvailableDuring(0, 0, 1), Plan::kInvalid);
}

TEST(Planner, FirstTimeIsAScheduledPoint) {
  Planner planner(0, 1'000, 10);
  planner.AddSpan(100, 100, 10);
  planner.AddSpan(300, 100, 5);
  EXPECT_EQ(planner.FirstTime(0, 100, 10), 0);
  EXPECT_EQ(planner.FirstTime(1, 10, 10), 200);  // 1 itself is not a point
  EXPECT_EQ(planner.FirstTime(0, 101, 5), 200);
  EXPECT_EQ(planner.FirstTime(0, 101, 6), 400);
  EXPECT_EQ(planner.FirstTime(201, 10, 5), 300);
  EXPECT_EQ(planner.FirstTime(0, 700, 6), std::nullopt);
  EXPECT_EQ(planner.FirstTime(0, 1, 11), std::nullopt);
}

TEST(Planner, EmptySpansMakePointsToo) {
  Planner planner(0, 1'000, 10);
  const auto id = planner.AddSpan(100, 100, 0);
  EXPECT_EQ(planner.FirstTime(1, 10, 10), 100);
  EXPECT_TRUE(planner.RemoveSpan(*id));
  EXPECT_FALSE(planner.RemoveSpan(*id));
  EXPECT_EQ(planner.FirstTime(1, 10, 10), std::nullopt);
}

TEST(Planner, SpansCanBeReduced) {
  Planner planner(0, 1'000, 10);
  const auto id = *planner.AddSpan(0, 100, 6);
  EXPECT_EQ(planner.ReduceSpan(id, 0), Reduced::kReduced);
  EXPECT_EQ(planner.ReduceSpan(id, 2), Reduced::kReduced);
  EXPECT_EQ(planner.LeftAt(50), 6);
  EXPECT_EQ(planner.ReduceSpan(id, 5), Reduced::kInvalid);
  EXPECT_EQ(planner.ReduceSpan(id, 4), Reduced::kRemoved);
  EXPECT_EQ(planner.ReduceSpan(id, 0), Reduced::kInvalid);
  EXPECT_EQ(planner.spans(), 0);
}

TEST(Planner, WhatIsLeftFollowsTheTotal) {
  Planner planner(0, 1'000, 10);
  planner.AddSpan(0, 100, 6);
  planner.SetTotal(12);
  EXPECT_EQ(planner.LeftAt(0), 6);
  planner.SetTotal(3);
  EXPECT_EQ(planner.LeftAt(0), 0);
  EXPECT_EQ(planner.LeftAt(100), 3);
}

// Counting every moment one by one must give the same.
TEST(Planner, AgreesWithCountingEveryMoment) {
  struct Held {
    PlanId id;
    Time start;
    Time length;
    std::int64_t units;
  };
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  constexpr Time kEnd = 60;
  Planner planner(0, kEnd, 8);
  std::vector<Held> held;
  const auto left = [&](Time at) {
    std::int64_t units = 8;
    for (const Held& span : held) {
      if (span.start <= at && at < span.start + span.length) {
        units -= span.units;
      }
    }
    return units;
  };
  const auto least = [&](Time start, Time length) {
    std::int64_t units = 8;
    for (Time t = start; t < start + length; ++t) {
      units = std::min(units, left(t));
    }
    return units;
  };
  for (int step = 0; step < 5'000; ++step) {
    const Time start = pick(0, kEnd - 1);
    const Time length = pick(1, static_cast<int>(kEnd - start));
    const int units = pick(0, 8);
    ASSERT_EQ(planner.LeastDuring(start, length), least(start, length));
    std::optional<Time> first;
    for (Time t = start; t + length <= kEnd && !first; ++t) {
      bool point = t == 0;
      for (const Held& span : held) {
        point = point || span.start == t || span.start + span.length == t;
      }
      if (point && least(t, length) >= units) first = t;
    }
    ASSERT_EQ(planner.FirstTime(start, length, units), first);
    if (const auto id = planner.AddSpan(start, length, units)) {
      ASSERT_GE(least(start, length), units);
      held.push_back({*id, start, length, units});
    } else {
      ASSERT_LT(least(start, length), units);
    }
    if (!held.empty() && pick(0, 2) != 0) {
      const int i = pick(0, static_cast<int>(held.size()) - 1);
      ASSERT_TRUE(planner.RemoveSpan(held[i].id));
      held.erase(held.begin() + i);
    }
  }
}

// Units of three types, second by second.
class SecondBySecond {
 public:
  static constexpr Time kEnd = 50;
  using Units = std::vector<std::int64_t>;

  explicit SecondBySecond(const Units& totals)
      : left_(kEnd, totals), starts_or_ends_(kEnd + 1) {
    starts_or_ends_[0] = 1;
  }

  bool Has(Time start, Time length, const Units& units) const {
    if (start + length > kEnd) return false;
    for (Time t = start; t < start + length; ++t) {
      for (std::size_t i = 0; i < units.size(); ++i) {
        if (left_[t][i] < units[i]) return false;
      }
    }
    return true;
  }
  std::optional<Time> FirstTime(Time from, Time length,
                                const Units& units) const {
    for (Time t = from; t < kEnd; ++t) {
      if (starts_or_ends_[t] > 0 && Has(t, length, units)) return t;
    }
    return std::nullopt;
  }
  void Move(Time start, Time length, const Units& units, int sign) {
    for (Time t = start; t < start + length; ++t) {
      for (std::size_t i = 0; i < units.size(); ++i) {
        left_[t][i] -= sign * units[i];
      }
    }
  }
  void Bound(Time start, Time length, int sign) {
    starts_or_ends_[start] += sign;
    starts_or_ends_[start + length] += sign;
  }

 private:
  std::vector<Units> left_;  // [second][type]
  std::vector<int> starts_or_ends_;
};

TEST(MultiPlanner, AgreesWithCountingEveryMoment) {
  using Units = SecondBySecond::Units;
  struct Held {
    PlanId id;
    Time start;
    Time length;
    Units units;
  };
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const Units totals = {9, 4, 6};
  MultiPlanner planner(0, SecondBySecond::kEnd, {1, 2, 3}, totals);
  SecondBySecond seconds(totals);
  std::vector<Held> held;
  for (int step = 0; step < 20'000; ++step) {
    const Time start = pick(0, SecondBySecond::kEnd - 1);
    const Time length = pick(1, static_cast<int>(SecondBySecond::kEnd - start));
    const Units units = {pick(1, 3), pick(0, 2), pick(1, 3)};
    ASSERT_EQ(planner.AvailableDuring(start, length, units) == Plan::kFits,
              seconds.Has(start, length, units));
    const Time short_length = std::min<Time>(length, pick(1, 8));
    ASSERT_EQ(planner.FirstTime(start, short_length, units),
              seconds.FirstTime(start, short_length, units));
    if (const auto id = planner.AddSpan(start, length, units)) {
      ASSERT_TRUE(seconds.Has(start, length, units));
      seconds.Move(start, length, units, 1);
      seconds.Bound(start, length, 1);
      held.push_back({*id, start, length, units});
    } else {
      ASSERT_FALSE(seconds.Has(start, length, units));
    }
    if (held.empty() || pick(0, 2) == 0) continue;
    const int i = pick(0, static_cast<int>(held.size()) - 1);
    Held& span = held[i];
    // One unit of the first type stays, since only its points count.
    const Units less = {span.units[0] > 1 ? pick(0, 1) : 0,
                        span.units[1] == 0 ? 0 : pick(0, 1),
                        span.units[2] == 0 ? 0 : 1};
    if (pick(0, 1) == 0) {
      ASSERT_EQ(planner.ReduceSpan(span.id, less), Reduced::kReduced);
      seconds.Move(span.start, span.length, less, -1);
      for (int t = 0; t < 3; ++t) span.units[t] -= less[t];
      ASSERT_EQ(planner.UnitsOf(span.id), span.units);
    } else {
      ASSERT_TRUE(planner.RemoveSpan(span.id));
      seconds.Move(span.start, span.length, span.units, -1);
      seconds.Bound(span.start, span.length, -1);
      held.erase(held.begin() + i);
    }
  }
}

TEST(MultiPlanner, AllTypesMustBeThere) {
  MultiPlanner planner(0, 1'000, {1, 2}, std::vector<std::int64_t>{4, 2});
  const std::vector<std::int64_t> one = {1, 1};
  const std::vector<std::int64_t> both = {1, 2};
  const auto first = planner.AddSpan(0, 100, both);
  ASSERT_TRUE(first);
  EXPECT_EQ(planner.AvailableDuring(50, 10, one), Plan::kBusy);
  EXPECT_FALSE(planner.AddSpan(50, 10, one));
  EXPECT_EQ(planner.FirstTime(0, 10, one), 100);
  EXPECT_TRUE(planner.RemoveSpan(*first));
  EXPECT_FALSE(planner.RemoveSpan(*first));
  EXPECT_EQ(planner.FirstTime(0, 10, one), 0);
}

}  // namespace
}  // namespace fluxnetes::matcher
