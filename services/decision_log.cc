#include "services/decision_log.h"

#include "services/moment.h"
#include "services/queries.h"
#include "sql/error.h"
#include "sql/transaction.h"

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

// A line about a group; what it says beyond the name is added.
class Line {
 public:
  Line(const std::unordered_map<GroupId, std::string>& names, GroupId group) {
    const auto name = names.find(group);
    if (name != names.end()) Add("group", name->second);
    Add("id", group);
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

}  // namespace

std::span<const sql::Query> DecisionLog::Catalogue() { return kNeeded; }

DecisionLog::Names DecisionLog::NamesOf(const Ids& groups) const {
  Names names;
  if (groups.empty() || !log_.Writes(LogLevel::kWarn)) return names;
  try {
    for (const sql::Row row :
         sql::RunAlone(pool_, queries::kNameGroups, groups)) {
      names[row.Get<GroupId>("id")] = row.Get<std::string>("name");
    }
  } catch (const sql::Error&) {
    // Whoever needs the database says that it is away.
  }
  return names;
}

void DecisionLog::Decided(const workers::Decision& decision,
                          std::chrono::microseconds took) const {
  if (!log_.Writes(LogLevel::kInfo)) return;
  Ids groups;
  for (const auto& placed : decision.placed) groups.push_back(placed.group);
  for (const auto& verdict : decision.verdicts) groups.push_back(verdict.group);
  for (const auto& promise : decision.reserved) groups.push_back(promise.group);
  const Names names = NamesOf(groups);
  const double ms = static_cast<double>(took.count()) / 1'000;
  for (const workers::Placed& placed : decision.placed) {
    Line(names, placed.group)
        .Add("queue", placed.queue)
        .Add("nodes", NodesOf(placed))
        .Add("ms", ms)
        .Write(log_, LogLevel::kInfo, "group allocated");
  }
  for (const workers::Verdict& verdict : decision.verdicts) {
    Line(names, verdict.group)
        .Add("reason", verdict.reason)
        .Add("ms", ms)
        .Write(log_, LogLevel::kInfo,
               verdict.unsatisfiable    ? "group unsatisfiable"
               : verdict.reason.empty() ? "group satisfiable"
                                        : "group waits");
  }
  for (const workers::Reservation& promise : decision.reserved) {
    Line line(names, promise.group);
    line.Add("queue", promise.queue).Add("drain", !promise.start.has_value());
    if (promise.start) {
      line.Add("starts_at",
               Rfc3339(sql::Timestamp(std::chrono::seconds(*promise.start))));
    }
    line.Add("ms", ms).Write(log_, LogLevel::kInfo, "group reserved");
  }
}

void DecisionLog::Bound(const Ids& bound, const Ids& back) const {
  Ids groups = bound;
  groups.insert(groups.end(), back.begin(), back.end());
  if (!log_.Writes(LogLevel::kInfo)) groups = back;
  const Names names = NamesOf(groups);
  for (const GroupId group : bound) {
    Line(names, group).Write(log_, LogLevel::kInfo, "group bound");
  }
  for (const GroupId group : back) {
    Line(names, group).Write(log_, LogLevel::kWarn, "group goes back");
  }
}

}  // namespace fluxnetes::services
