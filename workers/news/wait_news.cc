#include "workers/news/wait_news.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sql/faults.h"
#include "workers/news/news_queries.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int32_t kAgainSoon = 5;        // seconds
constexpr std::int32_t kAgainAtLast = 3'600;  // seconds

// The seconds until a failed report is retried, for a group that has waited for
// `age` seconds.
std::int32_t Later(std::int32_t age) {
  return std::clamp(age / 2, kAgainSoon, kAgainAtLast);
}

// A reason of these kinds is reported again whenever its text changes.
bool IsOfItsOwn(const std::string& kind) {
  return kind == "unsatisfiable" || kind == "own" || kind == "held" ||
         kind == "deferred";
}

// The reason of the condition PodScheduled. Autoscalers (cluster-autoscaler,
// Karpenter) add nodes for pods with the reason Unschedulable, so only a group
// has it that more nodes would help: that is one at a time in a queue that
// starts groups strictly in order. `kubectl get pods` shows SchedulingGated.
const char* ConditionReason(const std::string& kind) {
  if (kind.starts_with("held") || kind.starts_with("deferred"))
    return "SchedulingGated";
  if (kind == "incomplete" || kind == "short") return "GroupIncomplete";
  if (kind == "order" || kind == "depth") return "QueuedBehindOthers";
  if (kind == "paused") return "QueuePaused";
  if (kind == "no queue") return "NoQueue";
  if (kind == "quota") return "QuotaExceeded";
  return "Unschedulable";
}

}  // namespace

bool WaitNews::RunOnce(cluster::Time now) {
  if (!backpressure_.May(now)) return false;
  Claim(now);
  if (groups_.empty()) return false;
  try {
    Tell();
  } catch (const cluster::Unreachable&) {
    for (Group& group : groups_) {
      group.said = group.sent = false;
      group.due = kAgainSoon;
    }
    for (UntoldPod& pod : pods_) pod.version.reset();
    Settle(now);
    throw;
  }
  Settle(now);
  return std::ssize(pods_) == options_.batch ||
         std::ssize(groups_) >= options_.batch;
}

void WaitNews::Claim(cluster::Time now) {
  groups_.clear();
  pods_.clear();
  sql::Transaction transaction(pool_);
  SpreadReasons(transaction, now);
  ClaimFilling(transaction, now);
  ClaimActive(transaction, now);
  ReadPods(transaction);
  transaction.Commit();
}

void WaitNews::SpreadReasons(sql::Transaction& transaction, cluster::Time now) {
  std::vector<std::string> queues, kinds, namespaces, accounts;
  std::vector<std::int64_t> shapes;
  for (const sql::Row row : transaction.Run(queries::kReadChangedReasons)) {
    queues.push_back(row.Get<std::string>("queue"));
    shapes.push_back(row.Get<std::int64_t>("shape"));
    kinds.push_back(row.Get<std::string>("kind"));
    namespaces.push_back(row.Get<std::string>("namespace"));
    accounts.push_back(row.Get<std::string>("account"));
  }
  if (queues.empty()) return;
  transaction.Run(queries::kSpreadReasons, queues, shapes, kinds, now,
                  namespaces, accounts);
  transaction.Run(queries::kMarkSpreadReasons, queues, shapes, kinds,
                  namespaces, accounts);
}

void WaitNews::ReadTold(const sql::Row& row, Group& group) {
  group.told = row.Find<std::string>("told");
  group.age = row.Get<std::int32_t>("age");
  const auto told_at = row.Find<cluster::Time>("told_at");
  group.occasion =
      told_at ? std::to_string(told_at->time_since_epoch().count()) : "first";
}

void WaitNews::ClaimFilling(sql::Transaction& transaction, cluster::Time now) {
  for (const sql::Row row :
       transaction.Run(queries::kClaimFillingNews, now, options_.batch)) {
    Group& group = groups_.emplace_back();
    group.id = row.Get<std::int64_t>("group_id");
    group.namespace_name = row.Get<std::string>("namespace");
    group.name = row.Get<std::string>("group_name");
    ReadTold(row, group);
    group.kind = "incomplete";
    const auto members = row.Get<std::int32_t>("members");
    const auto size = row.Get<std::int32_t>("group_size");
    group.news = fmt::format("incomplete {}/{}", members, size);
    group.message = fmt::format("group {}/{}: {}", *group.namespace_name,
                                *group.name, row.Get<std::string>("reason"));
    if (const auto why = row.Find<std::string>("short_reason")) {
      group.kind = "short";
      group.news += " " + *why;
    }
  }
}

void WaitNews::ClaimActive(sql::Transaction& transaction, cluster::Time now) {
  for (const sql::Row row :
       transaction.Run(queries::kClaimActiveNews, now, options_.batch)) {
    Group& group = groups_.emplace_back();
    group.id = row.Get<std::int64_t>("id");
    ReadTold(row, group);
  }
  ReadWhy(transaction, now);
}

void WaitNews::ReadWhy(sql::Transaction& transaction, cluster::Time now) {
  std::map<std::int64_t, Group*> claimed;
  std::vector<std::int64_t> ids;
  for (Group& group : groups_) {
    if (group.name) continue;  // it is filling
    claimed[group.id] = &group;
    ids.push_back(group.id);
  }
  if (ids.empty()) return;
  for (const sql::Row row :
       transaction.Run(queries::kReadActiveNews, ids, now)) {
    if (!row.Get<bool>("waits")) continue;
    Group& group = *claimed.at(row.Get<std::int64_t>("id"));
    const auto reserved = row.Find<std::string>("reservation").value_or("");
    group.message = row.Get<std::string>("reason");
    group.kind = row.Get<std::string>("kind");
    if (IsOfItsOwn(group.kind)) {
      group.kind += " " + group.message;
    } else if (!reserved.empty()) {
      group.kind = reserved;
    } else if (group.kind == "queued") {
      // The match has not seen the group yet.
      group.kind.clear();
      group.due = Later(group.age);
    }
    group.news = group.kind;
    if (reserved == "reservation") {
      const auto starts = row.Get<std::string>("starts_at");
      group.news += " " + starts;
      group.message += "; reserved from " + starts + " UTC";
    } else if (reserved == "drain") {
      group.message += "; nodes are kept free for it";
    }
  }
}

