#include "services/timeline.h"

#include "services/timeline_queries.h"

namespace fluxnetes::services {
namespace {

Span ReadSpan(const sql::Row& row) {
  Span span;
  span.kind = row.Get<std::string>("kind");
  span.id = row.Get<std::int64_t>("id");
  span.name = row.Get<std::string>("namespace") + "/" +
              row.Get<std::string>("group_name");
  span.queue = row.Get<std::string>("queue");
  span.size = row.Get<int>("group_size");
  span.nodes = row.Get<std::vector<std::string>>("nodes");
  span.start = row.Find<sql::Timestamp>("starts_at");
  span.end = row.Find<sql::Timestamp>("ends_at");
  const auto duration = row.Find<std::int64_t>("duration_seconds");
  if (!span.end && span.start && duration && span.kind != "running")
    span.end = *span.start + std::chrono::seconds(*duration);
  return span;
}

}  // namespace

Timeline ReadTimeline(sql::Transaction& transaction,
                      const TimelineFilter& filter, sql::Timestamp now) {
  Timeline timeline;
  for (const sql::Row row : transaction.Run(
           queries::kListSpans, filter.namespace_name, filter.queue))
    timeline.spans.push_back(ReadSpan(row));
  for (const sql::Row row : transaction.Run(queries::kListSpanNodes))
    timeline.nodes.push_back({row.Get<std::string>("node_name"),
                              row.Get<std::int64_t>("cpu_milli"),
                              row.Get<std::int64_t>("foreign_cpu_milli")});
  for (const sql::Row row : transaction.Run(queries::kListSpanMaintenance, now))
    timeline.maintenance.push_back({row.Get<std::string>("node_name"),
                                    row.Get<sql::Timestamp>("starts_at"),
                                    row.Find<sql::Timestamp>("ends_at"),
                                    row.Find<std::string>("reason")});
  for (const sql::Row row : transaction.Run(queries::kListSpanCpu))
    timeline.cpu_milli[{row.Get<std::int64_t>("fluxion_job"),
                        row.Get<std::string>("node_name")}] =
        row.Get<std::int64_t>("cpu_milli");
  return timeline;
}

}  // namespace fluxnetes::services
