#include "workers/simulation/lublin_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fluxnetes::workers {
namespace {

TEST(LublinModel, JobsOfSmallMachinesHaveTheSizesThatFit) {
  for (int largest = 1; largest <= 16; ++largest) {
    int smallest_drawn = largest;
    int largest_drawn = 0;
    for (const cluster::SwfJob& job :
         LublinJobs({.jobs = 2'000, .nodes = 16, .largest = largest})) {
      smallest_drawn = std::min(smallest_drawn, job.processors);
      largest_drawn = std::max(largest_drawn, job.processors);
    }
    EXPECT_EQ(smallest_drawn, 1) << largest;
    EXPECT_EQ(largest_drawn, largest);
  }
}

// The day stays the same even if the load makes the trace three times as long.
TEST(LublinModel, DaysHave24HoursAtAnyLoad) {
  for (const double load : {0.3, 0.9}) {
    const auto jobs = LublinJobs({.jobs = 20'000, .load = load});
    double work = 0;
    double by_day = 0;  // in the half of the day with the most arrivals
    for (const cluster::SwfJob& job : jobs) {
      work += static_cast<double>(job.processors * job.runs);
      const std::int64_t hour = job.submit / 3'600 % 24;
      by_day += hour >= 8 && hour < 20 ? 1 : 0;
    }
    EXPECT_NEAR(work / (128.0 * static_cast<double>(jobs.back().submit)), load,
                0.001);
    EXPECT_GT(by_day / static_cast<double>(jobs.size()), 0.7) << load;
  }
}

}  // namespace
}  // namespace fluxnetes::workers
