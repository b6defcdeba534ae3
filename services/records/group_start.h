// When a waiting group will start, in words: for `describe` and `explain`.
//
// Pure.
#pragma once

#include <string>

#include "services/records/group_row.h"

namespace fluxnetes::services {

// The time and what it rests on, or why it is not known; empty: the group does
// not wait.
std::string StartInWords(const GroupRow& group, sql::Timestamp now);

}  // namespace fluxnetes::services
