#include "services/explain/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "matcher/devices/devices_text.h"
#include "services/console/display_text.h"
#include "services/console/output.h"
#include "services/console/table.h"
#include "services/console/time_text.h"
#include "services/records/group_detail.h"
#include "services/records/group_document.h"
#include "services/records/group_name.h"
#include "services/records/group_start.h"
#include "services/records/group_table.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kNodesDescribed = 64;

// Returns "8 × (2 cpu, 4Gi) + 1 × (500m cpu)".
std::string NeedsOf(const std::vector<MemberRow>& members) {
  std::map<std::string, int> counts;
  for (const MemberRow& member : members)
    if (!member.needs.empty()) ++counts[member.needs];
  std::string text;
  for (const auto& [needs, count] : counts)
    text += fmt::format("{}{} × ({})", text.empty() ? "" : " + ", count, needs);
  return text;
}

struct Step {
  std::optional<sql::Timestamp> at;
  std::string what;
};

// Adds the times within which a group that has not started must start.
void AddTerms(const GroupRow& group, std::vector<Step>& steps) {
  if (!Waits(group) && group.state != "provisional") return;
  if (group.has_started) return;
  if (group.start_after)
    steps.push_back({group.start_after, "may start (fluxnetes.start-after)"});
  if (group.start_by)
    steps.push_back(
        {group.start_by, "is given up without a place (fluxnetes.start-by)"});
}

// Returns what has happened. After a group has gone back, the time when it got
// nodes is that of the latest ones.
std::vector<Step> PastOf(const GroupRow& group) {
  const Step bound = {group.bound_at, "bound: its last pod has its node"};
  const Step back = {group.went_back_at,
                     "went back: pods of it must be placed again"};
  const bool again = group.went_back_at && group.allocated_at &&
                     *group.allocated_at >= *group.went_back_at;
  const bool had_run = group.went_back_at && group.bound_at &&
                       *group.bound_at <= *group.went_back_at;
  const Step given = {group.allocated_at,
                      again ? "given nodes again" : "given its nodes"};
  std::vector<Step> steps = {
      {group.submitted_at, "submitted: its first pod was created"},
      {group.promoted_at,
       group.size == 1
           ? "whole: its pod has arrived"
           : fmt::format("whole: all {} pods have arrived", group.size)}};
  if (!again) steps.push_back(given);
  if (had_run) steps.push_back(bound);
  steps.push_back(back);
  if (again) steps.push_back(given);
  if (!had_run) steps.push_back(bound);
  steps.push_back({group.ended_at, group.result.value_or("ended")});
  return steps;
}

std::vector<Step> TimelineOf(const GroupRow& group, sql::Timestamp now) {
  std::vector<Step> steps = PastOf(group);
  std::erase_if(steps, [](const Step& step) { return !step.at; });
  // Keeps the steps in order, even if the clocks behind the times differ.
  for (std::size_t i = 1; i < steps.size(); ++i)
    steps[i].at = std::max(steps[i].at, steps[i - 1].at);
  if (group.estimated_start)
    steps.push_back({group.estimated_start,
                     fmt::format("{} to start ({})",
                                 *group.estimated_start <= now ? "was" : "is",
                                 group.estimate.value_or(""))});
  AddTerms(group, steps);
  if (group.deadline) steps.push_back({group.deadline, "must end (deadline)"});
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.at < b.at; });
  return steps;
}

