#include "services/grpc_cluster/timeline_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "cluster/files/field_check.h"
#include "fluxnetes/v1/timeline_chart.pb.h"
#include "services/explain/timeline.h"
#include "services/explain/timeline_queries.h"
#include "services/grpc/grpc_calls.h"
#include "services/grpc_cluster/message_time.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::services {
namespace {

constexpr std::int64_t kMostGroups = 200'000;
constexpr int kNoTime = std::numeric_limits<int>::max();

// The places of texts in a list, each of which is added once.
class PlacesOf {
 public:
  explicit PlacesOf(google::protobuf::RepeatedPtrField<std::string>& list)
      : list_(list) {}

  int operator()(const std::string& text) {
    const auto [found, is_new] = places_.emplace(text, list_.size());
    if (is_new) *list_.Add() = text;
    return found->second;
  }

 private:
  google::protobuf::RepeatedPtrField<std::string>& list_;
  std::unordered_map<std::string, int> places_;
};

int SecondsFrom(sql::Timestamp now, const std::optional<sql::Timestamp>& time) {
  if (!time) return kNoTime;
  const auto seconds =
      std::chrono::round<std::chrono::seconds>(*time - now).count();
  return static_cast<int>(
      std::clamp<std::int64_t>(seconds, -kNoTime, kNoTime - 1));
}

v1::TimelineKind ChartKindOf(const std::string& name) {
  if (name == "running") return v1::TIMELINE_KIND_RUNNING;
  if (name == "reserved") return v1::TIMELINE_KIND_RESERVED;
  if (name == "draining") return v1::TIMELINE_KIND_DRAINING;
  return name == "forecast" ? v1::TIMELINE_KIND_FORECAST
                            : v1::TIMELINE_KIND_APPROXIMATE;
}

std::string KeyOfChartLevel(const std::string& level) {
  if (level.empty()) return "";
  std::string key = workers::KeyOfLevel(level, {});
  if (!cluster::IsQualifiedName(key))
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        fmt::format("level is '{}'; right would be rack, zone, region, or the "
                    "key of a label of nodes",
                    level),
        "level");
  return key;
}

void FillChartNodes(v1::GetTimelineChartResponse& response, PlacesOf& place_of,
                    const std::string& level, sql::Transaction& transaction) {
  std::vector<std::string> values;
  for (const sql::Row row :
       transaction.Run(queries::kListChartNodes, KeyOfChartLevel(level))) {
    place_of(row.Get<std::string>("node_name"));
    values.push_back(row.Find<std::string>("value").value_or(""));
  }
  if (level.empty()) return;
  std::map<std::string, int> places;
  for (const std::string& value : values)
    if (!value.empty()) places[value] = 0;
  for (auto& [value, place] : places) {
    place = response.level_values_size();
    response.add_level_values(value);
  }
  for (const std::string& value : values)
    response.add_node_levels(value.empty() ? -1 : places[value]);
}

}  // namespace

void FillTimelineChart(v1::GetTimelineChartResponse& response,
                       const v1::GetTimelineChartRequest& request,
                       sql::Transaction& transaction, sql::Timestamp now) {
  PlacesOf place_of(*response.mutable_nodes());
  FillChartNodes(response, place_of, request.level(), transaction);
  const auto given = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  std::vector<Span> spans =
      ReadChartSpans(transaction, given(request.namespace_()),
                     given(request.queue()), kMostGroups + 1);
  response.set_cut(std::ssize(spans) > kMostGroups);
  if (response.cut()) spans.resize(kMostGroups);

  v1::TimelineColumns& columns = *response.mutable_groups();
  PlacesOf namespace_of(*columns.mutable_namespaces());
  PlacesOf queue_of(*columns.mutable_queues());
  for (const Span& span : spans) {
    columns.add_ids(span.id);
    columns.add_names(span.group.name);
    columns.add_namespace_places(namespace_of(span.group.namespace_name));
    columns.add_queue_places(queue_of(span.queue));
    columns.add_sizes(span.size);
    columns.add_kinds(ChartKindOf(span.kind));
    columns.add_starts(SecondsFrom(now, span.start));
    columns.add_ends(SecondsFrom(now, span.end));
    columns.add_node_counts(static_cast<int>(span.nodes.size()));
    for (const std::string& node : span.nodes)
      columns.add_node_places(place_of(node));
  }
  if (!request.level().empty())
    while (response.node_levels_size() < response.nodes_size())
      response.add_node_levels(-1);
  Fill(*response.mutable_now(), now);
  for (const auto& window : ReadSpanMaintenance(transaction, now)) {
    v1::TimelineMaintenance& message = *response.add_maintenance();
    message.set_node(window.node);
    Fill(*message.mutable_starts_at(), window.start);
    if (window.end) Fill(*message.mutable_ends_at(), *window.end);
    message.set_reason(window.reason.value_or(""));
  }
}

}  // namespace fluxnetes::services
