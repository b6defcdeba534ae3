#include "workers/catalogue.h"

#include <vector>

#include "workers/bind/bind_queries.h"
#include "workers/cleanup/cleanup_queries.h"
#include "workers/cleanup/start_by_deadlines_queries.h"
#include "workers/forecast/forecast_queries.h"
#include "workers/intake/filling_queries.h"
#include "workers/intake/members_queries.h"
#include "workers/intake/stalled_queries.h"
#include "workers/loops/differences_queries.h"
#include "workers/loops/groups_queries.h"
#include "workers/match/replicas_queries.h"
#include "workers/news/news_queries.h"
#include "workers/requests/cancel_queries.h"
#include "workers/requests/external_queries.h"
#include "workers/requests/hold_queries.h"
#include "workers/requests/priority_queries.h"
#include "workers/resync/resync_queries.h"
#include "workers/store/component_queries.h"
#include "workers/store/match_queries.h"
#include "workers/usage/usage_queries.h"

namespace fluxnetes::workers {

std::span<const sql::Query> Catalogue() {
  static const std::vector<sql::Query> all = [] {
    std::vector<sql::Query> queries;
    const auto add = [&queries](std::span<const sql::Query> part) {
      queries.insert(queries.end(), part.begin(), part.end());
    };
    add(queries::kAllBind);
    add(queries::kAllCleanup);
    add(queries::kAllStartByDeadlines);
    add(queries::kAllForecast);
    add(queries::kAllFilling);
    add(queries::kAllMembers);
    add(queries::kAllStalled);
    add(queries::kAllDifferences);
    add(queries::kAllGroups);
    add(queries::kAllReplicas);
    add(queries::kAllNews);
    add(queries::kAllCancel);
    add(queries::kAllExternal);
    add(queries::kAllHold);
    add(queries::kAllPriority);
    add(queries::kAllResync);
    add(queries::kAllComponent);
    add(queries::kAllMatch);
    add(queries::kAllUsage);
    return queries;
  }();
  return all;
}

}  // namespace fluxnetes::workers