// Lines "Key:    value" as in kubectl describe.
class Fields {
 public:
  void Add(const std::string& key, const std::string& value) {
    if (!value.empty())
      text_ += fmt::format("{:<17} {}\n", key + ":", Printable(value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string FieldsOf(const GroupDetail& detail, sql::Timestamp now) {
  const GroupRow& group = detail.group;
  Fields fields;
  fields.Add("Name", group.name);
  fields.Add("Namespace", group.namespace_name);
  fields.Add("Generation", group.id > 0 ? std::to_string(group.id) : "");
  fields.Add("Queue", group.queue);
  fields.Add("State", group.shown_state);
  fields.Add("Reason", group.reason.value_or(""));
  fields.Add("Position", group.position ? std::to_string(*group.position) : "");
  fields.Add("Estimated start", StartInWords(group, now));
  fields.Add("Reserved nodes",
             ShownNodes(group.reserved_nodes, kNodesDescribed));
  fields.Add("Size", group.size > 0 ? fmt::format("{} pod{}", group.size,
                                                  group.size == 1 ? "" : "s")
                                    : "");
  fields.Add("Elastic", group.max_size
                            ? fmt::format("{} of {} to {} pods run",
                                          group.bound + group.grown, group.size,
                                          *group.max_size)
                            : "");
  fields.Add("Gang", group.gang.value_or(""));
  fields.Add("Needs", NeedsOf(detail.members));
  fields.Add("Pools", PoolsText(group.pools));
  fields.Add("Topology", workers::TopologyInWords(detail.topology));
  fields.Add("Priority", group.priority ? std::to_string(*group.priority) : "");
  fields.Add("Duration",
             group.duration_seconds
                 ? ShortDuration(std::chrono::seconds(*group.duration_seconds))
             : group.state == "finished" || group.state == "provisional" ||
                     group.state == "refused"
                 ? ""
                 : "without end (no activeDeadlineSeconds)");
  fields.Add("Nodes", ShownNodes(group.nodes, kNodesDescribed));
  return fields.text();
}

Table TimelineTable(const GroupRow& group, sql::Timestamp now) {
  Table table({"TIME (UTC)", "AGE", "WHAT"});
  for (const Step& step : TimelineOf(group, now))
    table.Add({ShortTime(*step.at), Relative(*step.at, now), step.what});
  return table;
}

Table MemberTable(const std::vector<MemberRow>& members) {
  Table table({"POD", "STATE", "NODE", "NEEDS", "OWNER", "NOTE"});
  for (const MemberRow& member : members)
    table.Add({member.name, member.state, member.node.value_or(""),
               member.needs, member.owner.value_or(""),
               member.note.value_or("")});
  return table;
}

// What pods have inside of their nodes; none: amounts alone.
Table InsideTable(const std::vector<MemberRow>& members) {
  Table table({"POD", "NODE", "HAS"});
  for (const MemberRow& member : members)
    if (member.inside)
      table.Add({member.name, member.node.value_or(""), *member.inside});
  return table;
}

// Each device of each pod, with the request of the claim that it is for.
Table DeviceTable(const std::vector<MemberRow>& members) {
  Table table({"POD", "CLAIM", "REQUEST", "DRIVER", "POOL", "DEVICE"});
  for (const MemberRow& member : members) {
    if (!member.devices) continue;
    for (const matcher::AllocatedDevice& each :
         matcher::ReadDevices(*member.devices))
      table.Add({member.name, each.claim, each.request, each.id.driver,
                 each.id.pool, each.id.device});
  }
  return table;
}

Table JobTable(const std::vector<GroupJobRow>& jobs) {
  Table table({">ID", "KIND", "QUEUE", "STATE", ">ATTEMPT", "LAST ERROR"});
  for (const GroupJobRow& job : jobs)
    table.Add({std::to_string(job.id), job.kind, job.queue, job.state,
               fmt::format("{}/{}", job.attempt, job.max_attempts),
               job.error.value_or("")});
  return table;
}

Table EarlierTable(const std::vector<Generation>& earlier, sql::Timestamp now) {
  Table table({">GENERATION", "STATE", "ENDED"});
  for (const Generation& generation : earlier)
    table.Add({std::to_string(generation.id), generation.state,
               generation.ended_at ? Relative(*generation.ended_at, now) : ""});
  return table;
}

void PrintText(const GroupDetail& detail, Console& console) {
  const sql::Timestamp now = console.now();
  const TableStyle style{.columns = console.size().first,
                         .colour = console.colour};
  console.out << FieldsOf(detail, now);
  const auto section = [&](const char* title, const Table& table) {
    if (table.rows() > 0)
      console.out << title << ":\n" << table.IndentedText(style);
  };
  section("Timeline", TimelineTable(detail.group, now));
  section("Members", MemberTable(detail.members));
  section("Inside of its nodes", InsideTable(detail.members));
  section("Devices", DeviceTable(detail.members));
  section("Work left", JobTable(detail.jobs));
  section("Earlier groups of this name", EarlierTable(detail.earlier, now));
}

OrderedJson TimeOrNull(const std::optional<sql::Timestamp>& time) {
  return time ? OrderedJson(Rfc3339(*time)) : OrderedJson();
}

OrderedJson TextOrNull(const std::optional<std::string>& text) {
  return text ? OrderedJson(*text) : OrderedJson();
}

OrderedJson ToJson(const cluster::GroupTopology& topology) {
  OrderedJson json = OrderedJson::object();
  if (!topology.required.empty()) json["required"] = topology.required;
  if (!topology.preferred.empty()) json["preferred"] = topology.preferred;
  const auto add_parts = [&](const char* name,
                             const std::vector<cluster::TopologyLevel>& parts) {
    for (const cluster::TopologyLevel& part : parts)
      json[name].push_back({{"key", part.key}, {"pods", part.pods}});
  };
  add_parts("requiredParts", topology.required_parts);
  add_parts("preferredParts", topology.preferred_parts);
  const cluster::PodsPerNode& per_node = topology.per_node;
  if (per_node.pods > 0)
    json[per_node.at_most ? "mostPerNode" : "podsPerNode"] = per_node.pods;
  if (topology.whole_nodes) json["wholeNodes"] = true;
  if (!topology.pools.empty()) json["pools"] = topology.pools;
  return json;
}

OrderedJson DevicesOf(const MemberRow& member) {
  return member.devices ? OrderedJson::parse(*member.devices)
                        : OrderedJson::array();
}

OrderedJson ToJson(const GroupDetail& detail) {
  OrderedJson document = {{"kind", "Group"}};
  document.update(services::ToJson(detail.group));
  document["topology"] = ToJson(detail.topology);
  document["members"] = OrderedJson::array();
  for (const MemberRow& member : detail.members)
    document["members"].push_back({{"name", member.name},
                                   {"state", member.state},
                                   {"node", TextOrNull(member.node)},
                                   {"inside", TextOrNull(member.inside)},
                                   {"devices", DevicesOf(member)},
                                   {"needs", member.needs},
                                   {"owner", TextOrNull(member.owner)},
                                   {"note", TextOrNull(member.note)},
                                   {"createdAt", TimeOrNull(member.created_at)},
                                   {"boundAt", TimeOrNull(member.bound_at)},
                                   {"endedAt", TimeOrNull(member.ended_at)}});
  document["jobs"] = OrderedJson::array();
  for (const GroupJobRow& job : detail.jobs)
    document["jobs"].push_back({{"id", job.id},
                                {"kind", job.kind},
                                {"queue", job.queue},
                                {"state", job.state},
                                {"attempt", job.attempt},
                                {"maxAttempts", job.max_attempts},
                                {"error", TextOrNull(job.error)}});
  document["earlier"] = OrderedJson::array();
  for (const Generation& generation : detail.earlier)
    document["earlier"].push_back(
        {{"id", generation.id},
         {"state", generation.state},
         {"endedAt", TimeOrNull(generation.ended_at)}});
  return document;
}

}  // namespace

ExitCode RunDescribe(const DescribeOptions& options, sql::Pool& pool,
                     Console& console) {
  const GroupName name = ParseGroupName(options.name, options.namespace_name);
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const GroupDetail detail =
      RequireGroup(transaction, name, options.generation);
  if (options.output == OutputFormat::kTable)
    PrintText(detail, console);
  else
    console.out << Write(ToJson(detail), options.output);
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
