// Groups as a table for people, and what it says in each cell.
#pragma once

#include <span>
#include <string>

#include "services/console/table.h"
#include "services/records/group_row.h"

namespace fluxnetes::services {

struct GroupTableForm {
  bool namespaces = false;  // with a column for it
  bool wide = false;
  sql::Timestamp now;
};

Table GroupTable(std::span<const GroupRow> groups, const GroupTableForm& form);

// The state as one sees it: "pending", "reserved", "draining", "deferred",
// "held", "recalled", "succeeded", ...
std::string ShownState(const GroupRow& group);
Colour ColourOf(const GroupRow& group);

// "n1,n2,n3", with many nodes "n1,n2,n3,…(17)".
std::string ShownNodes(const std::vector<std::string>& nodes, std::size_t most);

}  // namespace fluxnetes::services
