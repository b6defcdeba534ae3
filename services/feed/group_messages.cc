#include "services/feed/group_messages.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "fluxnetes/v1/cluster.pb.h"
#include "fluxnetes/v1/group.pb.h"
#include "matcher/devices/devices_text.h"

namespace fluxnetes::services {
namespace {

// In the order of v1::GroupState and v1::GroupPhase.
constexpr std::array<std::string_view, 8> kStateNames = {
    "",          "provisional", "refused", "pending", "unsatisfiable",
    "allocated", "bound",       "finished"};
constexpr std::array<std::string_view, 6> kPhaseNames = {
    "", "queued", "reserved", "deferred", "held", "recalled"};

template <typename Enum, std::size_t N>
Enum NumberOf(const std::array<std::string_view, N>& names,
              std::string_view name) {
  for (std::size_t i = 1; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return static_cast<Enum>(0);
}

using Moment = std::optional<sql::Timestamp>;

template <typename Mutable>
void FillIf(const Moment& time, Mutable mutable_field) {
  if (time) Fill(*mutable_field(), *time);
}

void FillTimes(v1::Group& message, const GroupRow& group) {
  FillIf(group.estimated_start,
         [&] { return message.mutable_estimated_start(); });
  FillIf(group.start_after, [&] { return message.mutable_start_after(); });
  FillIf(group.start_by, [&] { return message.mutable_start_by(); });
  FillIf(group.deadline, [&] { return message.mutable_deadline(); });
  Fill(*message.mutable_submitted_at(), group.submitted_at);
  FillIf(group.promoted_at, [&] { return message.mutable_promoted_at(); });
  FillIf(group.allocated_at, [&] { return message.mutable_allocated_at(); });
  FillIf(group.bound_at, [&] { return message.mutable_bound_at(); });
  FillIf(group.ended_at, [&] { return message.mutable_ended_at(); });
}

std::string TextOf(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string PairsText(const nlohmann::json& pairs) {
  std::string text;
  for (const auto& [key, value] : pairs.items())
    text += (text.empty() ? "" : ",") + key + "=" + TextOf(value);
  return text;
}

}  // namespace

void Fill(v1::Group& message, const GroupRow& group) {
  message.set_id(group.id);
  message.set_namespace_(group.namespace_name);
  message.set_name(group.name);
  message.set_size(group.size);
  message.set_queue(group.queue);
  message.set_state(NumberOf<v1::GroupState>(kStateNames, group.state));
  message.set_phase(
      NumberOf<v1::GroupPhase>(kPhaseNames, group.phase.value_or("")));
  message.set_shown_state(group.shown_state);
  message.set_result(group.result.value_or(""));
  message.set_reason(group.reason.value_or(""));
  if (group.priority) message.set_priority(*group.priority);
  message.set_priority_is_set(group.priority_is_set);
  message.set_account(group.account);
  if (group.match_job) message.set_match_job(*group.match_job);
  if (group.position) message.set_position(*group.position);
  message.set_estimate(group.estimate.value_or(""));
  message.set_rests_on(group.rests_on.value_or(""));
  message.set_reservation(group.reservation.value_or(""));
  for (const std::string& node : group.reserved_nodes)
    message.add_reserved_nodes(node);
  for (const std::string& node : group.nodes) message.add_nodes(node);
  message.mutable_pools()->insert(group.pools.begin(), group.pools.end());
  message.set_arrived(group.arrived);
  v1::PodCounts& pods = *message.mutable_pods();
  pods.set_waiting(group.waiting);
  pods.set_bound(group.bound);
  pods.set_succeeded(group.succeeded);
  pods.set_failed(group.failed);
  if (group.max_size) message.set_max_size(*group.max_size);
  message.set_grown(group.grown);
  message.set_gang(group.gang.value_or(""));
  if (group.duration_seconds)
    message.set_duration_seconds(*group.duration_seconds);
  FillTimes(message, group);
}

void Fill(v1::Member& message, const MemberRow& member) {
  message.set_name(member.name);
  message.set_state(member.state);
  message.set_node(member.node.value_or(""));
  message.set_needs(member.needs);
  message.set_owner(member.owner.value_or(""));
  message.set_note(member.note.value_or(""));
  message.set_inside(member.inside.value_or(""));
  for (const matcher::AllocatedDevice& each :
       matcher::ReadDevices(member.devices.value_or(""))) {
    v1::MemberDevice& device = *message.add_devices();
    device.set_claim(each.claim);
    device.set_request(each.request);
    device.set_driver(each.id.driver);
    device.set_pool(each.id.pool);
    device.set_device(each.id.device);
  }
}

void Fill(v1::Generation& message, const Generation& generation) {
  message.set_id(generation.id);
  message.set_state(generation.state);
  FillIf(generation.ended_at, [&] { return message.mutable_ended_at(); });
}

void FillQueue(v1::Queue& message, const sql::Row& row) {
  message.set_name(row.Get<std::string>("queue"));
  message.set_paused(row.Get<bool>("paused"));
  auto& settings = *message.mutable_settings();
  for (const char* key : {"queue_policy", "queue_order", "match_policy",
                          "deadline_action", "preemption"})
    settings[key] = row.Get<std::string>(key);
  settings["exclusive"] = row.Get<bool>("exclusive") ? "true" : "false";
  const auto topology = nlohmann::json::parse(row.Get<std::string>("topology"))
                            .get<std::vector<std::string>>();
  settings["topology"] = fmt::format("{}", fmt::join(topology, ","));
  for (const char* key : {"queue_depth", "reservation_depth"})
    if (const auto depth = row.Find<std::int64_t>(key))
      settings[key] = std::to_string(*depth);
  for (const char* key : {"ageing", "half_life", "assumed_duration",
                          "bind_timeout", "replacement_hold"})
    if (const auto number = row.Find<double>(key))
      settings[key] = fmt::format("{}", *number);
  settings["node_selector"] =
      PairsText(nlohmann::json::parse(row.Get<std::string>("node_selector")));
  message.set_provisional(row.Get<std::int64_t>("provisional"));
  message.set_pending(row.Get<std::int64_t>("pending"));
  message.set_unsatisfiable(row.Get<std::int64_t>("unsatisfiable"));
  message.set_allocated(row.Get<std::int64_t>("allocated"));
  message.set_bound(row.Get<std::int64_t>("bound"));
  FillIf(row.Find<sql::Timestamp>("oldest_pending"),
         [&] { return message.mutable_oldest_pending(); });
}

std::string StateName(int state) {
  const bool known = state > 0 && state < static_cast<int>(kStateNames.size());
  return known ? std::string(kStateNames[static_cast<std::size_t>(state)])
               : std::string();
}

int PhaseNumber(std::string_view name) {
  return NumberOf<v1::GroupPhase>(kPhaseNames, name);
}

}  // namespace fluxnetes::services
