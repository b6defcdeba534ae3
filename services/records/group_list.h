// Pod groups for the command line's lists: provisional, active and recently
// finished ones.
//
// Reads only. Throws sql::Error.
// Tests: tests/services/listing/get_pgtest.cc,
// tests/services/records/views_pgtest.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/records/group_pages.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

enum class GroupOrder {
  kId,  // refused groups, then by id; the order of pages
  // Running, then the pending order, then finished, newest first; a page of it
  // costs the same however many groups wait; `after` is not used.
  kLine
};

struct GroupFilter : GroupPageFilter {
  std::int64_t after = 0;  // ids above this; 0: includes refused ones
  std::optional<std::int64_t> limit;  // nullopt: all
  GroupOrder order = GroupOrder::kId;
};

std::vector<GroupRow> ListGroups(sql::Transaction& transaction,
                                 const GroupFilter& filter);

// Returns how many groups are in each state; finished ones count by their
// result. Of the filter only namespace, queue and finished_since apply.
std::map<std::string, std::int64_t> CountGroups(sql::Transaction& transaction,
                                                const GroupFilter& filter);

// The outcome of the groups finished since then; the filter as in CountGroups.
struct FinishedSummary {
  std::int64_t groups = 0;
  std::int64_t pods = 0;
  // Seconds from the first pod's creation to the binding of the last.
  std::optional<double> wait_p50;
  std::optional<double> wait_p95;
  // Seconds from the first submission to the last end.
  std::optional<double> makespan;
};
FinishedSummary SummarizeFinished(sql::Transaction& transaction,
                                  const GroupFilter& filter);

}  // namespace fluxnetes::services
