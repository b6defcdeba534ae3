// The estimated start of a waiting group in words: for `describe` and
// `explain`, and for cells of tables. A start that is over is due: it is not
// said as if the group had started then.
//
// Pure.
// Tests: tests/services/explain/describe_pgtest.cc,
// tests/services/editing/hold_pgtest.cc.
#pragma once

#include <optional>
#include <string>

#include "services/records/group_row.h"

namespace fluxnetes::services {

// Returns the time and what it depends on, or why it is not known; empty if the
// group does not wait.
std::string StartInWords(const GroupRow& group, sql::Timestamp now);

// Returns "in 5m", "in ~5m" (approximate), "due"; empty: it is not known.
std::string StartInShort(const std::optional<sql::Timestamp>& start,
                         const std::optional<std::string>& estimate,
                         sql::Timestamp now);

}  // namespace fluxnetes::services
