#include "workers/bind/overdue_bindings.h"

#include <chrono>
#include <optional>
#include <string>

#include "sql/connection/transaction.h"
#include "workers/bind/bind_queries.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {

OverdueBindings::OverdueBindings(sql::Pool& pool, cluster::Cluster& cluster,
                                 const cluster::ClusterCache& cache)
    : pool_(pool), cluster_(cluster), cache_(cache) {}

OverdueBindings::Groups OverdueBindings::Read(cluster::Time now) {
  using std::chrono::milliseconds;
  Groups overdue;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kReadBoundInPart, now)) {
    milliseconds allowed(row.Get<std::int64_t>("allowed"));
    const auto pod = cache_.PodByUid(row.Get<std::string>("uid"));
    if (pod != nullptr)
      allowed = ScheduleTimeoutOf(*pod, cache_).value_or(allowed);
    if (milliseconds(row.Get<std::int64_t>("waited")) <= allowed) continue;
    overdue.ids.push_back(row.Get<std::int64_t>("id"));
    overdue.allowed.push_back(allowed.count());
  }
  return overdue;
}

void OverdueBindings::GiveUp(cluster::Time now) {
  if (!cache_.Synced()) return;  // the timeouts of PodGroups are not known
  std::vector<cluster::ObjectName> pods;
  std::vector<cluster::PodEvent> events;
  {
    const Groups overdue = Read(now);
    if (overdue.ids.empty()) return;
    sql::Transaction transaction(pool_);
    for (const sql::Row row : transaction.Run(queries::kRestartBindings, now,
                                              overdue.ids, overdue.allowed)) {
      const auto space = row.Get<std::string>("namespace");
      const auto name = row.Get<std::string>("pod_name");
      const auto uid = row.Get<std::string>("uid");
      if (row.Get<bool>("bare")) {
        events.push_back({space, name, uid, true, "FailedScheduling",
                          "the rest of its group cannot be placed beside it "
                          "in time, and no controller would make it anew",
                          /*once=*/true});
      } else {
        pods.push_back({"Pod", space, name, uid});
      }
    }
    transaction.Commit();
  }
  std::optional<cluster::Refused> refused;
  for (const cluster::ObjectName& pod : pods) {
    try {
      cluster_.Delete(pod);
    } catch (const cluster::Refused& error) {
      refused = error;
    }
  }
  if (!events.empty()) cluster_.Record(events);
  if (refused) throw *refused;
}

}  // namespace fluxnetes::workers
