#include "services/feed/live_groups.h"

#include "services/database/database.h"
#include "services/feed/group_feed_queries.h"
#include "services/monitoring/slow_statements.h"
#include "services/records/group_pages_queries.h"

namespace fluxnetes::services {
namespace {

constexpr int kConnections = 1;

sql::PoolOptions OneConnection(const Config& config) {
  sql::PoolOptions options = DatabaseOptions(
      config, {queries::kAllGroupFeed, queries::kAllGroupPages});
  options.max_connections = kConnections;
  return options;
}

}  // namespace

LiveGroups::LiveGroups(const Config& config, const Log& log)
    : pool_(OneConnection(config)), feed_(pool_, log, {}) {
  sql::OnSlowStatements(pool_, LogSlowStatements(log));
}

void LiveGroups::AddTo(PoolMetrics& pools) const {
  pools.Add("feed", kConnections, sql::CountsOf(pool_));
}

}  // namespace fluxnetes::services
