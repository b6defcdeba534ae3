// A pod group for people and programs, from any of its tables: provisional,
// active or finished.
// Tests: tests/services/listing/get_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// A field that does not apply to the state is nullopt (or empty).
struct GroupRow {
  std::int64_t id = 0;  // 0: refused
  std::string namespace_name;
  std::string name;
  int size = 0;  // 0: unknown
  std::string queue;
  std::string state;  // provisional, refused, pending, unsatisfiable,
                      // allocated, bound, finished
  std::optional<std::string> phase;  // of a pending group
  // The state in one term, for people: "pending", "reserved", "draining",
  // "bound in part", "ending", "succeeded", ... (the view group_standing).
  std::string shown_state;
  bool has_started = false;           // one of its pods was bound, once
  std::optional<std::string> result;  // of a finished group
  std::optional<std::string> reason;
  std::optional<int> priority;
  bool priority_is_set = false;          // by somebody, not by its pods
  std::string account;                   // empty: none named
  std::optional<std::int64_t> position;  // in its queue's pending order, from 1
  std::optional<sql::Timestamp> estimated_start;
  std::optional<std::string> estimate;  // reserved, forecast, approximate
  // What the estimate depends on, or why it is not known.
  std::optional<std::string> rests_on;
  std::optional<sql::Timestamp> start_after, start_by;  // as its pods request
  std::optional<std::string> reservation;               // reservation, drain
  std::vector<std::string> reserved_nodes;              // distinct
  std::vector<std::string> nodes;  // that it has or had, distinct
  cluster::PoolAmounts pools;      // that it needs as a whole
  std::optional<int> revision;
  std::optional<std::int64_t> duration_seconds;
  std::optional<sql::Timestamp> deadline;
  std::optional<std::int64_t> match_job;
  int arrived = 0;  // of a provisional group
  int waiting = 0, bound = 0, succeeded = 0, failed = 0;  // pods by state
  // Of an elastic group: the most pods, and how many run beyond its size.
  std::optional<int> max_size;
  int grown = 0;
  // The elastic group of which this one is a pod beyond its size.
  std::optional<std::int64_t> gang_id;
  std::optional<std::string> gang;
  sql::Timestamp submitted_at;
  std::optional<sql::Timestamp> promoted_at;
  std::optional<sql::Timestamp> allocated_at;
  // Since when some of its pods must be placed again, or when they last had to.
  std::optional<sql::Timestamp> went_back_at;
  std::optional<sql::Timestamp> bound_at;
  std::optional<sql::Timestamp> ended_at;

  bool operator==(const GroupRow&) const = default;
};

// True if the group waits for nodes, for some of its pods or all.
bool Waits(const GroupRow& group);

// Takes a row with the columns of the query read_groups.
GroupRow ReadGroupRow(const sql::Row& row);

// The column `pools`, an object with an amount for each name.
cluster::PoolAmounts ReadPools(const sql::Row& row);

// "3 of matlab, 1 of disk".
std::string PoolsText(const cluster::PoolAmounts& pools);

// Takes a row of group_history.
GroupRow ReadFinishedRow(const sql::Row& row);

}  // namespace fluxnetes::services
