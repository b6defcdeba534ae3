// One line of the log for each decision: which group, on which nodes, how long
// it took; and what became of it at the API server.
//
//   info  group allocated  group=a/train id=17 trace_id=4bf9... nodes=n1 ms=3.1
//
// and, when a group is bound, its way so far as spans (OpenTelemetry's words),
// on the level debug: `schedule`, whose parent is whoever gave the pod its
// traceparent, and below it `fill`, until the group was whole, `match` and
// `bind`.
//
// The name of a group is read from the database, for all groups of a decision
// at once; while the database is away there is just the id. With the names
// comes what is counted of groups that were given nodes. Thread-safe, throws
// nothing.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "services/config/log.h"
#include "services/monitoring/group_counts.h"
#include "sql/connection/pool.h"
#include "sql/values/parameter.h"
#include "workers/decision/decision.h"

namespace fluxnetes::services {

class DecisionLog {
 public:
  // The pool has the queries of Catalogue() prepared.
  DecisionLog(const Log& log, sql::Pool& pool, GroupCounts& counts)
      : log_(log), pool_(pool), counts_(counts) {}
  static std::span<const sql::Query> Catalogue();

  void Decided(const workers::Decision& decision,
               std::chrono::microseconds took) const;
  void Bound(const std::vector<workers::GroupId>& bound,
             const std::vector<workers::GroupId>& back) const;

 private:
  using Ids = std::vector<workers::GroupId>;
  struct Group {
    std::string name;
    std::string traceparent;
    std::optional<double> waited, later_than_first, later_than_last;
    // Submitted, whole, allocated, bound: as far as it has come.
    std::array<std::optional<sql::Timestamp>, 4> times = {};
  };
  using Groups = std::unordered_map<workers::GroupId, Group>;
  class Line;
  static std::string SpanIdOf(const Group& group, std::string_view name);

  Groups Read(const Ids& ids) const;
  void Count(const workers::Decision& decision, const Groups& groups) const;
  void Write(const workers::Decision& decision, const Groups& groups,
             double ms) const;
  void WriteSpans(workers::GroupId id, const Groups& groups) const;

  const Log& log_;
  sql::Pool& pool_;
  GroupCounts& counts_;
};

}  // namespace fluxnetes::services
