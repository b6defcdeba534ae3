#include "services/monitoring/decision_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "services/console/time_text.h"
#include "services/monitoring/decision_log_queries.h"
#include "sql/connection/transaction.h"
#include "sql/error.h"
#include "workers/pods/trace_context.h"

namespace fluxnetes::services {
namespace {

using workers::GroupId;

constexpr sql::Query kNeeded[] = {queries::kNameGroups};

std::string NodesOf(const workers::Placed& placed) {
  std::string nodes;
  for (const workers::PlacedMember& member : placed.members) {
    if (!nodes.empty()) nodes += ',';
    nodes += member.node;
  }
  return nodes;
}

}  // namespace

// The same span of the same group always gets the same id (FNV-1a).
std::string DecisionLog::SpanIdOf(const Group& group, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : group.name + group.traceparent + std::string(name)) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", std::max<std::uint64_t>(hash, 1));
}

// A log line about a group: its name and the fields added later.
class DecisionLog::Line {
 public:
  Line(const Groups& groups, GroupId group) {
    const auto found = groups.find(group);
    if (found != groups.end()) Add("group", found->second.name);
    Add("id", group);
    if (found != groups.end())
      Add("trace_id",
          std::string(workers::TraceIdOf(found->second.traceparent)));
  }
  template <typename Value>
  Line& Add(std::string_view key, const Value& value) {
    fields_.emplace_back(key, value);
    return *this;
  }
  void Write(const Log& log, LogLevel level, std::string_view message) const {
    log.Write(level, message, fields_);
  }

 private:
  std::vector<LogField> fields_;
};

std::span<const sql::Query> DecisionLog::Catalogue() { return kNeeded; }

DecisionLog::Groups DecisionLog::Read(const Ids& ids) const {
  Groups groups;
  if (ids.empty()) return groups;
  try {
    for (const sql::Row row : sql::RunAlone(pool_, queries::kNameGroups, ids)) {
      groups[row.Get<GroupId>("id")] = {
          row.Get<std::string>("name"),
          row.Get<std::string>("traceparent"),
          row.Find<double>("waited"),
          row.Find<double>("later_than_first"),
          row.Find<double>("later_than_last"),
          {row.Find<sql::Timestamp>("submitted_at"),
           row.Find<sql::Timestamp>("promoted_at"),
           row.Find<sql::Timestamp>("allocated_at"),
           row.Find<sql::Timestamp>("bound_at")}};
    }
  } catch (const sql::Error&) {
    // Other users of the database report the outage.
  }
  return groups;
}

