// Groups by pages that cost the same however many groups there
// are, and by what has changed since a moment.
//
// Reads only. Throws sql::Error.
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
  std::optional<sql::Timestamp> finished_since;  // nothing: none finished
};

// Null, which lets all through, if there are none.
std::optional<std::vector<std::string>> StatesOf(const GroupPageFilter& filter);

// A time at which none finishes, if none are wanted.
sql::Timestamp FinishedSince(const GroupPageFilter& filter);

bool WantsRefused(const GroupPageFilter& filter);

// Those with ids above `after`, in order of id, at most `limit` (nothing: all):
// no refused ones. Places in line are those of the last forecast.
std::vector<GroupRow> ReadGroupPage(sql::Transaction& transaction,
                                    const GroupPageFilter& filter,
                                    std::int64_t after,
                                    std::optional<std::int64_t> limit);

// Refused ones behind that name, in order of namespace and name; the filter's
// states do not count.
std::vector<GroupRow> ReadRefusedPage(sql::Transaction& transaction,
                                      const GroupPageFilter& filter,
                                      const std::string& after_namespace,
                                      const std::string& after_name,
                                      std::optional<std::int64_t> limit);

// The refused ones with these names, each in the namespace beside it, in no
// order.
std::vector<GroupRow> ReadRefused(sql::Transaction& transaction,
                                  const std::vector<std::string>& namespaces,
                                  const std::vector<std::string>& names);

// The groups of these ids that are there still, or finished since then.
std::vector<GroupRow> ReadGroups(sql::Transaction& transaction,
                                 const std::vector<std::int64_t>& active,
                                 const std::vector<std::int64_t>& others,
                                 sql::Timestamp finished_since);

}  // namespace fluxnetes::services
