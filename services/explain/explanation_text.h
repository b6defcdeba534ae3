// Why a group waits, in words for people.
//
// Pure.
// Tests: tests/services/explain/explain_pgtest.cc.
#pragma once

#include <string>
#include <vector>

#include "services/records/group_detail.h"

namespace fluxnetes::services {

// Returns the summary as a sentence without the group's name and full stop.
std::string SummaryOf(const GroupRow& group, sql::Timestamp now);

// Returns the steps that are certainly needed, whatever the cluster's state.
std::vector<std::string> KnownHelp(const GroupDetail& detail);

}  // namespace fluxnetes::services
