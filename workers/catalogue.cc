#include "workers/catalogue.h"

#include <vector>

#include "workers/cleanup_queries.h"
#include "workers/external_queries.h"
#include "workers/filling_queries.h"
#include "workers/forecast_queries.h"
#include "workers/members_queries.h"
#include "workers/news_queries.h"
#include "workers/queries.h"
#include "workers/resync_queries.h"
#include "workers/start_queries.h"

namespace fluxnetes::workers {

std::span<const sql::Query> Catalogue() {
  static const std::vector<sql::Query> all = [] {
    std::vector<sql::Query> queries;
    const auto add = [&queries](std::span<const sql::Query> part) {
      queries.insert(queries.end(), part.begin(), part.end());
    };
    add(queries::kAll);
    add(queries::kAllFilling);
    add(queries::kAllMembers);
    add(queries::kAllCleanup);
    add(queries::kAllResync);
    add(queries::kAllNews);
    add(queries::kAllStart);
    add(queries::kAllForecast);
    add(queries::kAllExternal);
    return queries;
  }();
  return all;
}

}  // namespace fluxnetes::workers
