#include "workers/lublin_model.h"

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

}  // namespace
}  // namespace fluxnetes::workers
