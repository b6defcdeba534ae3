#include "services/explain/timeline.h"

#include "services/explain/timeline_queries.h"
#include "services/records/group_row.h"

namespace fluxnetes::services {
namespace {

Span ReadSpan(const sql::Row& row) {
  Span span;
  span.kind = row.Get<std::string>("kind");
  span.stage = row.Get<int>("stage");
  span.id = row.Get<std::int64_t>("id");
  span.group = {row.Get<std::string>("namespace"),
                row.Get<std::string>("group_name")};
  span.queue = row.Get<std::string>("queue");
  span.size = row.Get<int>("group_size");
  span.pools = services::ReadPools(row);
  span.nodes = row.Get<std::vector<std::string>>("nodes");
  span.start = row.Find<sql::Timestamp>("starts_at");
  span.end = row.Find<sql::Timestamp>("ends_at");
  const auto duration = row.Find<std::int64_t>("duration_seconds");
  if (!span.end && span.start && duration && span.kind != "running")
    span.end = *span.start + std::chrono::seconds(*duration);
  return span;
}

}  // namespace

std::vector<Span> ReadSpans(sql::Transaction& transaction,
                            const TimelineFilter& filter) {
  std::optional<int> stage;
  std::optional<sql::Timestamp> start;
  std::optional<std::int64_t> id;
  if (filter.after) {
    stage = filter.after->stage;
    start = filter.after->start;
    id = filter.after->id;
  }
  std::vector<Span> spans;
  for (const sql::Row row : transaction.Run(
           queries::kListSpans, filter.namespace_name, filter.queue,
           filter.until, stage, start, id, filter.limit, filter.group))
    spans.push_back(ReadSpan(row));
  return spans;
}

std::vector<Span> ReadChartSpans(
    sql::Transaction& transaction,
    const std::optional<std::string>& namespace_name,
    const std::optional<std::string>& queue, std::int64_t limit) {
  const sql::Result rows =
      transaction.Run(queries::kListChartSpans, namespace_name, queue, limit);
  std::vector<Span> spans;
  spans.reserve(static_cast<std::size_t>(rows.size()));
  // By the number of the column: looking for names took a tenth of the time.
  for (const sql::Row row : rows) {
    Span& span = spans.emplace_back();
    span.kind = row.Get<std::string>(0);
    span.id = row.Get<std::int64_t>(1);
    span.group = {row.Get<std::string>(2), row.Get<std::string>(3)};
    span.queue = row.Get<std::string>(4);
    span.size = row.Get<int>(5);
    span.start = row.Find<sql::Timestamp>(6);
    span.end = row.Find<sql::Timestamp>(7);
    const auto duration = row.Find<std::int64_t>(8);
    if (span.kind != "running" && span.start && duration)
      span.end = *span.start + std::chrono::seconds(*duration);
    span.nodes = row.Get<std::vector<std::string>>(9);
  }
  return spans;
}

std::vector<Timeline::Maintenance> ReadSpanMaintenance(
    sql::Transaction& transaction, sql::Timestamp now) {
  std::vector<Timeline::Maintenance> maintenance;
  for (const sql::Row row : transaction.Run(queries::kListSpanMaintenance, now))
    maintenance.push_back({row.Get<std::string>("node_name"),
                           row.Get<sql::Timestamp>("starts_at"),
                           row.Find<sql::Timestamp>("ends_at"),
                           row.Find<std::string>("reason")});
  return maintenance;
}

CpuOfSpans ReadSpanCpu(sql::Transaction& transaction,
                       const std::optional<std::vector<std::int64_t>>& groups) {
  CpuOfSpans cpu_milli;
  for (const sql::Row row : transaction.Run(queries::kListSpanCpu, groups))
    cpu_milli[{row.Get<std::int64_t>("fluxion_job"),
               row.Get<std::string>("node_name")}] =
        row.Get<std::int64_t>("cpu_milli");
  return cpu_milli;
}

InsideOfSpans ReadSpanInside(
    sql::Transaction& transaction,
    const std::optional<std::vector<std::int64_t>>& groups) {
  InsideOfSpans inside;
  for (const sql::Row row : transaction.Run(queries::kListSpanInside, groups))
    inside[{row.Get<int>("stage"), row.Get<std::int64_t>("id"),
            row.Get<std::string>("node_name")}] = {
        row.Get<std::vector<std::string>>("parts"),
        row.Get<std::vector<std::string>>("devices")};
  return inside;
}

Timeline ReadTimeline(sql::Transaction& transaction,
                      const TimelineFilter& filter, sql::Timestamp now) {
  Timeline timeline;
  timeline.spans = ReadSpans(transaction, filter);
  for (const sql::Row row : transaction.Run(queries::kListSpanNodes))
    timeline.nodes.push_back({row.Get<std::string>("node_name"),
                              row.Get<std::int64_t>("cpu_milli"),
                              row.Get<std::int64_t>("unmanaged_cpu_milli")});
  timeline.maintenance = ReadSpanMaintenance(transaction, now);
  timeline.cpu_milli = ReadSpanCpu(transaction, std::nullopt);
  timeline.inside = ReadSpanInside(transaction, std::nullopt);
  return timeline;
}

}  // namespace fluxnetes::services