void WaitNews::ReadPods(sql::Transaction& transaction) {
  std::vector<std::int64_t> ids;
  std::vector<std::optional<std::string>> namespaces, names;
  std::vector<std::string> news;
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (group.news.empty()) continue;
    ids.push_back(group.id);
    namespaces.push_back(group.namespace_name);
    names.push_back(group.name);
    news.push_back(group.news);
    places[group.id] = i;
  }
  if (ids.empty()) return;
  for (const sql::Row row :
       transaction.Run(queries::kReadUntoldPods, ids, namespaces, names, news,
                       options_.batch)) {
    const std::size_t place = places.at(row.Get<std::int64_t>("id"));
    pods_.push_back(
        {place,
         {row.Get<std::string>("namespace"), row.Get<std::string>("pod_name"),
          row.Get<std::string>("uid"), ConditionReason(groups_[place].kind),
          groups_[place].message, row.Get<std::string>("resource_version"),
          row.Get<cluster::Time>("created_at")},
         std::nullopt});
  }
  if (std::ssize(pods_) < options_.batch) return;
  // There may be more pods of the last group, and of later groups.
  for (std::size_t i = pods_.back().group; i < groups_.size(); ++i) {
    if (!groups_[i].news.empty()) groups_[i].due = 0;
  }
}

void WaitNews::Tell() {
  if (pods_.empty()) return;
  std::vector<cluster::PodCondition> conditions;
  for (const UntoldPod& pod : pods_) conditions.push_back(pod.condition);
  const auto results = cluster_.SetConditions(conditions);
  sql::Failpoint("news-half-told");
  std::vector<cluster::PodEvent> events;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    UntoldPod& pod = pods_[i];
    Group& group = groups_[pod.group];
    if (results[i].outcome != cluster::StatusOutcome::kSet) {
      // The pod has changed, was bound or is gone: intake will record that.
      const bool refused =
          results[i].outcome == cluster::StatusOutcome::kRefused;
      group.due = std::max(group.due.value_or(0),
                           refused ? Later(group.age) : kAgainSoon);
      continue;
    }
    pod.version = results[i].resource_version;
    if (!group.said && options_.on_told)
      options_.on_told(pod.condition.pod_uid, group.message);
    group.said = true;
    if (group.sent || group.told == group.kind) continue;
    group.sent = true;
    events.push_back({pod.condition.namespace_name, pod.condition.pod_name,
                      pod.condition.pod_uid, true, "FailedScheduling",
                      group.message, /*once=*/true,
                      group.kind + " " + group.occasion});
  }
  cluster_.Record(events);
  sql::Failpoint("news-told");
}

void WaitNews::Settle(cluster::Time now) {
  std::vector<std::int64_t> filling, active;
  std::vector<std::string> namespaces, names;
  std::vector<std::optional<std::string>> filling_told, active_told;
  std::vector<bool> filling_said, active_said;
  std::vector<std::optional<std::int32_t>> filling_due, active_due;
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    places[group.id] = i;
    const auto told = group.sent ? std::optional(group.kind) : std::nullopt;
    if (group.name) {
      namespaces.push_back(*group.namespace_name);
      names.push_back(*group.name);
    }
    (group.name ? filling : active).push_back(group.id);
    (group.name ? filling_told : active_told).push_back(told);
    (group.name ? filling_said : active_said).push_back(group.said);
    (group.name ? filling_due : active_due).push_back(group.due);
  }
  std::vector<bool> settled(groups_.size());
  sql::Transaction transaction(pool_);
  if (!filling.empty()) {
    for (const sql::Row row : transaction.Run(
             queries::kSettleFillingNews, namespaces, names, filling,
             filling_told, filling_said, filling_due, now)) {
      settled[places.at(row.Get<std::int64_t>("id"))] = true;
    }
  }
  if (!active.empty()) {
    for (const sql::Row row :
         transaction.Run(queries::kSettleActiveNews, active, active_told,
                         active_said, active_due, now)) {
      settled[places.at(row.Get<std::int64_t>("id"))] = true;
    }
  }
  RecordPods(transaction, settled);
  transaction.Commit();
}

// Records only pods of groups locked here, so that concurrent runs do not wait
// for each other.
void WaitNews::RecordPods(sql::Transaction& transaction,
                          const std::vector<bool>& settled) {
  for (const bool fills : {true, false}) {
    std::vector<std::string> uids, news, before, versions;
    for (const UntoldPod& pod : pods_) {
      const Group& group = groups_[pod.group];
      if (!pod.version || !settled[pod.group]) continue;
      if (group.name.has_value() != fills) continue;
      uids.push_back(pod.condition.pod_uid);
      news.push_back(group.news);
      before.push_back(pod.condition.resource_version);
      versions.push_back(*pod.version);
    }
    if (uids.empty()) continue;
    transaction.Run(
        fills ? queries::kRecordToldFilling : queries::kRecordToldMembers, uids,
        news, before, versions);
  }
}

}  // namespace fluxnetes::workers
