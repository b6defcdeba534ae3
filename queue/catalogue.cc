#include <vector>

#include "queue/control_queries.h"
#include "queue/fetcher_queries.h"
#include "queue/inspection_queries.h"
#include "queue/lease_queries.h"
#include "queue/periodic_queries.h"
#include "queue/queries.h"
#include "queue/test_kit_queries.h"
#include "queue/unique_queries.h"
#include "queue/upkeep_queries.h"
#include "queue/work_queue.h"

namespace fluxnetes::queue {

std::span<const sql::Query> Catalogue() {
  static const std::vector<sql::Query> all = [] {
    std::vector<sql::Query> queries;
    for (const std::span<const sql::Query> list :
         {std::span<const sql::Query>(queries::kAll),
          std::span<const sql::Query>(queries::kAllLease),
          std::span<const sql::Query>(queries::kAllControl),
          std::span<const sql::Query>(queries::kAllFetcher),
          std::span<const sql::Query>(queries::kAllInspection),
          std::span<const sql::Query>(queries::kAllPeriodic),
          std::span<const sql::Query>(queries::kAllTestKit),
          std::span<const sql::Query>(queries::kAllUnique),
          std::span<const sql::Query>(queries::kAllUpkeep)})
      queries.insert(queries.end(), list.begin(), list.end());
    return queries;
  }();
  return all;
}

}  // namespace fluxnetes::queue
