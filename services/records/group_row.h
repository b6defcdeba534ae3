// A pod group as people and programs are shown it, in whatever table it is: one
// that fills, one on its way, or one that finished.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Fields that a state does not have are nothing (or empty).
struct GroupRow {
  std::int64_t id = 0;  // 0: refused
  std::string namespace_name;
  std::string name;
  int size = 0;  // 0: not known
  std::string queue;
  std::string state;  // provisional, refused, pending, unsatisfiable,
                      // allocated, bound, finished
  std::optional<std::string> phase;   // of a pending one
  std::optional<std::string> result;  // of a finished one
  std::optional<std::string> reason;
  std::optional<int> priority;
  std::optional<std::int64_t> position;  // in its line, from 1
  std::optional<sql::Timestamp> estimated_start;
  std::optional<std::string> estimate;  // reserved, forecast, approximate
  std::optional<std::string> rests_on;  // that, or that it is not known
  std::optional<sql::Timestamp> start_after, start_by;  // as its pods ask
  std::optional<std::string> reservation;               // reservation, drain
  std::vector<std::string> reserved_nodes;              // each once
  std::vector<std::string> nodes;  // that it has or had, each once
  std::optional<int> revision;
  std::optional<std::int64_t> duration_seconds;
  std::optional<sql::Timestamp> deadline;
  std::optional<std::int64_t> match_job;
  int arrived = 0;                                        // of one that fills
  int waiting = 0, bound = 0, succeeded = 0, failed = 0;  // pods by state
  // Of an elastic one: the most pods, and how many run beyond its size.
  std::optional<int> max_size;
  int grown = 0;
  // The elastic one to which it belongs, as a pod beyond its size.
  std::optional<std::int64_t> gang_id;
  std::optional<std::string> gang;
  sql::Timestamp submitted_at;
  std::optional<sql::Timestamp> promoted_at;
  std::optional<sql::Timestamp> allocated_at;
  std::optional<sql::Timestamp> bound_at;
  std::optional<sql::Timestamp> ended_at;

  bool operator==(const GroupRow&) const = default;
};

// Of a row with the columns of the query read_groups.
GroupRow ReadGroupRow(const sql::Row& row);

}  // namespace fluxnetes::services
