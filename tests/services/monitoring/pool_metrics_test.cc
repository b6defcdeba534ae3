#include "services/monitoring/pool_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

TEST(PoolMetrics, StatementThatSeveralPoolsRunIsSummed) {
  MetricsPage page;
  PoolMetrics pools(page);
  sql::PoolCounts counts;
  counts.by_name = {{.name = "read_groups", .calls = 3, .slow = 1}};
  pools.Add("main", 8, counts);
  counts.by_name = {{.name = "read_groups", .calls = 4, .slow = 2},
                    {.name = "watch_groups", .calls = 1}};
  pools.Add("grpc", 5, counts);
  pools.AddStatements();
  const std::string text = page.Text();
  for (const char* const line :
       {"fluxnetes_database_slow_statements_total{statement=\"read_groups\"} "
        "3\n",
        "fluxnetes_database_statements_total{statement=\"read_groups\"} 7\n",
        "fluxnetes_database_statements_total{statement=\"watch_groups\"} 1\n",
        "fluxnetes_database_connections_max{pool=\"main\"} 8\n",
        "fluxnetes_database_connections_max{pool=\"grpc\"} 5\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

}  // namespace
}  // namespace fluxnetes::services
