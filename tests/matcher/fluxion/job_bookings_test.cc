#include "matcher/fluxion/job_bookings.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fluxnetes::matcher {
namespace {

Booking At(VertexIndex v, PlanId plan = 1) {
  Booking booking{v};
  booking.plan = plan;
  return booking;
}

TEST(JobBookings, FindsWhatWasAddedUntilItIsRemoved) {
  JobBookings bookings;
  std::map<VertexIndex, PlanId> expected;
  std::mt19937 random(1);
  for (int i = 1; i <= 20'000; ++i) {
    // Up to 300 bookings, then down to none, again and again.
    const auto v = static_cast<VertexIndex>(random() % 600);
    const bool grows = i / 1'000 % 2 == 0;
    if (expected.contains(v)) {
      if (!grows || random() % 2 == 0) {
        bookings.Remove(v);
        expected.erase(v);
      }
    } else if (grows) {
      bookings.Add(At(v, i));
      expected[v] = i;
    }
    const auto asked = static_cast<VertexIndex>(random() % 600);
    const Booking* found = bookings.Find(asked);
    ASSERT_EQ(found != nullptr, expected.contains(asked)) << "step " << i;
    if (found != nullptr) {
      ASSERT_EQ(found->plan, expected[asked]);
    }
    ASSERT_EQ(bookings.size(), expected.size());
  }
  std::map<VertexIndex, PlanId> all;
  for (const Booking& booking : bookings) all[booking.vertex] = booking.plan;
  EXPECT_EQ(all, expected);
}

TEST(JobBookings, VertexReachedTwiceHasTwoBookings) {
  for (const int others : {0, 20}) {
    JobBookings bookings;
    for (int i = 0; i < others; ++i) bookings.Add(At(100 + i));
    bookings.Add(At(7, 1));
    bookings.Add(At(7, 2));
    const PlanId first = bookings.Find(7)->plan;
    bookings.Remove(7);
    ASSERT_NE(bookings.Find(7), nullptr);
    EXPECT_EQ(bookings.Find(7)->plan, 3 - first);
    bookings.Remove(7);
    EXPECT_EQ(bookings.Find(7), nullptr);
    EXPECT_EQ(bookings.size(), static_cast<std::size_t>(others));
  }
}

TEST(JobBookings, NothingIsLeftAfterClear) {
  JobBookings bookings;
  for (int v = 0; v < 20; ++v) bookings.Add(At(v));
  EXPECT_NE(bookings.Find(3), nullptr);
  bookings.clear();
  EXPECT_EQ(bookings.Find(3), nullptr);
  bookings.Add(At(3));
  EXPECT_NE(bookings.Find(3), nullptr);
}

// Nodes of 33 vertices, as a job on whole nodes has them, go one by one.
TEST(JobBookings, StepCostsTheSameForEverySize) {
  for (const int nodes : {16, 256, 8'192}) {
    JobBookings bookings;
    for (int n = 0; n < nodes; ++n) bookings.Add(At(1 + 33 * n));
    for (int n = 0; n < nodes; ++n) {
      ASSERT_NE(bookings.Find(1 + 33 * n), nullptr);
      ASSERT_EQ(bookings.Find(2 + 33 * n), nullptr);
      bookings.Remove(1 + 33 * n);
    }
    EXPECT_LT(bookings.looks(), 20 * nodes);
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
