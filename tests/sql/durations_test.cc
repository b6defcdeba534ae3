#include "sql/durations.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace fluxnetes::sql {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

TEST(Durations, CountsEachWithinItsBound) {
  Durations durations;
  durations.Note(microseconds(100));  // a bound is inclusive
  durations.Note(microseconds(101));
  durations.Note(seconds(30));
  durations.Note(seconds(31));
  const Durations::Counts counts = durations.counts();
  EXPECT_EQ(counts.within.at(0), 1U);
  EXPECT_EQ(counts.within.at(1), 1U);
  EXPECT_EQ(counts.within.at(11), 1U);
  EXPECT_EQ(counts.within.at(12), 1U);
  EXPECT_EQ(counts.Total(), 4U);
  EXPECT_DOUBLE_EQ(counts.seconds, 61.000201);
}

TEST(Durations, LoseNothingBetweenThreads) {
  Durations durations;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int note = 0; note < 10'000; ++note) durations.Note(microseconds(1));
    });
  threads.clear();
  EXPECT_EQ(durations.counts().within.at(0), 40'000U);
  EXPECT_NEAR(durations.counts().seconds, 0.04, 1e-9);
}

}  // namespace
}  // namespace fluxnetes::sql
