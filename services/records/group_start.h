// The estimated start of a waiting group in words, for `describe` and
// `explain`.
//
// Pure.
// Tests: tests/services/explain/describe_pgtest.cc,
// tests/services/editing/hold_pgtest.cc.
#pragma once

#include <string>

#include "services/records/group_row.h"

namespace fluxnetes::services {

// Returns the time and what it depends on, or why it is not known; empty if the
// group does not wait.
std::string StartInWords(const GroupRow& group, sql::Timestamp now);

}  // namespace fluxnetes::services
