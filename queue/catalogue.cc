#include "queue/catalogue.h"

#include <vector>

#include "queue/clients/clients_queries.h"
#include "queue/clients/leaders_queries.h"
#include "queue/control/control_queries.h"
#include "queue/control/inspection_queries.h"
#include "queue/maintenance/partitions_queries.h"
#include "queue/maintenance/periodic_queries.h"
#include "queue/maintenance/upkeep_queries.h"
#include "queue/runner/fetcher_queries.h"
#include "queue/runner/test_kit_queries.h"
#include "queue/store/jobs_queries.h"
#include "queue/store/lease_queries.h"
#include "queue/store/unique_queries.h"

namespace fluxnetes::queue {

std::span<const sql::Query> Catalogue() {
  static const std::vector<sql::Query> all = [] {
    std::vector<sql::Query> queries;
    const auto add = [&queries](std::span<const sql::Query> part) {
      queries.insert(queries.end(), part.begin(), part.end());
    };
    add(queries::kAllClients);
    add(queries::kAllLeaders);
    add(queries::kAllControl);
    add(queries::kAllInspection);
    add(queries::kAllPartitions);
    add(queries::kAllPeriodic);
    add(queries::kAllUpkeep);
    add(queries::kAllFetcher);
    add(queries::kAllTestKit);
    add(queries::kAllJobs);
    add(queries::kAllLease);
    add(queries::kAllUnique);
    return queries;
  }();
  return all;
}

}  // namespace fluxnetes::queue
