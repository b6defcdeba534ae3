// One log line for each decision (the group, its nodes, the time it took), and
// one for the result at the API server.
//
//   info  group allocated  group=a/train id=17 trace_id=4bf9... nodes=n1 ms=3.1
//
// A bound group also gets its course as spans (in OpenTelemetry's sense), in
// the log at level debug and for an exporter if there is one: `schedule`, whose
// parent is the pod's traceparent, and below it `fill` (until the group is
// complete), `match` and `bind`. The exporter gets sampled traces only.
//
// Group names are read from the database, once for all groups of a decision;
// while the database is away, the line has only the id. The same query returns
// the figures for GroupCounts. Thread-safe, throws nothing.
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
#include "services/monitoring/span_exporter.h"
#include "services/monitoring/trace_span.h"
#include "sql/connection/pool.h"
#include "sql/values/parameter.h"
#include "workers/decision/decision.h"

namespace fluxnetes::services {

class DecisionLog {
 public:
  // The pool must have the queries of Catalogue() prepared.
  // `exporter` may be null.
  DecisionLog(const Log& log, sql::Pool& pool, GroupCounts& counts,
              SpanExporter* exporter = nullptr)
      : log_(log), pool_(pool), counts_(counts), exporter_(exporter) {}
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
    // Submitted, complete, allocated, bound; nullopt where not reached yet.
    std::array<std::optional<sql::Timestamp>, 4> times = {};
  };
  using Groups = std::unordered_map<workers::GroupId, Group>;
  class Line;
  static std::string SpanIdOf(const Group& group, std::string_view name);
  static std::vector<TraceSpan> SpansOf(const Group& group);

  Groups Read(const Ids& ids) const;
  void Count(const workers::Decision& decision, const Groups& groups) const;
  void Write(const workers::Decision& decision, const Groups& groups,
             double ms) const;
  void WriteSpans(workers::GroupId id, const Groups& groups) const;
  void Export(const Ids& bound, const Groups& groups) const;

  const Log& log_;
  sql::Pool& pool_;
  GroupCounts& counts_;
  SpanExporter* const exporter_;
};

}  // namespace fluxnetes::services
