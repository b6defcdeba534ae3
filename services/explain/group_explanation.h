// Why a group waits, for `fluxnetes explain` and ExplainGroup: read from the
// records, and found by simulating the scheduler's decisions from there on.
//
// Reads only. Throws Failure (kNotFound) and sql::Error.
// Tests: tests/services/explain/explain_pgtest.cc,
// tests/services/grpc_v1/grpc_explanation_pgtest.cc.
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
  std::string shown_state;
  std::optional<sql::Timestamp> estimated_start;
  std::optional<std::string> estimate;
};

struct Holder {
  std::string name;
  std::optional<sql::Timestamp> ends_at;  // nullopt: no end
};

// A pool of the cluster that the group needs.
struct PoolStanding {
  std::string name;
  std::int64_t needs = 0;
  // Nullopt: there is no such pool.
  std::optional<std::int64_t> total;
  std::int64_t free = 0;
  std::optional<Holder> next;  // the first to end of those that hold of it
};

// The nodes for one kind of the group's pods.
struct NodesForPods {
  std::string needs;  // "2 cpu, 4Gi"
  int pods = 0;
  std::vector<NodeVerdict> verdicts;
};

struct GroupExplanation {
  GroupDetail detail;
  std::int64_t before = 0;         // groups ahead in its queue's pending order
  std::vector<GroupBefore> first;  // the nearest of them
  std::int64_t holders = 0;        // groups that run on nodes it may use
  std::int64_t endless = 0;        // holders without an end
  std::vector<Holder> first_to_end;    // some of the holders
  std::vector<PoolStanding> pools;     // that it waits for or may start with
  std::vector<NodesForPods> nodes;     // empty: it does not wait for nodes
  std::optional<Prospects> prospects;  // nullopt also if there was no search
};

// `most` limits the time of the search for what would help; nullopt: no search.
GroupExplanation ExplainGroup(sql::Pool& pool, const GroupName& name,
                              sql::Timestamp now,
                              std::optional<std::chrono::milliseconds> most);

}  // namespace fluxnetes::services
