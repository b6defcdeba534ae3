// Pod groups as the command line lists them: those that fill, those on their
// way, and those that finished lately.
//
// Reads only. Throws sql::Error.
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
  kId,   // refused ones, then the oldest name first; what pages are made by
  kLine  // running, then the line in its order, then finished, newest first;
         // a page of it costs the same however many wait; `after` is not used
};

struct GroupFilter : GroupPageFilter {
  std::int64_t after = 0;             // ids above this; 0: refused ones too
  std::optional<std::int64_t> limit;  // nothing: all
  GroupOrder order = GroupOrder::kId;
};

std::vector<GroupRow> ListGroups(sql::Transaction& transaction,
                                 const GroupFilter& filter);

// How many groups are in each state, finished ones by their result; of the
// filter only namespace, queue and finished_since count.
std::map<std::string, std::int64_t> CountGroups(sql::Transaction& transaction,
                                                const GroupFilter& filter);

// How those that finished since then went; of the filter as in CountGroups.
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
