// Groups for programs: by pages that cost the same however many groups there
// are, and by what has changed since a moment.
//
// Reads only. Throws sql::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/group_list.h"
#include "sql/transaction.h"

namespace fluxnetes::services {

struct GroupPageFilter {
  std::optional<std::string> namespace_name;
  std::optional<std::string> queue;
  std::vector<std::string> states;               // empty: all
  std::optional<sql::Timestamp> finished_since;  // nothing: none finished
};

// Those with ids above `after`, in order of id, at most `limit`: no refused
// ones. Places in line are those of the last forecast.
std::vector<GroupRow> ReadGroupPage(sql::Transaction& transaction,
                                    const GroupPageFilter& filter,
                                    std::int64_t after, std::int64_t limit);

// Refused ones behind that name, in order of namespace and name; the filter's
// states do not count.
std::vector<GroupRow> ReadRefusedPage(sql::Transaction& transaction,
                                      const GroupPageFilter& filter,
                                      const std::string& after_namespace,
                                      const std::string& after_name,
                                      std::int64_t limit);

// The groups of these ids that are there still, or finished since then.
std::vector<GroupRow> ReadGroups(sql::Transaction& transaction,
                                 const std::vector<std::int64_t>& active,
                                 const std::vector<std::int64_t>& others,
                                 sql::Timestamp finished_since);

}  // namespace fluxnetes::services
