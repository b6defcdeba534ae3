#include "services/monitoring/group_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(GroupCounts, WaitsAndEstimatesAreCountedByQueue) {
  GroupCounts counts;
  counts.NoteAllocated({"default", 4, 12.0, -90.0, 0.5});
  counts.NoteAllocated(
      {"default", 1, std::nullopt, std::nullopt, std::nullopt});
  counts.NoteAllocated({"gpu", 2, 4'000.0, 2.0, std::nullopt});
  counts.NoteReserved("gpu");
  counts.NoteEvicted(3);
  counts.NoteBound(2, 1);
  MetricsPage page;
  counts.AddTo(page);
  const std::string text = page.Text();
  for (const char* line :
       {"fluxnetes_groups_allocated_total{queue=\"default\"} 2\n",
        "fluxnetes_pods_allocated_total{queue=\"default\"} 5\n",
        "fluxnetes_group_wait_seconds_count{queue=\"default\"} 1\n",
        "fluxnetes_group_wait_seconds_bucket{queue=\"default\",le=\"10\"} 0\n",
        "fluxnetes_group_wait_seconds_bucket{queue=\"default\",le=\"30\"} 1\n",
        "fluxnetes_group_wait_seconds_sum{queue=\"gpu\"} 4000\n",
        "fluxnetes_estimate_error_seconds_sum{queue=\"default\","
        "estimate=\"first\",direction=\"early\"} 90\n",
        "fluxnetes_estimate_error_seconds_sum{queue=\"default\","
        "estimate=\"last\",direction=\"late\"} 0.5\n",
        "fluxnetes_reservations_total{queue=\"gpu\"} 1\n",
        "fluxnetes_groups_evicted_total 3\n",
        "fluxnetes_groups_bound_total 2\n",
        "fluxnetes_groups_sent_back_total 1\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, Not(HasSubstr("queue=\"gpu\",estimate=\"last\"")));
}

}  // namespace
}  // namespace fluxnetes::services
