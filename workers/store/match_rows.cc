#include "workers/store/match_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/json/request_json.h"
#include "workers/pods/other_resources.h"

namespace fluxnetes::workers {
namespace {

using nlohmann::json;

const cluster::PodRequest* RequestIn(const sql::Row& row,
                                     const RequestMaker& requests) {
  cluster::PodRequest request;
  request.resources.cpu_milli = row.Get<std::int64_t>("cpu_milli");
  request.resources.memory_bytes = row.Get<std::int64_t>("memory_bytes");
  request.resources.pods = 1;
  if (const auto other = row.Find<std::string>("other"))
    ReadOtherResources(*other, request.resources);
  if (row.Get<bool>("uncounted")) request.rules.Own().topology.uncounted = true;
  return requests(cluster::ToJson(request));
}

cluster::PoolAmounts PoolsIn(const sql::Row& row) {
  const auto text = row.Get<std::string_view>("pools");
  if (text == "{}") return {};
  return json::parse(text).get<cluster::PoolAmounts>();
}

}  // namespace

QueueSettings SettingsIn(const sql::Row& row) {
  QueueSettings settings;
  settings.name = row.Get<std::string>("name");
  settings.node_selector = json::parse(row.Get<std::string>("node_selector"))
                               .get<std::map<std::string, std::string>>();
  settings.queue_policy =
      ParseQueuePolicy(row.Get<std::string_view>("queue_policy")).value();
  settings.queue_order =
      ParseQueueOrder(row.Get<std::string_view>("queue_order")).value();
  settings.ageing = row.Get<double>("ageing");
  settings.half_life = row.Get<std::int64_t>("half_life");
  settings.match_policy =
      matcher::ParsePolicy(row.Get<std::string_view>("match_policy")).value();
  settings.queue_depth = row.Get<std::int32_t>("queue_depth");
  settings.reservation_depth = row.Find<std::int32_t>("reservation_depth");
  settings.paused = row.Get<bool>("paused");
  settings.assumed_duration = row.Find<std::int64_t>("assumed_duration");
  settings.whole_nodes = row.Get<bool>("exclusive");
  settings.topology = json::parse(row.Get<std::string>("topology"))
                          .get<std::vector<std::string>>();
  settings.preemption =
      ParsePreemption(row.Get<std::string_view>("preemption")).value();
  return settings;
}

PendingGroup WaitingGroupIn(const sql::Row& row) {
  PendingGroup group;
  group.id = row.Get<std::int64_t>("id");
  group.namespace_name = row.Get<std::string>("namespace");
  group.name = row.Get<std::string>("group_name");
  group.queue = row.Get<std::string>("queue");
  group.account = row.Get<std::string>("account");
  group.priority = row.Get<std::int32_t>("priority");
  group.first_in_line = row.Get<bool>("first_in_line");
  group.submitted_at = cluster::Time(
      std::chrono::microseconds(row.Get<std::int64_t>("submitted_us")));
  group.revision = row.Get<std::int32_t>("revision");
  group.shape = row.Get<std::int64_t>("shape");
  group.duration = row.Find<std::int64_t>("duration_seconds");
  group.unsatisfiable = row.Get<bool>("unsatisfiable");
  group.reason = row.Find<std::string>("reason").value_or("");
  group.held = row.Get<bool>("held");
  group.start_after = row.Find<std::int64_t>("start_after");
  group.start_by = row.Find<std::int64_t>("start_by");
  group.preempts = row.Get<bool>("preempts");
  group.grace = row.Get<std::int32_t>("grace_seconds");
  group.extends = row.Find<std::int64_t>("extends").value_or(0);
  group.growth = group.extends != 0;
  group.external = row.Get<bool>("external");
  group.pressing = row.Get<bool>("pressing");
  group.takes_promise = row.Get<bool>("takes_promise");
  return group;
}

Reservation ReservationIn(const sql::Row& row) {
  return {row.Get<std::int64_t>("group_id"),
          row.Get<std::string>("queue"),
          row.Find<std::int64_t>("starts_at"),
          json::parse(row.Get<std::string>("nodes"))
              .get<std::vector<std::string>>(),
          json::parse(row.Get<std::string>("places")).get<std::vector<int>>(),
          json::parse(row.Get<std::string>("parts"))
              .get<std::vector<std::string>>(),
          json::parse(row.Get<std::string>("devices"))
              .get<std::vector<std::string>>()};
}

Pool PoolIn(const sql::Row& row) {
  return {row.Get<std::string>("name"), row.Get<std::int64_t>("total")};
}

PoolHold PoolHoldIn(const sql::Row& row) {
  return {row.Get<std::int64_t>("fluxion_job"),
          row.Get<std::int64_t>("starts_at"), row.Find<std::int64_t>("ends_at"),
          PoolsIn(row)};
}

std::string PoolsText(const cluster::PoolAmounts& pools) {
  return pools.empty() ? "{}" : json(pools).dump();
}

MaintenanceWindow WindowIn(const sql::Row& row) {
  MaintenanceWindow window;
  window.id = row.Get<std::int64_t>("id");
  window.nodes = row.Get<std::vector<std::string>>("nodes");
  std::sort(window.nodes.begin(), window.nodes.end());
  window.node_selector = json::parse(row.Get<std::string>("node_selector"))
                             .get<std::map<std::string, std::string>>();
  window.start = row.Get<std::int64_t>("starts_at");
  window.end = row.Find<std::int64_t>("ends_at");
  return window;
}

namespace {

// A row of an allocation without its members. A group that is gone has left its
// columns empty.
Held HeldWithoutMembers(const sql::Row& row) {
  Held held;
  held.group = row.Get<std::int64_t>("fluxion_job");
  held.start = row.Get<std::int64_t>("starts_at");
  held.end = row.Find<std::int64_t>("ends_at");
  held.queue = row.Get<std::string>("queue");
  held.namespace_name = row.Find<std::string>("namespace").value_or("");
  held.account = row.Find<std::string>("account").value_or("");
  held.priority = row.Find<std::int32_t>("priority").value_or(0);
  held.grace = row.Find<std::int32_t>("grace_seconds").value_or(0);
  held.evictable = row.Find<bool>("evictable").value_or(false);
  held.evicted_for = row.Find<std::int64_t>("preempted_for").value_or(0);
  held.extends = row.Find<std::int64_t>("extends").value_or(0);
  held.growth = held.extends != 0;
  held.sharing = {row.Get<bool>("whole_nodes"), row.Get<bool>("aside")};
  held.size = row.Find<std::int32_t>("group_size").value_or(0);
  held.name = row.Find<std::string>("external_name").value_or("");
  held.external = !held.name.empty();
  held.pools = PoolsIn(row);
  return held;
}

}  // namespace

std::vector<Held> HeldIn(const sql::Result& rows,
                         const RequestMaker& requests) {
  std::vector<Held> held;
  for (const sql::Row row : rows) {
    const auto group = row.Get<std::int64_t>("fluxion_job");
    if (held.empty() || held.back().group != group)
      held.push_back(HeldWithoutMembers(row));
    held.back().members.push_back(
        {row.Get<std::string>("pod_uid"), row.Get<std::string>("node_name"),
         RequestIn(row, requests), row.Find<std::string>("parts").value_or(""),
         row.Find<std::string>("devices").value_or("")});
    if (row.Get<bool>("succeeded")) held.back().evictable = false;
  }
  for (Held& each : held)
    each.evictable = each.evictable && std::ssize(each.members) >= each.size;
  return held;
}

}  // namespace fluxnetes::workers
