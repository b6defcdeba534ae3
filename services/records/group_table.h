// Groups as a table for people, and the texts of its cells.
// Tests: tests/services/listing/get_pgtest.cc.
#pragma once

#include <span>
#include <string>

#include "services/console/table.h"
#include "services/records/group_row.h"

namespace fluxnetes::services {

struct GroupTableForm {
  bool namespaces = false;  // adds a column of namespaces
  bool wide = false;
  sql::Timestamp now;
};

Table GroupTable(std::span<const GroupRow> groups, const GroupTableForm& form);

Colour ColourOf(const GroupRow& group);

// Returns "n1,n2,n3"; for more than `most` nodes "n1,n2,n3,…(17)".
std::string ShownNodes(const std::vector<std::string>& nodes, std::size_t most);

}  // namespace fluxnetes::services
