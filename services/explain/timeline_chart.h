// A timeline as a text chart, with a line for each group, or for each node or
// several nodes.
//
// Pure.
// Tests: tests/services/records/views_pgtest.cc.
#pragma once

#include <string>

#include "services/explain/timeline.h"

namespace fluxnetes::services {

// Returns the latest known end; if a group has no end, some time after the
// latest known start; an hour from now if nothing is known.
sql::Timestamp HorizonOf(const Timeline& timeline, sql::Timestamp now);

struct ChartFrame {
  sql::Timestamp now;
  sql::Timestamp until;
  int columns = 80;
};

//   # has its nodes     = has them reserved       - will have some, by forecast
//   . waits             > goes on                 : has a drain set
std::string ChartOfGroups(const Timeline& timeline, const ChartFrame& frame);

// Shows the utilisation of nodes, = where reserved, X in maintenance.
std::string ChartOfNodes(const Timeline& timeline, const ChartFrame& frame);

}  // namespace fluxnetes::services
