// Why a group waits, in words for people.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "services/records/group_detail.h"

namespace fluxnetes::services {

// What is to be known of it at once, in a sentence without its name and without
// a full stop.
std::string SummaryOf(const GroupRow& group, sql::Timestamp now);

// What ends the wait for certain, whatever the cluster has.
std::vector<std::string> KnownHelp(const GroupDetail& detail);

}  // namespace fluxnetes::services
