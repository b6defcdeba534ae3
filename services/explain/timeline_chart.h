// A timeline as a chart of characters, a line for each group or for each node
// (or some of them together).
//
// Pure.
#pragma once

#include <string>

#include "services/explain/timeline.h"

namespace fluxnetes::services {

// When the last thing that is known to end does so, or some time after the last
// known start of what has no end; an hour from now if nothing is known.
sql::Timestamp HorizonOf(const Timeline& timeline, sql::Timestamp now);

struct ChartFrame {
  sql::Timestamp now;
  sql::Timestamp until;
  int columns = 80;
};

//   # has its nodes     = has them reserved       - will have some, by forecast
//   . waits             > goes on                 : its nodes are kept free
std::string ChartOfGroups(const Timeline& timeline, const ChartFrame& frame);

// How full a node is, = where a reservation has it, X in maintenance.
std::string ChartOfNodes(const Timeline& timeline, const ChartFrame& frame);

}  // namespace fluxnetes::services
