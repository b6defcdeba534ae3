// Why a group waits, as `fluxnetes explain` and ExplainGroup tell it: read from
// the records and found by running the scheduler's decisions ahead from them.
//
// Reads only. Throws Failure (kNotFound) and sql::Error.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "services/explain/group_prospects.h"
#include "services/explain/node_verdicts.h"
#include "services/records/group_detail.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

struct GroupBefore {
  std::string name;  // "namespace/name"
  int size = 0;
  std::int64_t position = 0;
  std::string phase;
  std::optional<sql::Timestamp> estimated_start;
};

struct Holder {
  std::string name;
  std::optional<sql::Timestamp> ends_at;  // nothing: it has no end
};

// Nodes for one kind of pods of the group.
struct NodesForPods {
  std::string needs;  // "2 cpu, 4Gi"
  int pods = 0;
  std::vector<NodeVerdict> verdicts;
};

struct GroupExplanation {
  GroupDetail detail;
  std::int64_t before = 0;           // groups of its queue, in line
  std::vector<GroupBefore> first;    // some of these
  std::int64_t holders = 0;          // groups that run on nodes that it may use
  std::int64_t endless = 0;          // those of them that have no end
  std::vector<Holder> first_to_end;  // some of these
  std::vector<NodesForPods> nodes;   // empty: it does not wait for nodes
  std::optional<Prospects> prospects;  // the same, or it was not looked
};

// `most`: so long it may look for what would help; nothing: it does not look.
GroupExplanation ExplainGroup(sql::Pool& pool, const GroupName& name,
                              sql::Timestamp now,
                              std::optional<std::chrono::milliseconds> most);

}  // namespace fluxnetes::services
