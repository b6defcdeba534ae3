// Pages of groups, whose cost does not depend on the number of groups, and
// groups changed since a given time.
//
// Reads only. Throws sql::Error.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/records/group_row.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

struct GroupPageFilter {
  std::optional<std::string> namespace_name;
  std::optional<std::string> name;
  std::optional<std::string> queue;
  std::vector<std::string> states;               // empty: all
  std::optional<sql::Timestamp> finished_since;  // nullopt: no finished ones
};

// Returns the filter's states; nullopt, which selects all, if it has none.
std::optional<std::vector<std::string>> StatesOf(const GroupPageFilter& filter);

// Returns the filter's time; without one, a time so late that no finished group
// matches.
sql::Timestamp FinishedSince(const GroupPageFilter& filter);

bool WantsRefused(const GroupPageFilter& filter);

// Returns groups with ids above `after` in order of id, at most `limit`
// (nullopt: all), without refused ones. Positions are those of the last
// forecast.
std::vector<GroupRow> ReadGroupPage(sql::Transaction& transaction,
                                    const GroupPageFilter& filter,
                                    std::int64_t after,
                                    std::optional<std::int64_t> limit);

// Returns refused groups after that name, in order of namespace and name. The
// filter's states are ignored.
std::vector<GroupRow> ReadRefusedPage(sql::Transaction& transaction,
                                      const GroupPageFilter& filter,
                                      const std::string& after_namespace,
                                      const std::string& after_name,
                                      std::optional<std::int64_t> limit);

// Returns the refused groups with these names, each in the namespace at the
// same index, in no order.
std::vector<GroupRow> ReadRefused(sql::Transaction& transaction,
                                  const std::vector<std::string>& namespaces,
                                  const std::vector<std::string>& names);

// Returns the groups with these ids that still exist or finished since then.
std::vector<GroupRow> ReadGroups(sql::Transaction& transaction,
                                 const std::vector<std::int64_t>& active,
                                 const std::vector<std::int64_t>& others,
                                 sql::Timestamp finished_since);

}  // namespace fluxnetes::services
