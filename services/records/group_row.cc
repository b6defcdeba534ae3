#include "services/records/group_row.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::services {
namespace {

using Strings = std::vector<std::string>;

}  // namespace

std::string PoolsText(const cluster::PoolAmounts& pools) {
  std::string text;
  for (const auto& [name, amount] : pools)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", amount, name);
  return text;
}

bool Waits(const GroupRow& group) {
  return (group.state == "pending" || group.state == "unsatisfiable") &&
         group.shown_state != "ending";
}

cluster::PoolAmounts ReadPools(const sql::Row& row) {
  const auto text = row.Find<std::string>("pools");
  if (!text) return {};
  return nlohmann::json::parse(*text).get<cluster::PoolAmounts>();
}

GroupRow ReadGroupRow(const sql::Row& row) {
  GroupRow group;
  group.id = row.Get<std::int64_t>("id");
  group.namespace_name = row.Get<std::string>("namespace");
  group.name = row.Get<std::string>("group_name");
  group.size = row.Get<int>("group_size");
  group.queue = row.Get<std::string>("queue");
  group.state = row.Get<std::string>("state");
  group.phase = row.Find<std::string>("phase");
  group.shown_state = row.Get<std::string>("shown_state");
  group.has_started = row.Get<bool>("has_started");
  group.result = row.Find<std::string>("result");
  group.reason = row.Find<std::string>("reason");
  group.priority = row.Find<int>("priority");
  group.priority_is_set = row.Find<bool>("priority_is_set").value_or(false);
  group.account = row.Find<std::string>("account").value_or("");
  group.position = row.Find<std::int64_t>("position");
  group.estimated_start = row.Find<sql::Timestamp>("estimated_start");
  group.estimate = row.Find<std::string>("estimate");
  group.rests_on = row.Find<std::string>("rests_on");
  group.start_after = row.Find<sql::Timestamp>("start_after");
  group.start_by = row.Find<sql::Timestamp>("start_by");
  group.reservation = row.Find<std::string>("reservation");
  group.reserved_nodes =
      row.Find<Strings>("reserved_nodes").value_or(Strings());
  group.nodes = row.Get<Strings>("held_nodes");
  group.pools = ReadPools(row);
  group.revision = row.Find<int>("revision");
  group.duration_seconds = row.Find<std::int64_t>("duration_seconds");
  group.deadline = row.Find<sql::Timestamp>("deadline");
  group.match_job = row.Find<std::int64_t>("match_job");
  group.arrived = row.Find<int>("arrived").value_or(0);
  group.waiting = row.Find<int>("pods_waiting").value_or(0);
  group.bound = row.Find<int>("pods_bound").value_or(0);
  group.succeeded = row.Find<int>("pods_succeeded").value_or(0);
  group.failed = row.Find<int>("pods_failed").value_or(0);
  group.max_size = row.Find<int>("max_size");
  group.grown = row.Find<int>("grown").value_or(0);
  group.gang_id = row.Find<std::int64_t>("extends");
  group.gang = row.Find<std::string>("gang");
  group.submitted_at = row.Get<sql::Timestamp>("submitted_at");
  group.promoted_at = row.Find<sql::Timestamp>("promoted_at");
  group.allocated_at = row.Find<sql::Timestamp>("allocated_at");
  group.went_back_at = row.Find<sql::Timestamp>("went_back_at");
  group.bound_at = row.Find<sql::Timestamp>("bound_at");
  group.ended_at = row.Find<sql::Timestamp>("ended_at");
  return group;
}

GroupRow ReadFinishedRow(const sql::Row& row) {
  GroupRow group;
  group.state = "finished";
  group.shown_state = row.Get<std::string>("result");
  group.id = row.Get<std::int64_t>("group_id");
  group.namespace_name = row.Get<std::string>("namespace");
  group.name = row.Get<std::string>("group_name");
  group.size = row.Get<int>("group_size");
  group.queue = row.Get<std::string>("queue");
  group.priority = row.Get<int>("priority");
  group.result = row.Get<std::string>("result");
  group.reason = row.Find<std::string>("reason");
  group.nodes = row.Get<std::vector<std::string>>("nodes");
  group.pools = ReadPools(row);
  group.submitted_at = row.Get<sql::Timestamp>("submitted_at");
  group.promoted_at = row.Find<sql::Timestamp>("promoted_at");
  group.allocated_at = row.Find<sql::Timestamp>("allocated_at");
  group.bound_at = row.Find<sql::Timestamp>("bound_at");
  group.ended_at = row.Get<sql::Timestamp>("ended_at");
  return group;
}

}  // namespace fluxnetes::services