void DecisionLog::Decided(const workers::Decision& decision,
                          std::chrono::microseconds took) const {
  const bool writes = log_.Writes(LogLevel::kInfo);
  Ids ids;
  for (const auto& placed : decision.placed) ids.push_back(placed.group);
  if (writes) {
    for (const auto& verdict : decision.verdicts) ids.push_back(verdict.group);
    for (const auto& promise : decision.reserved) ids.push_back(promise.group);
  }
  const Groups groups = Read(ids);
  Count(decision, groups);
  if (writes)
    Write(decision, groups, static_cast<double>(took.count()) / 1'000);
}

void DecisionLog::Count(const workers::Decision& decision,
                        const Groups& groups) const {
  for (const workers::Placed& placed : decision.placed) {
    const auto found = groups.find(placed.group);
    if (found == groups.end()) continue;  // deleted meanwhile
    const Group& group = found->second;
    counts_.NoteAllocated({placed.queue, std::ssize(placed.members),
                           group.waited, group.later_than_first,
                           group.later_than_last});
  }
  for (const workers::Reservation& promise : decision.reserved)
    counts_.NoteReserved(promise.queue);
  counts_.NoteEvicted(std::ssize(decision.evicted));
}

void DecisionLog::Write(const workers::Decision& decision, const Groups& groups,
                        double ms) const {
  for (const workers::Placed& placed : decision.placed) {
    Line(groups, placed.group)
        .Add("queue", placed.queue)
        .Add("nodes", NodesOf(placed))
        .Add("ms", ms)
        .Write(log_, LogLevel::kInfo, "group allocated");
  }
  for (const workers::Verdict& verdict : decision.verdicts) {
    Line(groups, verdict.group)
        .Add("reason", verdict.reason)
        .Add("ms", ms)
        .Write(log_, LogLevel::kInfo,
               verdict.unsatisfiable    ? "group unsatisfiable"
               : verdict.reason.empty() ? "group satisfiable"
                                        : "group waits");
  }
  for (const workers::Reservation& promise : decision.reserved) {
    Line line(groups, promise.group);
    line.Add("queue", promise.queue).Add("drain", !promise.start.has_value());
    if (promise.start) {
      line.Add("starts_at",
               Rfc3339(sql::Timestamp(std::chrono::seconds(*promise.start))));
    }
    line.Add("ms", ms).Write(log_, LogLevel::kInfo, "group reserved");
  }
}

std::vector<TraceSpan> DecisionLog::SpansOf(const Group& group) {
  std::vector<TraceSpan> spans;
  const std::string whole = SpanIdOf(group, "schedule");
  const auto add = [&](const char* name, std::string_view parent,
                       std::size_t from, std::size_t to) {
    const auto& begin = group.times.at(from);
    const auto& end = group.times.at(to);
    if (!begin || !end) return;
    spans.push_back({std::string(workers::TraceIdOf(group.traceparent)),
                     SpanIdOf(group, name),
                     std::string(parent),
                     name,
                     *begin,
                     *end,
                     {{"fluxnetes.group", group.name}}});
  };
  add("schedule", workers::ParentIdOf(group.traceparent), 0, 3);
  add("fill", whole, 0, 1);
  add("match", whole, 1, 2);
  add("bind", whole, 2, 3);
  return spans;
}

void DecisionLog::WriteSpans(GroupId id, const Groups& groups) const {
  const auto found = groups.find(id);
  if (found == groups.end()) return;
  for (const TraceSpan& span : SpansOf(found->second)) {
    const std::chrono::duration<double, std::milli> took =
        span.end - span.begin;
    Line(groups, id)
        .Add("span", span.name)
        .Add("span_id", span.span_id)
        .Add("parent_id", span.parent_id)
        .Add("start", Rfc3339(span.begin))
        .Add("ms", took.count())
        .Write(log_, LogLevel::kDebug, "span");
  }
}

void DecisionLog::Export(const Ids& bound, const Groups& groups) const {
  std::vector<TraceSpan> spans;
  for (const GroupId id : bound) {
    const auto found = groups.find(id);
    if (found == groups.end() || !workers::IsSampled(found->second.traceparent))
      continue;
    std::ranges::move(SpansOf(found->second), std::back_inserter(spans));
  }
  exporter_->Add(spans);
}

void DecisionLog::Bound(const Ids& bound, const Ids& back) const {
  const bool names_bound = exporter_ != nullptr || log_.Writes(LogLevel::kInfo);
  Ids ids = names_bound ? bound : Ids();
  if (log_.Writes(LogLevel::kWarn))
    ids.insert(ids.end(), back.begin(), back.end());
  const Groups groups = Read(ids);
  if (exporter_ != nullptr) Export(bound, groups);
  for (const GroupId group : bound) {
    if (!log_.Writes(LogLevel::kInfo)) break;
    Line(groups, group).Write(log_, LogLevel::kInfo, "group bound");
    if (log_.Writes(LogLevel::kDebug)) WriteSpans(group, groups);
  }
  for (const GroupId group : back) {
    if (!log_.Writes(LogLevel::kWarn)) break;
    Line(groups, group).Write(log_, LogLevel::kWarn, "group goes back");
  }
}

}  // namespace fluxnetes::services
